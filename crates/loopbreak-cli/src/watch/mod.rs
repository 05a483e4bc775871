//! `loopbreak watch`: the same as `analyze`, live, as the logs grow.

mod args;
mod command;
mod document;
mod exec;
mod files;
mod log;
mod newcomers;
mod notice;
mod pieces;
mod rest;
mod runs;
mod show;
mod source;
mod tail;
mod told;
mod webhook;

pub(crate) use args::{WatchArgs, time};
pub(crate) use command::run;
pub(crate) use exec::{Exec, VARIABLES};
pub(crate) use notice::Notice;
pub(crate) use webhook::Webhook;
