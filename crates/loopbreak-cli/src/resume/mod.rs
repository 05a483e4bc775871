//! `loopbreak resume`: lets a paused agent continue.

mod args;
mod command;

pub(crate) use args::ResumeArgs;
pub(crate) use command::run;
