//! A key that nobody gets to see.

use std::fmt;

/// What stands where a key stood.
const MASK: &str = "***";

/// A key. It is shown to the endpoint and to nobody else.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// A key.
    pub fn new(key: impl Into<String>) -> Self {
        ApiKey(key.into().trim().to_owned())
    }

    /// What goes to the endpoint.
    pub(super) fn header(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// A text without the key.
    pub(super) fn hide_in(&self, text: &str) -> String {
        if self.0.is_empty() { text.to_owned() } else { text.replace(&self.0, MASK) }
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}
