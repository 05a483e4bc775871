//! A notification for an incoming webhook of Slack.

use serde_json::json;

use crate::{HttpMessage, NotificationText};

/// Renders a notification for Slack: blocks, and a text for places that show no blocks. The blocks are plain text, and the text has its
/// special characters escaped, so nothing in a log can become a link or a mention.
pub(crate) fn slack_message(text: &NotificationText) -> HttpMessage {
    let plain = |text: &str| json!({"type": "plain_text", "text": text, "emoji": false});
    let body = json!({
        "text": escape(&format!("{}: {}", text.title, text.reason)),
        "blocks": [
            {"type": "header", "text": plain(&text.title)},
            {"type": "section", "text": plain(&text.reason)},
            {"type": "context", "elements": [plain(&text.place)]},
        ],
    });
    let headers = vec![("content-type", "application/json".to_owned())];
    HttpMessage { headers, body: body.to_string() }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
