//! The list of detectors, and how a step is shown to each of them.

use serde::{Deserialize, Serialize};

use super::custom_name::CustomName;
use super::report_latch::ReportLatch;
use super::{DetectionCollector, Detector, DetectorReport, ProposalContext, ProposalReview, StepContext};
use crate::event::Event;
use crate::settings::{Mode, Settings};
use crate::verdict::StepProgress;

/// A detector with the memory of what it reported.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct DetectorSlot<D> {
    #[serde(rename = "d")]
    detector: D,
    #[serde(rename = "l")]
    latch: ReportLatch,
}

/// Where a step's sightings go.
pub(crate) struct ObservationOutput<'o> {
    pub(crate) reports: Vec<DetectorReport>,
    pub(crate) events: &'o mut Vec<Event>,
    pub(crate) progress: StepProgress,
}

macro_rules! detectors {
    (
        shared [$($shared:ident = $shared_text:literal),*]
        series { $($over:ident => $over_name:ident [$($over_pattern:ident = $over_text:literal),*],)* }
        $(#[$set_doc:meta] $set:ident { $($field:ident: $type:ty => $name:ident [$($pattern:ident = $text:literal),*],)* })*
    ) => {
        /// The name of a detector: the `detector` value in all output.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum DetectorName {
            $($(#[doc = concat!("`", stringify!($field), "`")] $name,)*)*
            $(#[doc = concat!("`", stringify!($over), "`, of a series")] $over_name,)*
            /// A detector that a user brought.
            Custom(CustomName),
        }

        impl DetectorName {
            /// All detectors that Loopbreak brings.
            pub const ALL: &'static [DetectorName] = &[$($(DetectorName::$name,)*)* $(DetectorName::$over_name,)*];

            /// Those that judge many runs together; a guard, which sees one, never speaks for them.
            pub const OF_SERIES: &'static [DetectorName] = &[$(DetectorName::$over_name,)*];

            /// Returns the name in all output.
            pub fn as_str(&self) -> &str {
                match self {
                    $($(DetectorName::$name => stringify!($field),)*)*
                    $(DetectorName::$over_name => stringify!($over),)*
                    DetectorName::Custom(name) => name.as_str(),
                }
            }
        }

        /// What a detector found: the `pattern` value in all output.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Pattern {
            $($($(#[doc = concat!("`", $text, "`, of `", stringify!($field), "`")] $pattern,)*)*)*
            $($(#[doc = concat!("`", $over_text, "`, of `", stringify!($over), "`")] $over_pattern,)*)*
            $(#[doc = concat!("`", $shared_text, "`, of several detectors")] $shared,)*
            /// A pattern of a detector that a user brought.
            Custom(CustomName),
        }

        impl Pattern {
            /// All patterns of the detectors that Loopbreak brings.
            pub const ALL: &'static [Pattern] =
                &[$($($(Pattern::$pattern,)*)*)* $($(Pattern::$over_pattern,)*)* $(Pattern::$shared,)*];

            /// Returns the name in all output.
            pub fn as_str(&self) -> &str {
                match self {
                    $($($(Pattern::$pattern => $text,)*)*)*
                    $($(Pattern::$over_pattern => $over_text,)*)*
                    $(Pattern::$shared => $shared_text,)*
                    Pattern::Custom(name) => name.as_str(),
                }
            }
        }

        impl Settings {
            /// Whether a detector acts, only observes, or is off: its own mode, unless the whole guard does less.
            pub fn mode_of(&self, detector: DetectorName) -> Mode {
                let own = match detector {
                    $($(DetectorName::$name => self.$field.mode,)*)*
                    $(DetectorName::$over_name => self.$over.mode,)*
                    DetectorName::Custom(_) => Mode::Enforce,
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
                    // A detector that a user brought has no settings here.
                    DetectorName::Custom(_) => {}
                }
                self
            }
        }

        $(
            #[$set_doc]
            #[derive(Clone, Debug, Default, Serialize, Deserialize)]
            #[serde(default)]
            pub(crate) struct $set { $($field: DetectorSlot<$type>,)* }

            impl $set {
                /// Shows a step to every detector that is on.
                pub(crate) fn observe(&mut self, context: &StepContext<'_>, step: u64, settings: &Settings, sink: &mut ObservationOutput<'_>) {
                    $(
                        let mode = settings.mode_of(DetectorName::$name);
                        if mode != Mode::Off {
                            if context.step.user.is_some() {
                                self.$field.latch.reset();
                            }
                            let mut out = DetectionCollector {
                                detector: DetectorName::$name,
                                acted: mode == Mode::Enforce,
                                latch: &mut self.$field.latch,
                                step,
                                repeat: settings.policy.repeat_advice,
                                reports: &mut sink.reports,
                                events: sink.events,
                                progress: &mut sink.progress,
                            };
                            self.$field.detector.observe(context, &settings.$field, &mut out);
                        }
                    )*
                }

                /// What all of them take in a snapshot, at most.
                pub(crate) fn bytes(&self, digits: usize) -> usize {
                    2 $(+ 24 + stringify!($field).len() + self.$field.latch.bytes() + self.$field.detector.bytes(digits))*
                }

                /// Asks every detector that is on for its opinion of a proposal.
                pub(crate) fn weigh(&self, proposal: &ProposalContext<'_>, settings: &Settings, review: &mut ProposalReview) {
                    $(
                        let mode = settings.mode_of(DetectorName::$name);
                        if mode != Mode::Off {
                            review.speaker = Some((DetectorName::$name, mode == Mode::Enforce));
                            self.$field.detector.weigh(proposal, &settings.$field, review);
                        }
                    )*
                }
            }
        )*
    };
}

detectors! {
    shared [RefusedReturn = "refused_return", RefusedRepeat = "refused_repeat"]
    series {
        restart => Restart [DiesYoung = "dies_young", Spawning = "spawning"],
    }
    /// Judged per run, whatever its agents.
    RunDetectors {
        budget: super::budget::Budget => Budget [MaxIterations = "max_iterations", MaxRuntime = "max_runtime", MaxCost = "max_cost"],
        stagnation: super::stagnation::Stagnation => Stagnation [StuckNoProgress = "stuck_no_progress"],
        task: super::task::Tasks => Task [CompletedTaskRevisit = "completed_task_revisit", BlockedTaskSpin = "blocked_task_spin", NoProgressRepeat = "no_progress_repeat"],
        similarity: super::similarity::Similarity => Similarity [SimilarOutput = "similar_output"],
        recurrence: super::recurrence::Recurrence => Recurrence [Recycling = "recycling", Again = "again"],
        noop: super::noop::Noop => Noop [NoChange = "no_change", NoEffect = "no_effect", Undone = "undone", Idle = "idle"],
    }
    /// Judged per agent. A ruling is adjusted in this order.
    AgentDetectors {
        oscillation: super::oscillation::Oscillation => Oscillation [Oscillation = "oscillation"],
        camping: super::camping::Camping => Camping [Camping = "camping"],
        revisit: super::revisit::Revisit => Revisit [Revisit = "revisit"],
        novelty: super::novelty::Novelty => Novelty [RepeatedAction = "repeated_action", UnexploredExits = "unexplored_exits"],
        signature: super::signature::Signature => Signature [RepeatedSignature = "repeated_signature"],
        errors: super::errors::Errors => Errors [ConsecutiveErrors = "consecutive_errors"],
        cycle: super::cycle::Cycle => Cycle [Cycle = "cycle", Circuit = "circuit"],
        failing_target: super::failing_target::FailingTarget => FailingTarget [FailingTarget = "failing_target"],
        drift: super::drift::Drift => Drift [SameFailure = "same_failure", VainEdits = "vain_edits", Rephrased = "rephrased", Sweep = "sweep"],
        poll: super::poll::Poll => Poll [DeadPoll = "dead_poll"],
        chant: super::chant::Chants => Chant [Chant = "chant", RepeatedMessage = "repeated_message"],
    }
}

impl RunDetectors {
    /// The attempts at tasks, which a recovery clears.
    pub(crate) fn book(&mut self) -> &mut crate::tasks::TaskHistories {
        &mut self.task.detector.book
    }
}
