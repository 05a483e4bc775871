//! Facts about each detector, for the policy, the adapters and the documentation.

use super::{Detector, DetectorDocs, DetectorName, DetectorTexts, Pattern};
use crate::event::SafetyGuard;
use crate::evidence::Evidence;
use crate::name_enum::name_enum;
use crate::settings::{Mode, Settings};

name_enum! {
    /// The subject of a detector's findings. The documentation lists detectors in this order.
    "subject" pub enum DetectorSubject {
        /// Calls and their results.
        Call = "call",
        /// Errors.
        Error = "error",
        /// Waiting.
        Wait = "wait",
        /// The effect of steps.
        Effect = "effect",
        /// Outputs and messages.
        Output = "output",
        /// Progress.
        Progress = "progress",
        /// Limits.
        Limit = "limit",
        /// Several runs.
        Run = "run",
        /// Tasks.
        Task = "task",
        /// Places.
        Place = "place",
        /// Proposals.
        Proposal = "proposal",
        /// Anything that a detector of the user looks for.
        Custom = "custom",
    }
}

impl DetectorSubject {
    /// Returns whether its findings are loops that an agent can leave by changing its course. A limit is reached
    /// whatever the agent does, and a task stays what it is.
    pub const fn can_be_left(self) -> bool {
        !matches!(self, DetectorSubject::Limit | DetectorSubject::Task)
    }
}

macro_rules! declare_detector_facts {
    ($(($folder:ident $name:ident $type:ident $settings:ident $scope:ident $position:literal $summary:literal
        [$($pattern:ident = $text:literal),*]))*) => {
        impl DetectorName {
            /// Returns a summary in one sentence. Empty for a detector of the user.
            pub fn summary(&self) -> &'static str {
                match self {
                    $(DetectorName::$name => $summary,)*
                    DetectorName::Custom(_) => "",
                }
            }

            /// Returns the subject of its findings.
            pub fn subject(&self) -> DetectorSubject {
                match self {
                    $(DetectorName::$name => super::$folder::$type::SUBJECT,)*
                    DetectorName::Custom(_) => DetectorSubject::Custom,
                }
            }

            /// Returns the patterns that only this detector reports.
            pub fn patterns(&self) -> &'static [Pattern] {
                match self {
                    $(DetectorName::$name => &[$(Pattern::$pattern),*],)*
                    DetectorName::Custom(_) => &[],
                }
            }

            /// Returns whether a hook may refuse a call because of this detector.
            pub fn may_refuse_calls(&self) -> bool {
                match self {
                    $(DetectorName::$name => super::$folder::$type::MAY_REFUSE_CALLS,)*
                    DetectorName::Custom(_) => false,
                }
            }

            /// Returns whether a hook refuses a call because of this detector only after the agent was warned.
            pub fn warns_before_refusing(&self) -> bool {
                match self {
                    $(DetectorName::$name => super::$folder::$type::WARNS_BEFORE_REFUSING,)*
                    DetectorName::Custom(_) => false,
                }
            }

            /// Returns the safety guard that ends a run because of a pattern of this detector.
            pub(crate) fn safety_guard(&self, pattern: Pattern) -> SafetyGuard {
                match self {
                    $(DetectorName::$name => super::$folder::$type::safety_guard(pattern),)*
                    DetectorName::Custom(_) => SafetyGuard::LoopDetection,
                }
            }

            /// Returns how later warnings mention a finding, if not by its reason.
            pub(crate) fn label(&self, evidence: &Evidence) -> Option<String> {
                match self {
                    $(DetectorName::$name => super::$folder::$type::label(evidence),)*
                    DetectorName::Custom(_) => None,
                }
            }

            /// Returns the texts about its findings. None for a detector of the user.
            pub(crate) fn texts(&self) -> Option<&'static DetectorTexts> {
                match self {
                    $(DetectorName::$name => Some(super::$folder::$type::TEXTS),)*
                    DetectorName::Custom(_) => None,
                }
            }
        }

        impl Settings {
            /// Returns whether any enabled detector reads fingerprints.
            pub(crate) fn reads_fingerprints(&self) -> bool {
                $((super::$folder::$type::reads_fingerprints(&self.$folder)
                    && self.mode_of(DetectorName::$name) != Mode::Off))||*
            }

            /// Returns the number of recent places that the detectors need.
            pub(crate) fn place_history(&self) -> u32 {
                0_u32 $(.max(super::$folder::$type::place_history(&self.$folder)))*
            }
        }

        /// The templates that are declared with the detectors, in the order of the list.
        pub(crate) const DETECTOR_TEMPLATES: &[&[&crate::advice::Template]] =
            &[$(super::$folder::$type::TEXTS.templates),*];
    };
}

for_each_detector!(declare_detector_facts);

impl DetectorName {
    /// Returns the documentation, with the defaults of the options filled in. None for a detector of the user.
    pub fn docs(&self) -> Option<DetectorDocs> {
        let texts = self.texts()?;
        let settings = serde_json::to_value(Settings::default()).unwrap_or_default();
        let defaults = settings.get(self.as_str()).and_then(serde_json::Value::as_object);
        let fill = |text: &str| {
            let mut text = text.to_owned();
            for (option, value) in defaults.into_iter().flatten() {
                let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                text = text.replace(&format!("{{{option}}}"), &shown);
            }
            text
        };
        Some(DetectorDocs {
            summary: self.summary(),
            reads: fill(texts.reads),
            effect: fill(texts.effect),
            catches: fill(texts.catches),
            ignores: fill(texts.ignores),
            guide: fill(texts.guide),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_detector_has_documentation_without_open_placeholders() {
        for detector in DetectorName::ALL {
            let docs = detector.docs().unwrap();
            assert!(docs.guide.starts_with("**Catches** "), "{detector}");
            assert!(docs.guide.contains("**Does not catch** "), "{detector}");
            for text in [docs.reads, docs.effect, docs.catches, docs.ignores, docs.guide] {
                assert!(!text.contains('{') && !text.is_empty(), "{detector}: {text}");
            }
        }
    }

    #[test]
    fn the_guide_of_a_detector_names_all_its_patterns() {
        for detector in DetectorName::ALL {
            let guide = detector.docs().unwrap().guide;
            for pattern in detector.patterns() {
                assert!(guide.contains(&format!("`{pattern}`")), "{detector}: {pattern}");
            }
        }
    }
}
