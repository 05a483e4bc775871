//! Dispatch: shows steps and proposals to every detector that is enabled.

use super::detector_name::in_order;
use super::report_latch::ReportLatch;
use super::{
    DetectionCollector, DetectorName, DetectorReport, DetectorSettings, ProposalContext, ProposalReview,
    StepContext, StepDetector,
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
    #[inline]
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
        if context.origin.user {
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

    #[inline]
    fn weigh(
        &self,
        detector: DetectorName,
        own: &D::Settings,
        proposal: &ProposalContext<'_>,
        settings: &Settings,
        review: &mut ProposalReview,
    ) {
        let mode = settings.mode_of(detector);
        if mode == Mode::Off {
            return;
        }
        review.speaker = Some((detector, mode == Mode::Enforce));
        if D::MAY_REFUSE_CALLS && !proposal.scored {
            // Without a score, the proposed call counts like the calls that were made: if the eighth is one too many, the
            // eighth is refused and not the ninth.
            let mut limits = own.clone();
            limits.count_proposed_call();
            self.detector.weigh(proposal, &limits, review);
        } else {
            self.detector.weigh(proposal, own, review);
        }
    }
}

/// Sorts the lines of the list by scope, and declares a set for each.
macro_rules! declare_detector_sets {
    ($(($folder:ident $name:ident $type:ident $settings:ident $scope:ident $position:literal $($line:tt)*))*) => {
        declare_detector_sets!(@sort [] [] [] $(($folder $name $type $scope $position))*);
    };
    (@sort [$($run:tt)*] [$($agent:tt)*] [$($series:tt)*] ($folder:ident $name:ident $type:ident run $at:literal) $($rest:tt)*) => {
        declare_detector_sets!(@sort [$($run)* ($folder $name $type $at)] [$($agent)*] [$($series)*] $($rest)*);
    };
    (@sort [$($run:tt)*] [$($agent:tt)*] [$($series:tt)*] ($folder:ident $name:ident $type:ident agent $at:literal) $($rest:tt)*) => {
        declare_detector_sets!(@sort [$($run)*] [$($agent)* ($folder $name $type $at)] [$($series)*] $($rest)*);
    };
    (@sort [$($run:tt)*] [$($agent:tt)*] [$($series:tt)*] ($folder:ident $name:ident $type:ident series $at:literal) $($rest:tt)*) => {
        declare_detector_sets!(@sort [$($run)*] [$($agent)*] [$($series)* ($folder $name $type $at)] $($rest)*);
    };
    (@sort [$($run:tt)*] [$($agent:tt)*] [$(($folder:ident $name:ident $type:ident $at:literal))*]) => {
        declare_detector_sets!(@set "The detectors that judge a run, whatever its agents." RunDetectors RunPosition $($run)*);
        declare_detector_sets!(@set "The detectors that judge each agent of a run." AgentDetectors AgentPosition $($agent)*);

        impl DetectorName {
            /// The detectors that judge several runs together. A guard sees one run and never reports for them.
            pub const OF_SERIES: &'static [DetectorName] = &[$(DetectorName::$name,)*];
        }
    };
    (@set $doc:literal $set:ident $position:ident $(($folder:ident $name:ident $type:ident $at:literal))*) => {
        snapshot_type! {
            #[doc = $doc]
            #[derive(Clone, Debug, Default)]
            #[serde(default)]
            pub(crate) struct $set { $($folder: DetectorSlot<super::$folder::$type>,)* }
        }

        /// The position of a detector in the list.
        #[derive(Clone, Copy)]
        enum $position { $($name,)* }

        impl $set {
            const RANKED: &'static [(u32, $position)] = &[$(($at, $position::$name),)*];
            const ORDER: &'static [$position] = &in_order::<_, { Self::RANKED.len() }>(Self::RANKED);

            /// Shows a step to every detector that is enabled.
            pub(crate) fn observe(
                &mut self,
                context: &StepContext<'_>,
                step: u64,
                settings: &Settings,
                output: &mut ObservationOutput<'_>,
            ) {
                $(self.observe_at::<{ $position::$name as usize }>(context, step, settings, output);)*
            }

            /// Shows a step to the detector that is called as number `AT`. The compiler chooses it, so that the
            /// order costs nothing at run time.
            #[inline]
            fn observe_at<const AT: usize>(
                &mut self,
                context: &StepContext<'_>,
                step: u64,
                settings: &Settings,
                output: &mut ObservationOutput<'_>,
            ) {
                match const { Self::ORDER[AT] } {
                    $($position::$name => {
                        let detector = DetectorName::$name;
                        self.$folder.observe(detector, &settings.$folder, context, step, settings, output);
                    })*
                }
            }

            /// Asks every detector that is enabled to review a proposal.
            pub(crate) fn weigh(
                &self,
                proposal: &ProposalContext<'_>,
                settings: &Settings,
                review: &mut ProposalReview,
            ) {
                $(self.weigh_at::<{ $position::$name as usize }>(proposal, settings, review);)*
            }

            #[inline]
            fn weigh_at<const AT: usize>(
                &self,
                proposal: &ProposalContext<'_>,
                settings: &Settings,
                review: &mut ProposalReview,
            ) {
                match const { Self::ORDER[AT] } {
                    $($position::$name => {
                        self.$folder.weigh(DetectorName::$name, &settings.$folder, proposal, settings, review);
                    })*
                }
            }
        }
    };
}

for_each_detector!(declare_detector_sets);

impl RunDetectors {
    /// Returns the attempts at tasks, which a recovery clears.
    pub(crate) fn book(&mut self) -> &mut crate::tasks::TaskHistories {
        &mut self.task.detector.book
    }
}
