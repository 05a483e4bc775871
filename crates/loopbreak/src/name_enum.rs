//! Enums whose variants are names in JSON: the name is declared once.

/// A text that is not one of the names of an enum.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} {text:?}: use one of {}", .known.join(", "))]
pub struct UnknownName {
    pub(crate) what: &'static str,
    pub(crate) text: String,
    pub(crate) known: Vec<&'static str>,
}

/// Declares an enum of names, each with its text in JSON. Adds `ALL`, `as_str`, `Display`, `FromStr` and both
/// directions of serde.
macro_rules! name_enum {
    (
        $(#[$meta:meta])*
        $what:literal $vis:vis enum $type:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)+ }
    ) => {
        $(#[$meta])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
        )]
        #[non_exhaustive]
        $vis enum $type { $($(#[$doc])* #[serde(rename = $text)] $variant,)+ }

        impl $type {
            /// All values, in the order of their declaration.
            pub const ALL: &'static [$type] = &[$($type::$variant,)+];

            /// Returns the name that all output uses.
            pub const fn as_str(self) -> &'static str {
                match self { $($type::$variant => $text,)+ }
            }
        }

        impl $crate::memory::SnapshotSize for $type {
            fn max_bytes(_: usize) -> usize {
                const { $crate::memory::longest_name(&[$($text),+]) }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::name_enum::UnknownName;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                $type::ALL.iter().copied().find(|known| known.as_str() == text).ok_or_else(|| {
                    $crate::name_enum::UnknownName {
                        what: $what,
                        text: text.to_owned(),
                        known: $type::ALL.iter().map(|known| known.as_str()).collect(),
                    }
                })
            }
        }
    };
}

pub(crate) use name_enum;

#[cfg(test)]
mod tests {
    use crate::Intervention;

    #[test]
    fn every_name_is_read_back_from_its_text_and_its_json() {
        for intervention in Intervention::ALL {
            assert_eq!(intervention.to_string().parse(), Ok(*intervention));
            let json = serde_json::to_string(intervention).unwrap();
            assert_eq!(json, format!("{:?}", intervention.as_str()));
            assert_eq!(serde_json::from_str::<Intervention>(&json).unwrap(), *intervention);
        }
    }

    #[test]
    fn an_unknown_name_is_an_error_that_lists_the_known_ones() {
        let error = "kill".parse::<Intervention>().unwrap_err().to_string();
        assert!(error.starts_with("unknown intervention \"kill\": use one of hint, warn, "), "{error}");
    }
}
