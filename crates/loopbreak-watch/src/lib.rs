//! Follows growing agent logs and reports loops as they happen.
//!
//! [`notification`] tells people and programs about a run that should be stopped or needs a human.

pub mod notification;
