//! Notification about runs that should be stopped or need a human: a command that is started, and places that receive a message.
//!
//! | kind | option | file |
//! |---|---|---|
//! | any command | `--exec CMD` | `command_notifier` |
//! | a webhook with the whole notification as JSON | `--notify URL`, `--notify webhook=URL` | `loopbreak-notify` |
//! | an incoming webhook of Slack | `--notify slack=URL` | `loopbreak-notify` |
//! | a topic of ntfy | `--notify ntfy=URL` | `loopbreak-notify` |
//! | the desktop | `--notify desktop` | `desktop_notifier` |
//!
//! ```
//! use loopbreak_watch::notification::NotifierSet;
//!
//! # fn main() -> Result<(), loopbreak_watch::notification::NotifierError> {
//! let notifiers = NotifierSet::new(Some("notify-send loop"), &[], false)?;
//! assert!(!notifiers.is_empty());
//!
//! let error = NotifierSet::new(None, &["mail=me".to_owned()], false).unwrap_err();
//! assert_eq!(error.hint(), Some("use a URL such as https://example.com/hook, or slack=URL, ntfy=URL or desktop"));
//! # Ok(())
//! # }
//! ```

mod command_line;
mod command_notifier;
mod desktop_notifier;
mod http_notifier;
mod loop_notification;
mod notifier_error;
mod notifier_set;

pub use command_line::split_command_line;
pub use command_notifier::{COMMAND_VARIABLES, CommandNotifier, variable_value};
pub use desktop_notifier::DesktopNotifier;
pub use http_notifier::HttpNotifier;
pub use loop_notification::{LoopNotification, NotificationKey};
pub use loopbreak_notify::{HttpMessage, MessageForm, NotificationText};
pub use notifier_error::NotifierError;
pub use notifier_set::NotifierSet;
