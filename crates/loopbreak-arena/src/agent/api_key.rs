//! An API key that is never shown.

use std::fmt;

/// Replacement for a key in a text.
const MASK: &str = "***";

/// An API key. It is sent to the endpoint and shown nowhere.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// Creates a key.
    pub fn new(key: impl Into<String>) -> Self {
        ApiKey(key.into().trim().to_owned())
    }

    /// Returns the value of the authorization header.
    pub(super) fn header(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// Returns a text with the key masked.
    pub(super) fn hide_in(&self, text: &str) -> String {
        if self.0.is_empty() { text.to_owned() } else { text.replace(&self.0, MASK) }
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}
