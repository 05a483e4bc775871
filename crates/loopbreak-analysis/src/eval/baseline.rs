//! Others, watching a run beside the guard that is evaluated.

use std::collections::HashSet;
use std::hash::BuildHasher as _;

use foldhash::fast::{FixedState, RandomState};
use loopbreak::{Config, Profile, Step};

use super::baseline_rule::Rule;
use crate::report::RunReport;
use crate::run::RunAnalysis;
use crate::statistics::{Done, Ledger, Savings, Told};
use crate::tune::RunOutcome;

/// What Loopbreak can be compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// The stuck detector of `OpenHands`.
    OpenhandsRule,
    /// The check for repeated calls of Gemini CLI.
    GeminiRule,
    /// Our engine, with the profile `documents`.
    Documents,
}

impl Baseline {
    /// All of them.
    pub const ALL: [Baseline; 3] = [Baseline::OpenhandsRule, Baseline::GeminiRule, Baseline::Documents];

    /// The name in all output.
    pub fn as_str(self) -> &'static str {
        match self {
            Baseline::OpenhandsRule => "openhands-rule",
            Baseline::GeminiRule => "gemini-rule",
            Baseline::Documents => "documents",
        }
    }
}

/// What a baseline came to in a run.
#[derive(Clone, Debug)]
pub enum Watched {
    /// A rule: when it first said stuck, if it did.
    Rule(Option<Signal>),
    /// An engine of ours.
    Engine(Box<RunReport>),
}

impl Watched {
    /// In short.
    pub fn outcome(&self) -> RunOutcome {
        match self {
            Watched::Rule(signal) => RunOutcome::of_rule(*signal),
            Watched::Engine(report) => RunOutcome::of(report),
        }
    }
}

/// The first time that a rule said stuck, which ends the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signal {
    /// Its turn.
    pub turn: u64,
    /// What came after it.
    pub after: Savings,
}

/// A baseline, watching one run.
#[derive(Debug)]
pub struct Watcher(Inner);

#[derive(Debug)]
enum Inner {
    Rule(Box<RuleWatch>),
    Engine(Box<RunAnalysis>),
}

#[derive(Debug)]
struct RuleWatch {
    rule: Rule,
    at: Option<u64>,
    ledger: Ledger,
    completed: HashSet<u64, RandomState>,
}

impl Watcher {
    /// Watches a run that has not begun.
    pub fn new(baseline: Baseline, run: &str) -> Self {
        let rule = |rule| {
            let (ledger, completed) = (Ledger::default(), HashSet::default());
            Inner::Rule(Box::new(RuleWatch { rule, at: None, ledger, completed }))
        };
        Watcher(match baseline {
            Baseline::OpenhandsRule => rule(Rule::openhands()),
            Baseline::GeminiRule => rule(Rule::gemini()),
            Baseline::Documents => {
                Inner::Engine(Box::new(RunAnalysis::new(&Config::of(Profile::Documents), run)))
            }
        })
    }

    /// Our engine with other settings.
    pub fn with(config: &Config, run: &str) -> Self {
        Watcher(Inner::Engine(Box::new(RunAnalysis::new(config, run))))
    }

    /// Takes in the next step, which is that turn.
    pub fn observe(&mut self, step: &Step<'_>, turn: u64) {
        match &mut self.0 {
            Inner::Rule(watch) => watch.observe(step, turn),
            Inner::Engine(analysis) => _ = analysis.observe(step),
        }
    }

    /// Sums up.
    pub fn finish(self) -> Watched {
        match self.0 {
            Inner::Rule(watch) => {
                let after = watch.ledger.after_ending();
                Watched::Rule(watch.at.map(|turn| Signal { turn, after }))
            }
            Inner::Engine(analysis) => Watched::Engine(Box::new(analysis.finish("", ""))),
        }
    }
}

impl RuleWatch {
    fn observe(&mut self, step: &Step<'_>, turn: u64) {
        let fires = self.rule.observe(step);
        if fires {
            self.at.get_or_insert(turn);
        }
        let told = self.told(step);
        self.ledger.add(&told, Done { stops: fires, ends: fires });
    }

    fn told(&mut self, step: &Step<'_>) -> Told {
        let is_turn = !step.refused;
        let mut achieved = step.progress == Some(true);
        for done in step.objectives.iter().filter(|_| is_turn).flat_map(|objectives| &objectives.completed) {
            achieved |= self.completed.insert(FixedState::default().hash_one(done.objective.trim()));
        }
        let score = step.score.filter(|score| score.is_finite());
        let measured = score.is_some() || step.objectives.is_some() || step.progress.is_some();
        Told { is_turn, score, measured, achieved, usage: step.usage }
    }
}
