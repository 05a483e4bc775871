//! Messages to webhooks, Slack and ntfy.
//!
//! ```
//! use loopbreak_notify::{HttpSender, MessageForm, NotificationText};
//!
//! # fn main() -> Result<(), loopbreak_notify::AddressError> {
//! let sender = HttpSender::new("https://hooks.example/services/T0/B0/secret")?;
//! assert_eq!(sender.place(), "https://hooks.example", "the rest may be a secret");
//!
//! let text = NotificationText::new("Loopbreak: job <1> needs you", "3 equal calls", "log.jsonl:4");
//! let message = MessageForm::Slack.render(&text, "{}");
//! assert!(message.body.contains("job &lt;1&gt; needs you"));
//! # Ok(())
//! # }
//! ```

mod http_message;
mod http_sender;
mod notification_text;
mod ntfy_message;
mod slack_message;

pub use http_message::{HttpMessage, MessageForm};
pub use http_sender::{AddressError, HttpSender, SendError};
pub use notification_text::NotificationText;
