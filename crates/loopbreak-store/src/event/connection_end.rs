//! The reason why the connection of an MCP client ended.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

/// The reason why the connection of an MCP client ended, and with it the runs that it recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ConnectionEnd {
    /// The client closed its end of the streams.
    ClientLeft,
    /// The HTTP session was closed, by the client or because too many were open.
    SessionClosed,
    /// The HTTP session was idle for too long.
    SessionExpired,
    /// The server was asked to end.
    ServerStopped,
}

impl ConnectionEnd {
    /// Returns the reason in words.
    pub fn as_str(self) -> &'static str {
        match self {
            ConnectionEnd::ClientLeft => "the client disconnected",
            ConnectionEnd::SessionClosed => "the session was closed",
            ConnectionEnd::SessionExpired => "the session expired",
            ConnectionEnd::ServerStopped => "the server was stopped",
        }
    }
}

impl fmt::Display for ConnectionEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Reads a reason. One that this version does not know is left out, so that the end itself is still read.
pub(super) fn lenient<'de, D: Deserializer<'de>>(from: D) -> Result<Option<ConnectionEnd>, D::Error> {
    let value = serde_json::Value::deserialize(from)?;
    Ok(serde_json::from_value(value).ok())
}
