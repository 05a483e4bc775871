//! `cargo xtask analyze-bench`: what `analyze` takes for many sessions, beside `convert`, which only reads them.

mod copied_logs;
mod measured_command;
mod run;

pub(crate) use run::run;
