//! The list of detectors, and how a step is shown to each of them.

use serde::{Deserialize, Serialize};

use super::latch::Latch;
use super::{Bid, Detector, Draft, Report, Scene, Sightings};
use crate::config::{Mode, Settings};
use crate::event::Event;
use crate::verdict::StepProgress;

/// A detector with the memory of what it reported.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Slot<D> {
    #[serde(rename = "d")]
    detector: D,
    #[serde(rename = "l")]
    latch: Latch,
}

/// Where a step's sightings go.
pub(crate) struct Sink<'o> {
    pub(crate) reports: Vec<Report>,
    pub(crate) events: &'o mut Vec<Event>,
    pub(crate) progress: StepProgress,
}

macro_rules! detectors {
    (series { $($over:ident => $over_name:ident,)* } $(#[$set_doc:meta] $set:ident { $($field:ident: $type:ty => $name:ident,)* })*) => {
        /// The name of a detector: the `detector` value in all output.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum DetectorName {
            $($(#[doc = concat!("`", stringify!($field), "`")] $name,)*)*
            $(#[doc = concat!("`", stringify!($over), "`, of a series")] $over_name,)*
        }

        impl DetectorName {
            /// All detectors.
            pub const ALL: &'static [DetectorName] = &[$($(DetectorName::$name,)*)* $(DetectorName::$over_name,)*];

            /// Those that judge many runs together; a guard, which sees one, never speaks for them.
            pub const OF_SERIES: &'static [DetectorName] = &[$(DetectorName::$over_name,)*];

            /// The name in all output.
            pub fn as_str(self) -> &'static str {
                match self {
                    $($(DetectorName::$name => stringify!($field),)*)*
                    $(DetectorName::$over_name => stringify!($over),)*
                }
            }
        }

        impl Settings {
            /// Whether a detector acts, only observes, or is off: its own mode, unless the whole guard does less.
            pub fn mode_of(&self, detector: DetectorName) -> Mode {
                let own = match detector {
                    $($(DetectorName::$name => self.$field.mode,)*)*
                    $(DetectorName::$over_name => self.$over.mode,)*
                };
                match (self.mode, own) {
                    (Mode::Off, _) | (_, Mode::Off) => Mode::Off,
                    (Mode::Observe, _) | (_, Mode::Observe) => Mode::Observe,
                    (Mode::Enforce, Mode::Enforce) => Mode::Enforce,
                }
            }

            /// The same settings with one detector's mode changed.
            #[must_use]
            pub fn with_mode(mut self, detector: DetectorName, mode: Mode) -> Self {
                match detector {
                    $($(DetectorName::$name => self.$field.mode = mode,)*)*
                    $(DetectorName::$over_name => self.$over.mode = mode,)*
                }
                self
            }
        }

        $(
            #[$set_doc]
            #[derive(Clone, Debug, Default, Serialize, Deserialize)]
            #[serde(default)]
            pub(crate) struct $set { $($field: Slot<$type>,)* }

            impl $set {
                /// Shows a step to every detector that is on.
                pub(crate) fn observe(&mut self, scene: &Scene<'_>, step: u64, settings: &Settings, sink: &mut Sink<'_>) {
                    $(
                        let mode = settings.mode_of(DetectorName::$name);
                        if mode != Mode::Off {
                            if scene.step.user.is_some() {
                                self.$field.latch.reset();
                            }
                            let mut out = Sightings {
                                detector: DetectorName::$name,
                                acted: mode == Mode::Enforce,
                                latch: &mut self.$field.latch,
                                step,
                                repeat: settings.policy.repeat_advice,
                                reports: &mut sink.reports,
                                events: sink.events,
                                progress: &mut sink.progress,
                            };
                            self.$field.detector.observe(scene, &settings.$field, &mut out);
                        }
                    )*
                }

                /// What all of them take in a snapshot, at most.
                pub(crate) fn bytes(&self, digits: usize) -> usize {
                    2 $(+ 24 + stringify!($field).len() + self.$field.latch.bytes() + self.$field.detector.bytes(digits))*
                }

                /// Asks every detector that is on for its opinion of a proposal.
                pub(crate) fn weigh(&self, bid: &Bid<'_>, settings: &Settings, draft: &mut Draft) {
                    $(
                        let mode = settings.mode_of(DetectorName::$name);
                        if mode != Mode::Off {
                            draft.speaker = Some((DetectorName::$name, mode == Mode::Enforce));
                            self.$field.detector.weigh(bid, &settings.$field, draft);
                        }
                    )*
                }
            }
        )*
    };
}

detectors! {
    series {
        restart => Restart,
    }
    /// Judged per run, whatever its agents.
    RunDetectors {
        budget: super::budget::Budget => Budget,
        stagnation: super::stagnation::Stagnation => Stagnation,
        task: super::task::Tasks => Task,
        similarity: super::similarity::Similarity => Similarity,
        recurrence: super::recurrence::Recurrence => Recurrence,
        noop: super::noop::Noop => Noop,
    }
    /// Judged per agent. A ruling is adjusted in this order.
    AgentDetectors {
        oscillation: super::oscillation::Oscillation => Oscillation,
        camping: super::camping::Camping => Camping,
        revisit: super::revisit::Revisit => Revisit,
        novelty: super::novelty::Novelty => Novelty,
        signature: super::signature::Signature => Signature,
        errors: super::errors::Errors => Errors,
        cycle: super::cycle::Cycle => Cycle,
        failing_target: super::failing_target::FailingTarget => FailingTarget,
        drift: super::drift::Drift => Drift,
        poll: super::poll::Poll => Poll,
        chant: super::chant::Chants => Chant,
    }
}

impl RunDetectors {
    /// The attempts at tasks, which a recovery clears.
    pub(crate) fn book(&mut self) -> &mut crate::tasks::Book {
        &mut self.task.detector.book
    }
}

impl std::fmt::Display for DetectorName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
