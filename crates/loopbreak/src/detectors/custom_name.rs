//! Short names that a user gives to a detector or a pattern of their own.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// Longest custom name, in bytes.
const MAX_BYTES: usize = 31;

/// The name of a user's own detector or pattern: 1 to 31 lower-case ASCII letters, digits and underscores.
///
/// The text is stored inline, so that names stay `Copy` and findings own everything they refer to.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CustomName {
    length: u8,
    // Bytes after `length` are zero, so that derived equality and hashing agree with the text.
    bytes: [u8; MAX_BYTES],
}

/// A text that cannot be the name of a detector or a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid name: use 1 to {MAX_BYTES} lower-case letters, digits and underscores")]
pub struct InvalidName;

impl CustomName {
    /// Checks a name and stores it.
    ///
    /// # Errors
    ///
    /// Returns [`InvalidName`] if the text is empty, is longer than 31 bytes, or contains anything but
    /// lower-case ASCII letters, digits and underscores.
    pub const fn new(text: &str) -> Result<Self, InvalidName> {
        let source = text.as_bytes();
        if source.is_empty() || source.len() > MAX_BYTES {
            return Err(InvalidName);
        }
        let mut bytes = [0; MAX_BYTES];
        let mut index = 0;
        while index < source.len() {
            if !matches!(source[index], b'a'..=b'z' | b'0'..=b'9' | b'_') {
                return Err(InvalidName);
            }
            bytes[index] = source[index];
            index += 1;
        }
        #[expect(clippy::cast_possible_truncation, reason = "the length is at most 31")]
        let length = source.len() as u8;
        Ok(CustomName { length, bytes })
    }

    /// Stores a name that is known at compile time.
    ///
    /// # Panics
    ///
    /// Panics if [`CustomName::new`] returns an error. In a `const`, this is a compile error.
    pub const fn from_static(text: &'static str) -> Self {
        match CustomName::new(text) {
            Ok(name) => name,
            Err(InvalidName) => panic!("invalid custom name"),
        }
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }
}

impl FromStr for CustomName {
    type Err = InvalidName;

    fn from_str(text: &str) -> Result<Self, InvalidName> {
        CustomName::new(text)
    }
}

impl fmt::Display for CustomName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for CustomName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl Ord for CustomName {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl PartialOrd for CustomName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_a_valid_name_and_refuses_others() {
        let longest = "a".repeat(MAX_BYTES);
        for name in ["x", "deploy_loop_2", &longest] {
            assert_eq!(CustomName::new(name).unwrap().as_str(), name);
        }
        for name in ["", "Deploy", "two words", "é", &"a".repeat(MAX_BYTES + 1)] {
            assert_eq!(CustomName::new(name), Err(InvalidName), "{name:?}");
        }
    }

    #[test]
    fn sorts_as_text() {
        let name = CustomName::from_static;
        assert!(name("ab") < name("b"));
        assert!(name("a") < name("ab"));
    }
}
