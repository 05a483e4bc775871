//! Notification about runs that should be stopped or need a human: a command that is started, and webhooks.
//!
//! ```
//! use loopbreak_watch::notification::NotifierSet;
//!
//! # fn main() -> Result<(), loopbreak_watch::notification::NotifierError> {
//! let notifiers = NotifierSet::new(Some("notify-send loop"), &[], false)?;
//! assert!(!notifiers.is_empty());
//!
//! let error = NotifierSet::new(None, &["mail=me".to_owned()], false).unwrap_err();
//! assert_eq!(error.hint(), Some("use the form https://example.com/hook or webhook=https://example.com/hook"));
//! # Ok(())
//! # }
//! ```

mod command_line;
mod command_notifier;
mod loop_notification;
mod notifier_error;
mod notifier_set;
mod webhook_notifier;

pub use command_line::split_command_line;
pub use command_notifier::{COMMAND_VARIABLES, CommandNotifier, variable_value};
pub use loop_notification::{LoopNotification, NotificationKey};
pub use notifier_error::NotifierError;
pub use notifier_set::NotifierSet;
pub use webhook_notifier::WebhookNotifier;
