//! `loopbreak play`: one episode of a game, with a live view.

mod args;
mod command;
mod participants;
mod player_choice;
mod settings;

pub(crate) use args::PlayArgs;
pub(crate) use command::run;
