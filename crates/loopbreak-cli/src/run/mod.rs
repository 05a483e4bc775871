//! `loopbreak run`: the loop runner. Starts an agent again and again, and ends it when it is stuck.

mod advise;
mod advisor;
mod answer;
mod args;
mod autopilot;
mod capture;
mod child;
mod command;
mod course;
mod ending;
mod escalate;
mod interrupt;
mod iteration;
mod keep;
mod notify;
mod prompt;
mod restarts;
mod rounds;
mod scratchpad;
mod settings;
mod trouble;
mod work_tree;

/// What a command finds in its environment with a roadmap, beside `LOOPBREAK_RUN`. They are no settings, should it call us.
pub(crate) const VARIABLES: [&str; 3] = ["LOOPBREAK_TASK", "LOOPBREAK_TASK_TITLE", "LOOPBREAK_RESULT_FILE"];

pub(crate) use args::RunArgs;
pub(crate) use command::run;
