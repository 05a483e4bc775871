//! Waits for a condition: a command is run again and again until it succeeds.

mod command_waiter;
mod wait_options;
mod wait_report;

pub use command_waiter::{CommandWaiter, WaitObserver};
pub use wait_options::{WaitCondition, WaitOptions, shell_words};
pub use wait_report::{WaitEnd, WaitReport, render_time};
