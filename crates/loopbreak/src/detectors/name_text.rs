//! Text forms of names: parsing, display, JSON, and comparison with plain text.

/// Implements the text forms of an enum of names with `ALL`, `as_str` and a variant `Custom`.
macro_rules! impl_name_text {
    ($type:ident) => {
        impl std::str::FromStr for $type {
            type Err = crate::detectors::InvalidName;

            /// Parses a name. A valid name that Loopbreak does not know is treated as a custom name of the
            /// user.
            fn from_str(text: &str) -> Result<Self, crate::detectors::InvalidName> {
                match $type::ALL.iter().find(|known| known.as_str() == text) {
                    Some(known) => Ok(*known),
                    None => crate::detectors::CustomName::new(text).map($type::Custom),
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
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

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct NameVisitor;

                impl serde::de::Visitor<'_> for NameVisitor {
                    type Value = $type;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("a name")
                    }

                    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<$type, E> {
                        text.parse().map_err(E::custom)
                    }
                }

                deserializer.deserialize_str(NameVisitor)
            }
        }
    };
}

pub(super) use impl_name_text;

#[cfg(test)]
mod tests {
    use crate::detectors::{CustomName, DetectorName, Pattern};

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
    fn an_unknown_name_becomes_a_custom_name() {
        let pattern: Pattern = "deploy_loop".parse().unwrap();
        assert_eq!(pattern, Pattern::Custom(CustomName::from_static("deploy_loop")));
        assert_eq!(serde_json::to_string(&pattern).unwrap(), r#""deploy_loop""#);
        assert!("Deploy loop".parse::<DetectorName>().is_err());
    }
}
