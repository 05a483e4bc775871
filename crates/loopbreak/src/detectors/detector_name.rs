//! The names of detectors.

use super::custom_name::CustomName;
use super::name_text::impl_name_text;

/// Detectors of a run are called first, then those of an agent. Those of a series are never called for a
/// step.
macro_rules! scope_rank {
    (run) => {
        0
    };
    (agent) => {
        1_000
    };
    (series) => {
        2_000
    };
}

macro_rules! declare_names {
    ($(($folder:ident $name:ident $type:ident $settings:ident $scope:ident $position:literal $summary:literal $patterns:tt))*) => {
        /// The name of a detector: the `detector` value in all output.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum DetectorName {
            $(#[doc = concat!("`", stringify!($folder), "`: ", $summary)] $name,)*
            /// A detector of the user.
            Custom(CustomName),
        }

        const RANKED: &[(u32, DetectorName)] = &[$((scope_rank!($scope) + $position, DetectorName::$name),)*];

        impl DetectorName {
            /// Returns the name that all output uses.
            pub fn as_str(&self) -> &str {
                match self {
                    $(DetectorName::$name => stringify!($folder),)*
                    DetectorName::Custom(name) => name.as_str(),
                }
            }
        }
    };
}

for_each_detector!(declare_names);
impl_name_text!(DetectorName);

impl DetectorName {
    /// All detectors of Loopbreak, in the order in which they are called.
    pub const ALL: &'static [DetectorName] = &in_order::<_, { RANKED.len() }>(RANKED);
}

/// Sorts detectors by their rank. Those of one rank keep their order.
pub(super) const fn in_order<T: Copy, const N: usize>(ranked: &[(u32, T)]) -> [T; N] {
    let mut order = [0; N];
    let mut filled = 0;
    while filled < N {
        let mut at = filled;
        while at > 0 && ranked[order[at - 1]].0 > ranked[filled].0 {
            order[at] = order[at - 1];
            at -= 1;
        }
        order[at] = filled;
        filled += 1;
    }
    let mut sorted = [ranked[0].1; N];
    let mut index = 0;
    while index < N {
        sorted[index] = ranked[order[index]].1;
        index += 1;
    }
    sorted
}
