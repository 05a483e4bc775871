//! A notification for a webhook: the whole of it as a JSON object.

use super::{HttpMessage, LoopNotification};

/// Renders a notification for a webhook.
pub(super) fn webhook_message(notification: &LoopNotification) -> Option<HttpMessage> {
    let body = serde_json::to_string(notification).ok()?;
    Some(HttpMessage { headers: vec![("content-type", "application/json".to_owned())], body })
}
