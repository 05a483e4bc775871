//! Detectors: each one recognizes one way of being stuck.
//!
//! Every detector has a folder: `mod.rs` with the rule, `settings.rs` with its options, `texts.rs` with all
//! texts about its findings, `guide.md` with its section of the guide, and `tests.rs`. The list below
//! declares all of them. Names, patterns, settings, profiles, checks, templates, dispatch and the tables in
//! the documentation are generated from it.
//!
//! | part | contents |
//! |---|---|
//! | `detector`, `detector_texts` | the traits and texts that make a detector |
//! | `step_context`, `detection`, `report_latch` | the input of a detector for a step, and its reports |
//! | `proposal_context`, `proposal_review` | the input for a proposal, and the review |
//! | `detector_sets` | dispatch of steps and proposals |
//! | `detector_name`, `pattern`, `custom_name`, `detector_facts` | names and facts about each detector |
//! | `repetition` | parts that several detectors share |
//! | `custom` | detectors of the user |

/// Calls a macro with one line for each detector.
///
/// A line has the folder, the variant of [`DetectorName`], the type of the detector, the type of its
/// settings, its scope (a `run`, each `agent` of a run or a `series` of runs), its position within that
/// scope, a summary, and its patterns. The order of the lines is the order of the tables in the
/// configuration. Detectors are called in the order of their positions, and findings and score adjustments
/// are reported in that order.
macro_rules! for_each_detector {
    ($callback:ident) => {
        $callback! {
            (stagnation Stagnation StagnationDetector StagnationSettings run 20 "No progress for too many turns." [StuckNoProgress = "stuck_no_progress"])
            (revisit Revisit RevisitDetector RevisitSettings agent 30 "A return to a recently visited place, or to one that leads nowhere." [Revisit = "revisit", DeadEnd = "dead_end"])
            (oscillation Oscillation OscillationDetector OscillationSettings agent 10 "Moves back and forth between two places." [Oscillation = "oscillation"])
            (camping Camping CampingDetector CampingSettings agent 20 "Most of the recent turns at one place." [Camping = "camping"])
            (novelty Novelty NoveltyDetector NoveltySettings agent 40 "A proposal that was made recently, and exits that were not tried." [RepeatedAction = "repeated_action", UnexploredExits = "unexplored_exits"])
            (task Task TaskDetector TaskSettings run 30 "Repeated attempts at a task, or at tasks in turn, without progress." [CompletedTaskRevisit = "completed_task_revisit", BlockedTaskSpin = "blocked_task_spin", NoProgressRepeat = "no_progress_repeat", TaskCycle = "task_cycle"])
            (signature Signature SignatureDetector SignatureSettings agent 50 "Iterations whose outputs have the same signature." [RepeatedSignature = "repeated_signature"])
            (similarity Similarity SimilarityDetector SimilaritySettings run 40 "Iterations whose outputs are nearly identical." [SimilarOutput = "similar_output"])
            (budget Budget BudgetDetector BudgetSettings run 10 "Limits of iterations, time and money." [MaxIterations = "max_iterations", MaxRuntime = "max_runtime", MaxCost = "max_cost", MaxCostSession = "max_cost_session", MaxCostHour = "max_cost_hour", MaxCostDay = "max_cost_day", MaxCostTotal = "max_cost_total", MaxCostPerMinute = "max_cost_per_minute"])
            (errors Errors ErrorsDetector ErrorsSettings agent 60 "Errors in a row." [ConsecutiveErrors = "consecutive_errors"])
            (cycle Cycle CycleDetector CycleSettings agent 70 "The same calls with the same results, in the same order." [Cycle = "cycle", Circuit = "circuit"])
            (recurrence Recurrence RecurrenceDetector RecurrenceSettings run 50 "Calls that return with the same result, with others between them." [Recycling = "recycling", Again = "again"])
            (drift Drift DriftDetector DriftSettings agent 90 "Calls of one tool that fail in the same way, and searches that are only reworded." [SameFailure = "same_failure", VainEdits = "vain_edits", Rephrased = "rephrased", Sweep = "sweep", SameAnswer = "same_answer", SameField = "same_field", SameAnnouncement = "same_announcement", RejectedRounds = "rejected_rounds"])
            (failing_target FailingTarget FailingTargetDetector FailingTargetSettings agent 80 "A target that keeps failing, whatever is tried." [FailingTarget = "failing_target"])
            (poll Poll PollDetector PollSettings agent 100 "Waiting without a result." [DeadPoll = "dead_poll"])
            (chant Chant ChantDetector ChantSettings agent 110 "A text that repeats itself, or a message that is sent repeatedly." [Chant = "chant", RepeatedMessage = "repeated_message"])
            (noop Noop NoopDetector NoopSettings run 60 "Steps without effect." [NoChange = "no_change", NoEffect = "no_effect", Undone = "undone", Idle = "idle"])
            (side_effect SideEffect SideEffectDetector SideEffectSettings run 70 "A call with a side effect, repeated on the same object." [RepeatedEffect = "repeated_effect"])
            (continuation Continuation ContinuationDetector ContinuationSettings agent 120 "Turns that the harness starts, with nothing new done in them." [IdleContinuation = "idle_continuation"])
            (rework Rework ReworkDetector ReworkSettings run 80 "Work from before a compaction that is done again after it." [Redone = "redone", CompactionSpin = "compaction_spin"])
            (restart Restart RestartDetector RestartSettings series 10 "Runs with the same prompt that end early, one after the other." [DiesYoung = "dies_young", Spawning = "spawning"])
        }
    };
}
pub(crate) use for_each_detector;

macro_rules! declare_modules {
    ($(($folder:ident $($line:tt)*))*) => { $(pub(crate) mod $folder;)* };
}
for_each_detector!(declare_modules);

pub mod custom;
mod custom_name;
mod detection;
mod detector;
mod detector_facts;
mod detector_name;
mod detector_sets;
mod detector_texts;
mod name_text;
mod pattern;
mod proposal_context;
mod proposal_review;
pub(crate) mod repetition;
mod report_latch;
mod step_context;

pub use budget::SharedSpending;
pub use custom_name::{CustomName, InvalidName};
pub(crate) use detection::{Detection, DetectionCollector, DetectorReport, LoopFamily};
pub(crate) use detector::{Detector, DetectorSettings, StepDetector};
pub(crate) use detector_facts::DETECTOR_TEMPLATES;
pub use detector_facts::DetectorSubject;
pub use detector_name::DetectorName;
pub(crate) use detector_sets::{AgentDetectors, ObservationOutput, RunDetectors};
pub use detector_texts::DetectorDocs;
pub(crate) use detector_texts::DetectorTexts;
pub use pattern::Pattern;
pub(crate) use proposal_context::{ProposalContext, ProposalFingerprint};
pub(crate) use proposal_review::{ProposalReview, ReviewAdjustment, WeighedProposal};
pub(crate) use report_latch::CLOSING_STEPS;
pub(crate) use step_context::StepContext;
