//! `loopbreak config`, and the settings of the other commands.

mod check;
mod command;
mod explain;
mod init;
mod load;
mod output;
mod reference;
pub(crate) mod render;
mod schema;

pub(crate) use command::{ConfigArgs, run};
pub(crate) use load::{load, settings_in, try_load};
