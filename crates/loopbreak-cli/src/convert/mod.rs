//! `loopbreak convert`: writes logs of any format as native steps.

mod args;
mod command;

pub(crate) use args::ConvertArgs;
pub(crate) use command::run;
