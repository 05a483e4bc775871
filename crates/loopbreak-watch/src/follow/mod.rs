//! Follows growing files: each step of a log is passed on once, through rotation, truncation and rewriting.
//!
//! [`FollowedFiles`] holds a [`log_source::LogSource`] per path. A source reads its file through a
//! [`file_tail::FileTail`] and passes the bytes to the reader of a [`followed_log::FollowedLog`], which may have several
//! files. [`rotated_log::RotatedLog`] reads a rotated log to its end, [`new_file_classifier::NewFileClassifier`]
//! distinguishes new logs from rotated ones, and a [`WatchObserver`] receives the steps.

mod file_tail;
mod followed_files;
mod followed_log;
mod json_document;
mod log_source;
mod new_file_classifier;
mod open_files;
mod recognise_source;
mod record_files;
mod rotated_log;
#[cfg(test)]
mod tests;
mod watch_observer;

pub(crate) use followed_files::FollowedFiles;
pub(crate) use followed_log::StepOrigin;
pub(crate) use watch_observer::WatchObserver;
