//! The patterns of findings.

use super::custom_name::CustomName;
use super::name_text::impl_name_text;

macro_rules! declare_patterns {
    ($(($folder:ident $name:ident $type:ident $settings:ident $scope:ident $position:literal $summary:literal
        [$($pattern:ident = $text:literal),*]))*) => {
        /// The kind of loop that a finding is about: the `pattern` value in all output.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Pattern {
            $($(#[doc = concat!("`", $text, "`, of `", stringify!($folder), "`.")] $pattern,)*)*
            /// `refused_return`, of the detectors of places: a proposal was refused because it returns to a place.
            RefusedReturn,
            /// `refused_repeat`, of the detectors of calls: a proposal was refused because it continues a loop.
            RefusedRepeat,
            /// A pattern of the user.
            Custom(CustomName),
        }

        impl Pattern {
            /// All patterns of Loopbreak's detectors.
            pub const ALL: &'static [Pattern] =
                &[$($(Pattern::$pattern,)*)* Pattern::RefusedReturn, Pattern::RefusedRepeat];

            /// Returns the name that all output uses.
            pub fn as_str(&self) -> &str {
                match self {
                    $($(Pattern::$pattern => $text,)*)*
                    Pattern::RefusedReturn => "refused_return",
                    Pattern::RefusedRepeat => "refused_repeat",
                    Pattern::Custom(name) => name.as_str(),
                }
            }
        }
    };
}

for_each_detector!(declare_patterns);
impl_name_text!(Pattern);

/// Patterns sort by their names, as maps of them are written to JSON.
impl Ord for Pattern {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl PartialOrd for Pattern {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
