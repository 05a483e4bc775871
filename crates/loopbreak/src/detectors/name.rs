//! Text forms of [`DetectorName`] and [`Pattern`]: parsing, display, JSON and comparison with plain text.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::custom_name::{CustomName, InvalidName};
use super::set::{DetectorName, Pattern};

macro_rules! named {
    ($($type:ident)*) => { $(
        impl FromStr for $type {
            type Err = InvalidName;

            /// Parses a name. A valid name that Loopbreak does not bring is taken for one that a user brought.
            fn from_str(text: &str) -> Result<Self, InvalidName> {
                match $type::ALL.iter().find(|known| known.as_str() == text) {
                    Some(known) => Ok(*known),
                    None => CustomName::new(text).map($type::Custom),
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl AsRef<str> for $type {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }

        impl PartialEq<str> for $type {
            fn eq(&self, other: &str) -> bool {
                self.as_str() == other
            }
        }

        impl PartialEq<&str> for $type {
            fn eq(&self, other: &&str) -> bool {
                self.as_str() == *other
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct NameVisitor;

                impl serde::de::Visitor<'_> for NameVisitor {
                    type Value = $type;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str("a name")
                    }

                    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<$type, E> {
                        text.parse().map_err(E::custom)
                    }
                }

                deserializer.deserialize_str(NameVisitor)
            }
        }
    )* };
}

named! { DetectorName Pattern }

/// Patterns sort by their names, as maps of them are written to JSON.
impl Ord for Pattern {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl PartialOrd for Pattern {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_back_from_its_text_and_its_json() {
        for pattern in Pattern::ALL {
            assert_eq!(pattern.as_str().parse(), Ok(*pattern));
            let json = serde_json::to_string(pattern).unwrap();
            assert_eq!(serde_json::from_str::<Pattern>(&json).unwrap(), *pattern);
        }
        for detector in DetectorName::ALL {
            assert_eq!(detector.as_str().parse(), Ok(*detector));
        }
    }

    #[test]
    fn no_two_patterns_and_no_two_detectors_share_a_name() {
        for (index, pattern) in Pattern::ALL.iter().enumerate() {
            assert!(Pattern::ALL[..index].iter().all(|other| other.as_str() != pattern.as_str()));
        }
        for (index, detector) in DetectorName::ALL.iter().enumerate() {
            assert!(DetectorName::ALL[..index].iter().all(|other| other.as_str() != detector.as_str()));
        }
    }

    #[test]
    fn an_unknown_name_is_one_that_a_user_brought() {
        let pattern: Pattern = "deploy_loop".parse().unwrap();
        assert_eq!(pattern, Pattern::Custom(CustomName::from_static("deploy_loop")));
        assert_eq!(serde_json::to_string(&pattern).unwrap(), r#""deploy_loop""#);
        assert!("Deploy loop".parse::<DetectorName>().is_err());
    }
}
