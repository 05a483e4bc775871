//! Alerts: conditions that people are told about.
//!
//! - `alert_tasks`: the threads, beside those that judge steps
//! - `alert_watcher`: compares what is stored with the rules
//! - `alert_text`: what is said about an alert
//! - `message_courier`: sends the messages

mod alert_tasks;
#[cfg(test)]
mod alert_tests;
mod alert_text;
mod alert_watcher;
mod message_courier;

pub(super) use alert_tasks::AlertTasks;
