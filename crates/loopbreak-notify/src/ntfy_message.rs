//! A notification for a topic of ntfy.

use crate::{HttpMessage, NotificationText};

/// Renders a notification for ntfy: title and priority as headers, the rest as the text.
pub(crate) fn ntfy_message(text: &NotificationText) -> HttpMessage {
    // Headers are ASCII. The text has the name of the run as well, so nothing is lost.
    let visible = |char: char| if char.is_ascii_graphic() || char == ' ' { char } else { '?' };
    let title: String = text.title.chars().map(visible).collect();
    let headers = vec![
        ("content-type", "text/plain; charset=utf-8".to_owned()),
        ("title", title),
        ("priority", "high".to_owned()),
        ("tags", "warning".to_owned()),
    ];
    HttpMessage { headers, body: format!("{}\n{}", text.title, text.body()) }
}
