//! The forms of messages.

use crate::NotificationText;
use crate::ntfy_message::ntfy_message;
use crate::slack_message::slack_message;

/// The form of the messages that a receiver expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageForm {
    /// The whole notification as a JSON object.
    Webhook,
    /// An incoming webhook of Slack.
    Slack,
    /// A topic of ntfy.
    Ntfy,
}

impl MessageForm {
    /// All forms.
    pub const ALL: [MessageForm; 3] = [MessageForm::Webhook, MessageForm::Slack, MessageForm::Ntfy];

    /// Returns the name in options, in configuration files and in all output.
    pub fn as_str(self) -> &'static str {
        match self {
            MessageForm::Webhook => "webhook",
            MessageForm::Slack => "slack",
            MessageForm::Ntfy => "ntfy",
        }
    }

    /// Renders a notification, given as a text for people and as a JSON object for programs.
    pub fn render(self, text: &NotificationText, json: &str) -> HttpMessage {
        match self {
            MessageForm::Webhook => HttpMessage {
                headers: vec![("content-type", "application/json".to_owned())],
                body: json.to_owned(),
            },
            MessageForm::Slack => slack_message(text),
            MessageForm::Ntfy => ntfy_message(text),
        }
    }
}

/// One request: its headers and its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpMessage {
    /// Headers in addition to the usual ones.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: String,
}
