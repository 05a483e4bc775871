//! The report as data. Keys may be added, never renamed: scripts read them.

use loopbreak::verdict::LoopId;
use loopbreak::{DetectorName, Finding, Intervention, Pattern, Severity};
use serde::Serialize;

use super::run_list::{self, RunList};
use super::run_totals::Totals;
use crate::json_number::{plain, plain_option};
use crate::pack::packed;
use crate::statistics::Timeline;
use crate::statistics::{Effects, FindingReport};

/// The name and version of this form of report.
pub const SCHEMA: &str = "loopbreak.report/1";

/// How many findings and interventions of a run are listed. All are counted; a run may have no end.
pub const MOST_LISTED: usize = 2_000;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// What was found in all logs.
#[derive(Debug, Serialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// One entry a run, in the order of reading.
    #[serde(serialize_with = "run_list::serialize")]
    pub runs: Box<dyn RunList>,
    /// Tasks that were attempted in more than one run, and prompts whose runs die young.
    pub series: Vec<SeriesReport>,
    /// Sums over all runs.
    pub totals: Totals,
}

/// What a run comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictName {
    /// Nothing beyond hints.
    Clear,
    /// The agent would have been warned.
    Warn,
    /// Loopbreak would have stepped in.
    Stop,
}

impl VerdictName {
    /// The name in all output.
    pub fn as_str(self) -> &'static str {
        match self {
            VerdictName::Clear => "clear",
            VerdictName::Warn => "warn",
            VerdictName::Stop => "stop",
        }
    }

    /// What findings come to. One that only observes decides nothing.
    pub fn of<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> Self {
        findings.into_iter().filter(|finding| finding.enforced).map(|finding| finding.severity).max().into()
    }
}

impl From<Option<Severity>> for VerdictName {
    /// What the worst finding comes to.
    fn from(worst: Option<Severity>) -> Self {
        match worst {
            Some(Severity::Hard) => VerdictName::Stop,
            Some(Severity::Warn) => VerdictName::Warn,
            _ => VerdictName::Clear,
        }
    }
}

/// What was found in one run.
#[derive(Clone, Debug, Serialize)]
pub struct RunReport {
    /// Its id, or the name of its file.
    pub run: String,
    /// Where it was read from.
    pub source: String,
    /// The format of the log.
    pub format: &'static str,
    /// The agents that its steps name, in the order of their first steps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// The models that its steps name, likewise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<String>,
    /// How many turns it had.
    pub steps: u64,
    /// What it comes to.
    pub verdict: VerdictName,
    /// The first finding at `warn` or above.
    pub first_warning: Option<FirstWarning>,
    /// The first hard finding.
    pub first_stop: Option<FirstStop>,
    /// Turns after it.
    pub steps_after_stop: u64,
    /// Whether progress was made after it. Nothing where the run measures none.
    pub progress_after_stop: Option<bool>,
    /// All checks at which there had been no progress for too long.
    pub checkpoints: Vec<u64>,
    /// Everything that was found; of a run without end, the first [`MOST_LISTED`].
    pub findings: Vec<FindingReport>,
    /// How many findings came after those that are listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub unlisted_findings: u64,
    /// What would have been done, and why; of a run without end, the first [`MOST_LISTED`].
    pub interventions: Vec<InterventionReport>,
    /// How many interventions came after those that are listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub unlisted_interventions: u64,
    /// What the agent did after the first warning of each loop.
    pub effects: Effects,
    /// Where the run would have ended, or been handed to a human. A refusal or a change of task does neither.
    pub ending: Option<Ending>,
    /// Turns after it: what is saved.
    pub steps_after_ending: u64,
    /// Whether progress was made after it: a recovery destroyed. Nothing where the run measures none.
    pub progress_after_ending: Option<bool>,
    /// Tokens after it.
    pub tokens_after_ending: Option<u64>,
    /// US dollars after it.
    pub cost_after_ending_usd: Option<f64>,
    /// Stretches without progress.
    pub stuck: Vec<StuckPeriod>,
    /// The score, where there is one.
    pub score: Option<ScoreReport>,
    /// Records of refused proposals, which are no turns.
    pub refused: u64,
    /// How often the agent would have been warned.
    pub warnings_given: u64,
    /// Proposals whose worth would have been lowered.
    pub penalized_proposals: u64,
    /// Proposals that would have been refused.
    pub rejected_proposals: u64,
    /// Tokens read and written.
    pub tokens: Option<u64>,
    /// US dollars.
    pub cost_usd: Option<f64>,
    /// Tokens after the first stop.
    pub tokens_after_stop: Option<u64>,
    /// US dollars after the first stop.
    pub cost_after_stop_usd: Option<f64>,
    /// Time of the first record, in milliseconds since 1970.
    pub started: Option<i64>,
    /// Time of the last record.
    pub ended: Option<i64>,
    /// Lines of its file that could not be read, where the file holds no other run.
    pub skipped_lines: Option<u64>,
    /// Turns that were not after the one before and were counted on.
    pub renumbered_turns: u64,
    /// Keys of records that nobody knows.
    pub unknown_keys: u64,
    /// What was done about proposals, grouped.
    #[serde(skip)]
    pub rulings: Vec<RulingGroup>,
    /// Score and place over the run.
    #[serde(skip)]
    pub timeline: Timeline,
    /// Since when the loop of the first stop had been going on.
    #[serde(skip)]
    pub stuck_since: Option<u64>,
}

/// The first finding at `warn` or above.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FirstWarning {
    /// Its turn.
    pub turn: u64,
    /// Whose it is.
    pub detector: DetectorName,
    /// What it is.
    pub pattern: Pattern,
}

impl RunReport {
    /// The first warning was already a step in: nothing milder came before it.
    pub fn steps_in_at_once(&self) -> bool {
        self.first_warning.as_ref().zip(self.first_stop.as_ref()).is_some_and(|(warning, stop)| {
            (warning.turn, warning.detector, warning.pattern) == (stop.turn, stop.detector, stop.pattern)
        })
    }
}

/// The first hard finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FirstStop {
    /// Its turn.
    pub turn: u64,
    /// Whose it is.
    pub detector: DetectorName,
    /// What it is.
    pub pattern: Pattern,
    /// What would have been done.
    pub intervention: Option<Intervention>,
}

/// The first finding that would have ended the run or handed it to a human.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ending {
    /// Its turn.
    pub turn: u64,
    /// Whose it is.
    pub detector: DetectorName,
    /// What it is.
    pub pattern: Pattern,
    /// `stop` or `escalate`.
    pub intervention: Intervention,
}

impl Ending {
    /// The end that a finding makes of a run, if it makes one.
    pub(crate) fn of(finding: &Finding) -> Option<Self> {
        let Finding { turn, detector, pattern, intervention, enforced, .. } = *finding;
        let intervention = intervention.filter(|intervention| enforced && intervention.ends_run())?;
        Some(Ending { turn, detector, pattern, intervention })
    }
}

/// One thing that would have been done.
#[derive(Clone, Debug, Serialize)]
pub struct InterventionReport {
    /// When.
    pub turn: u64,
    /// What.
    pub intervention: Intervention,
    /// Whose finding led to it.
    pub detector: DetectorName,
    /// What the finding was.
    pub pattern: Pattern,
    /// Which loop.
    #[serde(rename = "loop")]
    pub loop_id: LoopId,
    /// The task concerned, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Why, in one sentence.
    pub reason: String,
    /// False where the guard or the detector only observes.
    pub acted: bool,
}

/// A stretch without progress.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StuckPeriod {
    /// Its first turn.
    pub from: u64,
    /// Its last turn.
    pub to: u64,
    /// How many turns it is long.
    pub turns: u64,
    /// The score all that time, where there is one.
    #[serde(serialize_with = "plain_option")]
    pub score: Option<f64>,
}

/// The score over a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ScoreReport {
    /// The first.
    #[serde(serialize_with = "plain")]
    pub first: f64,
    /// The last.
    #[serde(serialize_with = "plain")]
    pub last: f64,
    /// The highest.
    #[serde(serialize_with = "plain")]
    pub max: f64,
}

/// Proposals that were treated alike.
#[derive(Clone, Debug, PartialEq)]
pub struct RulingGroup {
    /// What was done.
    pub intervention: Intervention,
    /// For whose sake.
    pub detector: DetectorName,
    /// How many.
    pub count: u64,
    /// The turn of the first.
    pub first: u64,
    /// The turn of the last.
    pub last: u64,
    /// The turn of each and why, as far as they are kept.
    pub each: Vec<(u64, String)>,
}

packed! {
    FirstWarning { turn, detector, pattern }
    FirstStop { turn, detector, pattern, intervention }
    Ending { turn, detector, pattern, intervention }
    InterventionReport { turn, intervention, detector, pattern, loop_id, task, reason, acted }
    StuckPeriod { from, to, turns, score }
    ScoreReport { first, last, max }
    RulingGroup { intervention, detector, count, first, last, each }
}

/// What was found about a task or a prompt over several runs.
#[derive(Clone, Debug, Serialize)]
pub struct SeriesReport {
    /// `task:` and its id, or `prompt:` and a name of the prompt that dates and counters in it do not change.
    pub key: String,
    /// The id of the task; nothing for a prompt.
    pub task: Option<String>,
    /// How the prompt begins, at most 200 bytes of it, secrets masked; absent for a task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The runs that attempted it.
    pub runs: Vec<String>,
    /// How many attempts there were. Of a prompt, each run is one.
    pub attempts: u64,
    /// Everything that was found; `turn` counts attempts at all tasks, or runs with a prompt.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Puts the parts together.
    pub fn new(runs: impl RunList + 'static, series: Vec<SeriesReport>, totals: Totals) -> Self {
        Report { schema: SCHEMA, runs: Box::new(runs), series, totals }
    }

    /// The worst verdict over all runs and series.
    pub fn worst(&self) -> VerdictName {
        let runs = match (self.totals.stopped, self.totals.warned) {
            (0, 0) => VerdictName::Clear,
            (0, _) => VerdictName::Warn,
            _ => VerdictName::Stop,
        };
        self.series.iter().map(|series| VerdictName::of(&series.findings)).fold(runs, VerdictName::max)
    }
}
