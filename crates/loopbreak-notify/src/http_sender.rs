//! Sending a message: one POST, with a time limit, to the host that was named and no other.

use std::fmt;
use std::time::Duration;

use crate::HttpMessage;

/// Time limit of one attempt.
const TIMEOUT: Duration = Duration::from_secs(10);

/// An address that messages are sent to.
#[derive(Clone)]
pub struct HttpSender {
    agent: ureq::Agent,
    url: String,
    place: String,
}

/// An address that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddressError {
    /// The address cannot be parsed.
    #[error("invalid URL")]
    Invalid,
    /// The address has another scheme than `http` or `https`.
    #[error("the URL must begin with http:// or https://")]
    UnsupportedScheme,
    /// The address needs the feature `https`, which this build does not have.
    #[error("this build of loopbreak cannot send to https:// URLs")]
    HttpsDisabled,
}

/// A message that was not accepted. The text has no part of the address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct SendError {
    /// Description of the failure.
    pub reason: String,
    /// True if another attempt may succeed.
    pub again: bool,
}

impl HttpSender {
    /// Prepares sending to an address.
    pub fn new(url: &str) -> Result<Self, AddressError> {
        let uri: ureq::http::Uri = url.parse().map_err(|_| AddressError::Invalid)?;
        let (Some(scheme @ ("http" | "https")), Some(host)) = (uri.scheme_str(), uri.host()) else {
            return Err(AddressError::UnsupportedScheme);
        };
        if scheme == "https" && cfg!(not(feature = "https")) {
            return Err(AddressError::HttpsDisabled);
        }
        let agent = ureq::Agent::config_builder()
            .timeout_global(Some(TIMEOUT))
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .user_agent(concat!("loopbreak/", env!("CARGO_PKG_VERSION")))
            .build()
            .into();
        let place = format!("{scheme}://{host}");
        Ok(HttpSender { agent, url: url.to_owned(), place })
    }

    /// Returns the part of the address that may be shown: the path of many webhooks is a secret.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Makes one attempt, which takes at most ten seconds.
    pub fn send(&self, message: &HttpMessage) -> Result<(), SendError> {
        let mut request = self.agent.post(&self.url);
        for (name, value) in &message.headers {
            request = request.header(*name, value);
        }
        let failed = |reason: String, again: bool| Err(SendError { reason, again });
        match request.send(&message.body) {
            Ok(answer) if answer.status().is_success() => Ok(()),
            Ok(answer) => {
                let status = answer.status();
                let again = status.is_server_error() || matches!(status.as_u16(), 408 | 429);
                failed(format!("answered {status}"), again)
            }
            // The messages of the library may contain the whole address.
            Err(ureq::Error::Timeout(_)) => failed("timed out".to_owned(), true),
            Err(ureq::Error::HostNotFound) => failed("host not found".to_owned(), true),
            Err(ureq::Error::Io(error)) => failed(error.to_string(), true),
            Err(_) => failed("unreachable".to_owned(), true),
        }
    }
}

impl fmt::Debug for HttpSender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpSender").field("place", &self.place).finish_non_exhaustive()
    }
}
