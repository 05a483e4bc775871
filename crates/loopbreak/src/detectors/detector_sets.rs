//! Dispatch: shows steps and proposals to every detector that is enabled.

use super::detector_name::in_order;
use super::report_latch::ReportLatch;
use super::{
    DetectionCollector, DetectorName, DetectorReport, ProposalContext, ProposalReview, StepContext,
    StepDetector,
};
use crate::event::Event;
use crate::memory::snapshot_type;
use crate::settings::{Mode, Settings};
use crate::verdict::StepProgress;

snapshot_type! {
    /// A detector and the loops it has already reported.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    struct DetectorSlot<D> {
        #[serde(rename = "d")]
        detector: D,
        #[serde(rename = "l")]
        latch: ReportLatch,
    }
}

/// Receives the findings of the detectors in a step.
pub(crate) struct ObservationOutput<'o> {
    pub(crate) reports: Vec<DetectorReport>,
    pub(crate) events: &'o mut Vec<Event>,
    pub(crate) progress: StepProgress,
}

impl<D: StepDetector> DetectorSlot<D> {
    fn observe(
        &mut self,
        detector: DetectorName,
        own: &D::Settings,
        context: &StepContext<'_>,
        step: u64,
        settings: &Settings,
        output: &mut ObservationOutput<'_>,
    ) {
        let mode = settings.mode_of(detector);
        if mode == Mode::Off {
            return;
        }
        if context.step.user.is_some() {
            self.latch.reset();
        }
        let mut out = DetectionCollector {
            detector,
            enforced: mode == Mode::Enforce,
            latch: &mut self.latch,
            step,
            repeat: settings.policy.repeat_advice,
            reports: &mut output.reports,
            events: output.events,
            progress: &mut output.progress,
        };
        self.detector.observe(context, own, &mut out);
    }

    fn weigh(
        &self,
        detector: DetectorName,
        own: &D::Settings,
        proposal: &ProposalContext<'_>,
        settings: &Settings,
        review: &mut ProposalReview,
    ) {
        let mode = settings.mode_of(detector);
        if mode != Mode::Off {
            review.speaker = Some((detector, mode == Mode::Enforce));
            self.detector.weigh(proposal, own, review);
        }
    }
}

/// Sorts the lines of the list by scope, and declares a set for each.
macro_rules! declare_sets {
    ($(($folder:ident $name:ident $type:ident $settings:ident $scope:ident $position:literal $($line:tt)*))*) => {
        declare_sets!(@sort [] [] [] $(($folder $name $type $scope $position))*);
    };
    (@sort [$($run:tt)*] [$($agent:tt)*] [$($series:tt)*] ($folder:ident $name:ident $type:ident run $at:literal) $($rest:tt)*) => {
        declare_sets!(@sort [$($run)* ($folder $name $type $at)] [$($agent)*] [$($series)*] $($rest)*);
    };
    (@sort [$($run:tt)*] [$($agent:tt)*] [$($series:tt)*] ($folder:ident $name:ident $type:ident agent $at:literal) $($rest:tt)*) => {
        declare_sets!(@sort [$($run)*] [$($agent)* ($folder $name $type $at)] [$($series)*] $($rest)*);
    };
    (@sort [$($run:tt)*] [$($agent:tt)*] [$($series:tt)*] ($folder:ident $name:ident $type:ident series $at:literal) $($rest:tt)*) => {
        declare_sets!(@sort [$($run)*] [$($agent)*] [$($series)* ($folder $name $type $at)] $($rest)*);
    };
    (@sort [$($run:tt)*] [$($agent:tt)*] [$(($folder:ident $name:ident $type:ident $at:literal))*]) => {
        declare_sets!(@set "The detectors that judge a run, whatever its agents." RunDetectors $($run)*);
        declare_sets!(@set "The detectors that judge each agent of a run." AgentDetectors $($agent)*);

        impl DetectorName {
            /// The detectors that judge several runs together. A guard sees one run and never reports for them.
            pub const OF_SERIES: &'static [DetectorName] = &[$(DetectorName::$name,)*];
        }
    };
    (@set $doc:literal $set:ident $(($folder:ident $name:ident $type:ident $at:literal))*) => {
        snapshot_type! {
            #[doc = $doc]
            #[derive(Clone, Debug, Default)]
            #[serde(default)]
            pub(crate) struct $set { $($folder: DetectorSlot<super::$folder::$type>,)* }
        }

        impl $set {
            const RANKED: &'static [(u32, DetectorName)] = &[$(($at, DetectorName::$name),)*];
            const ORDER: &'static [DetectorName] = &in_order::<{ Self::RANKED.len() }>(Self::RANKED);

            /// Shows a step to every detector that is enabled.
            pub(crate) fn observe(
                &mut self,
                context: &StepContext<'_>,
                step: u64,
                settings: &Settings,
                output: &mut ObservationOutput<'_>,
            ) {
                for detector in Self::ORDER {
                    match detector {
                        $(DetectorName::$name => {
                            self.$folder.observe(*detector, &settings.$folder, context, step, settings, output);
                        })*
                        _ => {}
                    }
                }
            }

            /// Asks every detector that is enabled to review a proposal.
            pub(crate) fn weigh(
                &self,
                proposal: &ProposalContext<'_>,
                settings: &Settings,
                review: &mut ProposalReview,
            ) {
                for detector in Self::ORDER {
                    match detector {
                        $(DetectorName::$name => {
                            self.$folder.weigh(*detector, &settings.$folder, proposal, settings, review);
                        })*
                        _ => {}
                    }
                }
            }
        }
    };
}

for_each_detector!(declare_sets);

impl RunDetectors {
    /// Returns the attempts at tasks, which a recovery clears.
    pub(crate) fn book(&mut self) -> &mut crate::tasks::TaskHistories {
        &mut self.task.detector.book
    }
}
