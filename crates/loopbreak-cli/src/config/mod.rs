//! `loopbreak config`, and the way from files, environment and flags to settings.

mod check;
mod command;
mod describe;
mod explain;
pub(crate) mod find;
mod init;
mod load;
mod output;
mod reference;
pub(crate) mod render;
mod schema;

pub(crate) use command::{ConfigArgs, run};
pub(crate) use load::{attempt, load, settings_in};
