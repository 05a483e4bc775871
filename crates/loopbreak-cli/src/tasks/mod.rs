//! `loopbreak tasks`: the tasks of a roadmap, as they are kept: shown, added, and changed by hand or by the agent itself.

mod args;
mod change;
mod find;
mod list;
mod show;

pub(crate) use args::{TasksArgs, run};
