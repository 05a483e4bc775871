//! `loopbreak play`: one episode of a game, with a live view.

mod args;
mod chart;
mod command;
mod human;
mod plain;
mod screen;
mod seats;
mod settings;
mod view;

pub(crate) use args::{PlayArgs, probability};
pub(crate) use command::run;
pub(crate) use seats::{KEY, spare_story, story};
pub(crate) use settings::for_games;
