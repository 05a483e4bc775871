//! Replies of HTTP/1.1 that close the connection.

use std::io::{self, Write};

use serde_json::{Value, json};

/// A reply.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum HttpReply {
    /// A JSON value.
    Json(Value),
    /// A stream of events, as text.
    EventStream(String),
    /// Nothing is known under this path.
    NotFound,
}

impl HttpReply {
    /// Collects events into a stream, each with the name of its type where one is given.
    pub(super) fn stream<'n>(events: impl IntoIterator<Item = (Option<&'n str>, Value)>) -> Self {
        let mut text = String::new();
        for (name, data) in events {
            if let Some(name) = name {
                text.extend(["event: ", name, "\n"]);
            }
            text.extend(["data: ", &data.to_string(), "\n\n"]);
        }
        HttpReply::EventStream(text)
    }

    /// Writes the reply.
    pub(super) fn write(&self, writer: &mut impl Write) -> io::Result<()> {
        let (status, kind, body) = match self {
            HttpReply::Json(value) => ("200 OK", "application/json", value.to_string()),
            HttpReply::EventStream(text) => ("200 OK", "text/event-stream", text.clone()),
            HttpReply::NotFound => {
                let error = json!({"error": {"type": "not_found_error", "message": "not found"}});
                ("404 Not Found", "application/json", error.to_string())
            }
        };
        write!(
            writer,
            "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        )?;
        writer.flush()
    }
}
