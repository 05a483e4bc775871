//! The report as data. Keys may be added, never renamed: scripts read them.

use std::borrow::Cow;
use std::io::{self, Write};

use loopbreak::verdict::LoopId;
use loopbreak::{DetectorName, Finding, Intervention, Mode, Pattern, Severity};
use serde::{Deserialize, Serialize};

use super::run_about::RunAbout;
use super::run_list::{self, RunList};
use super::run_spending::{LoopCost, RunSpending};
use super::run_totals::RunTotals;
use crate::json_number::{plain, plain_option};
use crate::statistics::RunTimeline;
use crate::statistics::{EffectCounts, FindingReport, LongestLoop, PatternCounts, ProposalScores};

/// Name and version of this format.
pub const SCHEMA: &str = "loopbreak.report/1";

/// Maximum number of findings and interventions listed per run. All are counted.
pub const MOST_LISTED: usize = 2_000;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The report on all logs.
#[derive(Debug, Serialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The mode of the guards, if they were not enforced: nothing was found, or findings were only observed.
    #[serde(skip_serializing_if = "is_enforced")]
    pub mode: Mode,
    /// One entry per run, in the order of reading.
    #[serde(serialize_with = "run_list::serialize")]
    pub runs: Box<dyn RunList>,
    /// Tasks that were attempted in more than one run, and prompts whose runs die young.
    pub series: Vec<SeriesReport>,
    /// Totals of all runs.
    pub totals: RunTotals,
}

/// The verdict on a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum VerdictName {
    /// Nothing beyond hints.
    Clear,
    /// The agent would have been warned.
    Warn,
    /// Loopbreak would have stepped in.
    Stop,
}

impl VerdictName {
    /// Returns the name that all output uses.
    pub fn as_str(self) -> &'static str {
        match self {
            VerdictName::Clear => "clear",
            VerdictName::Warn => "warn",
            VerdictName::Stop => "stop",
        }
    }

    /// Returns the verdict for findings. Those that are only observed are ignored.
    pub fn from_findings<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> Self {
        findings.into_iter().filter(|finding| finding.enforced).map(|finding| finding.severity).max().into()
    }
}

impl From<Option<Severity>> for VerdictName {
    /// Returns the verdict for the worst severity.
    fn from(worst: Option<Severity>) -> Self {
        match worst {
            Some(Severity::Hard) => VerdictName::Stop,
            Some(Severity::Warn) => VerdictName::Warn,
            _ => VerdictName::Clear,
        }
    }
}

/// The report on one run.
#[derive(Clone, Debug, Serialize)]
pub struct RunReport {
    /// Its id, or the name of its file.
    pub run: String,
    /// The file it was read from.
    pub source: String,
    /// The format of the log.
    pub format: &'static str,
    /// The agents named by its steps, in the order of their first steps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// The models named by its steps, in the same order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<String>,
    /// Number of turns.
    pub steps: u64,
    /// The figures.
    pub verdict: VerdictName,
    /// The first finding at `warn` or above.
    pub first_warning: Option<FirstWarning>,
    /// The first hard finding.
    pub first_stop: Option<FirstStop>,
    /// Turns after it.
    pub steps_after_stop: u64,
    /// Progress was made after it; absent without a progress signal.
    pub progress_after_stop: Option<bool>,
    /// All checks at which there had been no progress for too long.
    pub checkpoints: Vec<u64>,
    /// All findings, or the first [`MOST_LISTED`].
    pub findings: Vec<FindingReport>,
    /// Number of findings that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub unlisted_findings: u64,
    /// All interventions that would have been made, or the first [`MOST_LISTED`].
    pub interventions: Vec<InterventionReport>,
    /// Number of interventions that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub unlisted_interventions: u64,
    /// Loops after their first warning.
    pub effects: EffectCounts,
    /// The point where the run would have ended or been escalated to a human. A refusal or a change of task does
    /// neither.
    pub ending: Option<RunEnding>,
    /// Turns after it, which would have been saved.
    pub steps_after_ending: u64,
    /// Progress was made after it and would have been lost; absent without a progress signal.
    pub progress_after_ending: Option<bool>,
    /// Tokens after it.
    pub tokens_after_ending: Option<u64>,
    /// US dollars after it.
    #[serde(serialize_with = "plain_option")]
    pub cost_after_ending_usd: Option<f64>,
    /// Model calls that the turns after it stand for.
    pub llm_calls_saved: u64,
    /// Periods without progress.
    pub stuck: Vec<StuckPeriod>,
    /// The score, if there is one.
    pub score: Option<ScoreReport>,
    /// Records of refused proposals, which are not turns.
    pub refused: u64,
    /// Number of warnings the agent would have received.
    pub warnings_given: u64,
    /// Proposals whose score would have been lowered.
    pub penalized_proposals: u64,
    /// Proposals that would have been refused.
    pub rejected_proposals: u64,
    /// Number of different objectives that were completed.
    #[serde(skip_serializing_if = "is_zero")]
    pub objectives_completed: u64,
    /// Number of those that were completed after the ending.
    #[serde(skip_serializing_if = "is_zero")]
    pub objectives_after_ending: u64,
    /// Tokens read and written.
    pub tokens: Option<u64>,
    /// US dollars.
    #[serde(serialize_with = "plain_option")]
    pub cost_usd: Option<f64>,
    /// Tokens after the first stop.
    pub tokens_after_stop: Option<u64>,
    /// US dollars after the first stop.
    #[serde(serialize_with = "plain_option")]
    pub cost_after_stop_usd: Option<f64>,
    /// Time of the first record, in milliseconds since 1970.
    pub started: Option<i64>,
    /// Time of the last record.
    pub ended: Option<i64>,
    /// Lines of its file that could not be read, if the file has no other run.
    pub skipped_lines: Option<u64>,
    /// Items of its file that could not be read, if there are any and the file has no other run. Then the verdict is at
    /// least `warn`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unread_items: Option<u64>,
    /// Turns out of order, which were renumbered.
    pub renumbered_turns: u64,
    /// Unknown keys in records.
    pub unknown_keys: u64,
    /// Rulings on proposals, grouped.
    #[serde(skip)]
    pub rulings: Vec<RulingGroup>,
    /// Money: what the run cost, by the log or by the prices of its models.
    #[serde(skip_serializing_if = "RunSpending::is_unknown")]
    pub spending: RunSpending,
    /// The first loops that the agent would have been warned about, with their cost.
    #[serde(skip)]
    pub loops: Vec<LoopCost>,
    /// The project and the prompt.
    #[serde(skip_serializing_if = "RunAbout::is_empty")]
    pub about: RunAbout,
    /// The longest loop that the agent would have been warned about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest_loop: Option<LongestLoop>,
    /// All findings, counted by detector and pattern.
    #[serde(skip)]
    pub patterns: PatternCounts,
    /// The scores of proposals, if a critic scored any.
    #[serde(skip)]
    pub proposals: Option<Box<ProposalScores>>,
    /// Score and place over the run.
    #[serde(skip)]
    pub timeline: RunTimeline,
    /// The turn at which the loop of the first stop started.
    #[serde(skip)]
    pub stuck_since: Option<u64>,
}

/// The first finding at `warn` or above.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstWarning {
    /// The turn.
    pub turn: u64,
    /// The detector.
    pub detector: DetectorName,
    /// The pattern.
    pub pattern: Pattern,
}

impl RunReport {
    /// Returns whether the first warning was already an intervention.
    pub fn intervenes_without_warning(&self) -> bool {
        self.first_warning.as_ref().zip(self.first_stop.as_ref()).is_some_and(|(warning, stop)| {
            (warning.turn, warning.detector, warning.pattern) == (stop.turn, stop.detector, stop.pattern)
        })
    }

    /// Returns the turn of the first proposal that would have been refused, and the reason.
    pub fn first_rejection(&self) -> Option<(u64, &str)> {
        let rejected = self.rulings.iter().filter(|group| group.intervention == Intervention::Reject);
        let first = rejected.min_by_key(|group| group.first)?;
        first.each.first().map(|(turn, reason)| (*turn, reason.as_str()))
    }

    /// Returns the reason of a finding: that of the intervention, or its own if it led to none.
    pub fn reason_of(&self, turn: u64, detector: DetectorName, pattern: Pattern) -> Cow<'_, str> {
        // Interventions are in the order of their turns, and a long run has many.
        let first = self.interventions.partition_point(|act| act.turn < turn);
        let same_turn = self.interventions[first..].iter().take_while(|act| act.turn == turn);
        let mut of_turn = same_turn
            .filter(|act| (act.detector, act.pattern) == (detector, pattern) && !act.reason.is_empty());
        if let Some(act) = of_turn.next() {
            return Cow::Borrowed(&act.reason);
        }
        let same =
            |found: &&FindingReport| (found.turn, found.detector, found.pattern) == (turn, detector, pattern);
        match self.findings.iter().find(same) {
            Some(found) => Cow::Borrowed(found.reason()),
            None => Cow::Owned(pattern.to_string()),
        }
    }
}

/// The first hard finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstStop {
    /// The turn.
    pub turn: u64,
    /// The detector.
    pub detector: DetectorName,
    /// The pattern.
    pub pattern: Pattern,
    /// The intervention that would have been made.
    pub intervention: Option<Intervention>,
}

/// The first finding that would have ended the run or escalated it to a human.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunEnding {
    /// The turn.
    pub turn: u64,
    /// The detector.
    pub detector: DetectorName,
    /// The pattern.
    pub pattern: Pattern,
    /// `stop` or `escalate`.
    pub intervention: Intervention,
}

impl RunEnding {
    /// Returns the ending caused by a finding, if there is one.
    pub(crate) fn from_finding(finding: &Finding) -> Option<Self> {
        let Finding { turn, detector, pattern, intervention, enforced, .. } = *finding;
        let intervention = intervention.filter(|intervention| enforced && intervention.ends_run())?;
        Some(RunEnding { turn, detector, pattern, intervention })
    }
}

/// An intervention that would have been made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InterventionReport {
    /// The turn.
    pub turn: u64,
    /// The intervention.
    pub intervention: Intervention,
    /// The detector that caused it.
    pub detector: DetectorName,
    /// The pattern that caused it.
    pub pattern: Pattern,
    /// The loop.
    #[serde(rename = "loop")]
    pub loop_id: LoopId,
    /// The task, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The reason in one sentence.
    pub reason: String,
    /// False if the guard or the detector only observes.
    pub acted: bool,
}

/// A period without progress.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StuckPeriod {
    /// Its first turn.
    pub from: u64,
    /// Its last turn.
    pub to: u64,
    /// Number of turns.
    pub turns: u64,
    /// The score in this period, if there is one.
    #[serde(serialize_with = "plain_option")]
    pub score: Option<f64>,
}

/// The score of a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScoreReport {
    /// The first score.
    #[serde(serialize_with = "plain")]
    pub first: f64,
    /// The last score.
    #[serde(serialize_with = "plain")]
    pub last: f64,
    /// The highest score.
    #[serde(serialize_with = "plain")]
    pub max: f64,
}

/// Proposals that were treated alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RulingGroup {
    /// The intervention.
    pub intervention: Intervention,
    /// The detector that caused it.
    pub detector: DetectorName,
    /// Number of proposals.
    pub count: u64,
    /// The first turn.
    pub first: u64,
    /// The last turn.
    pub last: u64,
    /// Turn and reason of each, up to a limit.
    pub each: Vec<(u64, String)>,
}

/// Findings about a task or a prompt over several runs.
#[derive(Clone, Debug, Serialize)]
pub struct SeriesReport {
    /// `task:` and the id, or `prompt:` and a fingerprint that ignores dates and counters.
    pub key: String,
    /// The id of the task; absent for a prompt.
    pub task: Option<String>,
    /// The start of the prompt, at most 200 bytes with secrets masked; absent for a task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The runs that attempted it.
    pub runs: Vec<String>,
    /// Number of attempts. For a prompt, each run is one.
    pub attempts: u64,
    /// All findings; `turn` counts attempts at all tasks, or runs with a prompt.
    pub findings: Vec<Finding>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_enforced(mode: &Mode) -> bool {
    *mode == Mode::Enforce
}

impl Report {
    /// Creates a report.
    pub fn new(runs: impl RunList + 'static, series: Vec<SeriesReport>, totals: RunTotals) -> Self {
        Report { schema: SCHEMA, mode: Mode::Enforce, runs: Box::new(runs), series, totals }
    }

    /// Writes the report as JSON, indented or on one line, and ends with a line break. Runs are loaded one by one.
    pub fn write_json(&self, out: &mut dyn Write, indented: bool) -> io::Result<()> {
        if indented {
            serde_json::to_writer_pretty(&mut *out, self)?;
        } else {
            serde_json::to_writer(&mut *out, self)?;
        }
        out.write_all(b"\n")
    }

    /// Returns the worst verdict of all runs and series. It is at least `warn` if items could not be read.
    pub fn worst(&self) -> VerdictName {
        let runs = match (self.totals.stopped, self.totals.warned) {
            (0, 0) if self.totals.unread_items == 0 => VerdictName::Clear,
            (0, _) => VerdictName::Warn,
            _ => VerdictName::Stop,
        };
        self.series
            .iter()
            .map(|series| VerdictName::from_findings(&series.findings))
            .fold(runs, VerdictName::max)
    }
}
