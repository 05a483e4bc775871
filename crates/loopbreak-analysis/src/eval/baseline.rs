//! Baselines: other ways to judge a run, side by side with the guard that is evaluated.

use std::collections::HashSet;
use std::hash::BuildHasher as _;

use foldhash::fast::{FixedState, RandomState};
use loopbreak::{Config, Profile, Step};

use super::baseline_rule::BaselineRule;
use crate::report::RunReport;
use crate::run::RunAnalysis;
use crate::statistics::{RunSavings, SavingsTracker, StepFacts, StepIntervention};
use crate::tune::RunOutcome;

/// A rule or engine that Loopbreak can be compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EvalBaseline {
    /// The stuck detector of `OpenHands`.
    OpenhandsRule,
    /// The check for repeated calls of Gemini CLI.
    GeminiRule,
    /// The check for repeated calls of opencode, which others have too.
    OpencodeRule,
    /// A window over recent calls and their results, which several agent frameworks have.
    WindowRule,
    /// Loopbreak with the profile `documents`.
    Documents,
}

impl EvalBaseline {
    /// All baselines.
    pub const ALL: [EvalBaseline; 5] = [
        EvalBaseline::OpenhandsRule,
        EvalBaseline::GeminiRule,
        EvalBaseline::OpencodeRule,
        EvalBaseline::WindowRule,
        EvalBaseline::Documents,
    ];

    /// Returns the name that all output uses.
    pub fn as_str(self) -> &'static str {
        match self {
            EvalBaseline::OpenhandsRule => "openhands-rule",
            EvalBaseline::GeminiRule => "gemini-rule",
            EvalBaseline::OpencodeRule => "opencode-rule",
            EvalBaseline::WindowRule => "window-rule",
            EvalBaseline::Documents => "documents",
        }
    }
}

/// The result of a baseline in one run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum BaselineResult {
    /// A rule: its first signal, if there was one.
    Rule(Option<RuleSignal>),
    /// Loopbreak with other settings.
    Engine(Box<RunReport>),
}

impl BaselineResult {
    /// Returns the short form of the result.
    pub fn outcome(&self) -> RunOutcome {
        match self {
            BaselineResult::Rule(signal) => RunOutcome::from_signal(*signal),
            BaselineResult::Engine(report) => RunOutcome::from_report(report),
        }
    }
}

/// The first signal of a rule. It ends the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RuleSignal {
    /// The turn.
    pub turn: u64,
    /// Steps and cost after the signal.
    pub after: RunSavings,
}

/// A baseline that follows one run.
#[derive(Debug)]
pub struct BaselineWatcher(WatcherKind);

#[derive(Debug)]
enum WatcherKind {
    Rule(Box<RuleWatcher>),
    Engine(Box<RunAnalysis>),
}

#[derive(Debug)]
struct RuleWatcher {
    rule: BaselineRule,
    at: Option<u64>,
    ledger: SavingsTracker,
    completed: HashSet<u64, RandomState>,
}

impl BaselineWatcher {
    /// Creates a watcher for a run without steps.
    pub fn new(baseline: EvalBaseline, run: &str) -> Self {
        let rule = |rule| {
            let (ledger, completed) = (SavingsTracker::default(), HashSet::default());
            WatcherKind::Rule(Box::new(RuleWatcher { rule, at: None, ledger, completed }))
        };
        BaselineWatcher(match baseline {
            EvalBaseline::OpenhandsRule => rule(BaselineRule::openhands()),
            EvalBaseline::GeminiRule => rule(BaselineRule::gemini()),
            EvalBaseline::OpencodeRule => rule(BaselineRule::opencode()),
            EvalBaseline::WindowRule => rule(BaselineRule::window()),
            EvalBaseline::Documents => {
                WatcherKind::Engine(Box::new(RunAnalysis::new(&Config::from(Profile::Documents), run)))
            }
        })
    }

    /// Creates a watcher that runs Loopbreak with other settings.
    pub fn with_config(config: &Config, run: &str) -> Self {
        BaselineWatcher(WatcherKind::Engine(Box::new(RunAnalysis::new(config, run))))
    }

    /// Observes the next step, which is that turn.
    pub fn observe(&mut self, step: &Step<'_>, turn: u64) {
        match &mut self.0 {
            WatcherKind::Rule(watch) => watch.observe(step, turn),
            WatcherKind::Engine(analysis) => _ = analysis.observe(step),
        }
    }

    /// Ends the run and returns its result.
    pub fn finish(self) -> BaselineResult {
        match self.0 {
            WatcherKind::Rule(watch) => {
                let after = watch.ledger.after_ending();
                BaselineResult::Rule(watch.at.map(|turn| RuleSignal { turn, after }))
            }
            WatcherKind::Engine(analysis) => BaselineResult::Engine(Box::new(analysis.finish("", ""))),
        }
    }
}

impl RuleWatcher {
    fn observe(&mut self, step: &Step<'_>, turn: u64) {
        let fires = self.rule.observe(step);
        if fires {
            self.at.get_or_insert(turn);
        }
        let facts = self.step_facts(step);
        self.ledger.add(&facts, StepIntervention { stops: fires, ends: fires });
    }

    /// Returns the facts that the savings need.
    fn step_facts(&mut self, step: &Step<'_>) -> StepFacts {
        let is_turn = !step.refused;
        let mut achieved = step.progress == Some(true);
        for done in step.objectives.iter().filter(|_| is_turn).flat_map(|objectives| &objectives.completed) {
            achieved |= self.completed.insert(FixedState::default().hash_one(done.objective.trim()));
        }
        let score = step.score.filter(|score| score.is_finite());
        let measured = score.is_some() || step.objectives.is_some() || step.progress.is_some();
        StepFacts { is_turn, score, measured, achieved, usage: step.usage }
    }
}
