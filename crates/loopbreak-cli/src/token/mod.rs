//! `loopbreak token`: makes, lists and revokes tokens of the service.

mod args;
mod command;

pub(crate) use args::TokenArgs;
pub(crate) use command::run;
