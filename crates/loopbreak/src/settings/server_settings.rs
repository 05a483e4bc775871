//! The service that hooks and the MCP server ask.

use serde::{Deserialize, Serialize};

use super::TimeSpan;

/// The service that hooks and the MCP server ask. Only your own configuration and a trusted file can name one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ServerSettings {
    /// Address of the service, such as `https://loops.example`. If it is empty, only the local guard is asked. The environment
    /// variable `LOOPBREAK_SERVER` has priority.
    pub url: String,
    /// File with the token for the service. Only you may be able to read it. The environment variable `LOOPBREAK_TOKEN` has
    /// priority.
    pub token_file: String,
    /// Time in which the service has to answer, from 10 ms to 10 s. After that, the local guard decides. The environment variable
    /// `LOOPBREAK_SERVER_TIMEOUT`, in milliseconds, has priority.
    pub timeout: TimeSpan,
    /// File with the certificates of your authority, in PEM. If it is empty, the public ones are trusted.
    pub ca_file: String,
    /// Allow `http://` addresses of other machines. The token and the steps are then sent without encryption.
    pub plain_http: bool,
}

impl Default for ServerSettings {
    fn default() -> Self {
        ServerSettings {
            url: String::new(),
            token_file: String::new(),
            timeout: TimeSpan { millis: 150 },
            ca_file: String::new(),
            plain_http: false,
        }
    }
}
