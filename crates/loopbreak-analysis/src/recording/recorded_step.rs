//! One step of a recording.

use std::fmt::Write as _;

use loopbreak::Step;
use serde::{Deserialize, Serialize};

use super::visible_text::visible_text;
use crate::json_number::plain_option;
use crate::statistics::{SpendTotal, StepSpend};

/// Maximum length of the texts of a step, in bytes.
const ACTION: usize = 320;
const OUTCOME: usize = 480;
const WORDS: usize = 240;
const NAME: usize = 60;
/// Maximum number of loops per step.
const LOOPS: usize = 3;

/// A step, with shortened texts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordedStep {
    /// Its number among all records of the run.
    #[serde(rename = "n")]
    pub(super) number: u64,
    #[serde(rename = "t")]
    pub(super) turn: u64,
    /// Its number among the steps of its agent, by which rounds are counted.
    #[serde(rename = "i")]
    pub(super) own: u64,
    /// The index of its agent.
    #[serde(rename = "g", skip_serializing_if = "is_zero")]
    pub(super) agent: usize,
    #[serde(rename = "a", skip_serializing_if = "String::is_empty")]
    pub(super) action: String,
    #[serde(rename = "o", skip_serializing_if = "String::is_empty")]
    pub(super) outcome: String,
    #[serde(rename = "s", skip_serializing_if = "String::is_empty")]
    pub(super) say: String,
    #[serde(rename = "u", skip_serializing_if = "String::is_empty")]
    pub(super) user: String,
    #[serde(rename = "p", skip_serializing_if = "String::is_empty")]
    pub(super) place: String,
    #[serde(rename = "k", skip_serializing_if = "String::is_empty")]
    pub(super) task: String,
    /// It failed.
    #[serde(rename = "e", skip_serializing_if = "std::ops::Not::not")]
    pub(super) error: bool,
    /// It was refused.
    #[serde(rename = "x", skip_serializing_if = "std::ops::Not::not")]
    pub(super) refused: bool,
    /// The score, if it changed.
    #[serde(rename = "c", skip_serializing_if = "Option::is_none", serialize_with = "plain_option")]
    pub(super) score: Option<f64>,
    /// The earlier turn with the same step and outcome.
    #[serde(rename = "r", skip_serializing_if = "Option::is_none")]
    pub(super) repeats: Option<u64>,
    /// Time in milliseconds since 1970.
    #[serde(rename = "w", skip_serializing_if = "Option::is_none")]
    pub(super) at: Option<i64>,
    /// Its cost, until the run has ended.
    #[serde(rename = "z", skip_serializing_if = "Option::is_none")]
    pub(super) spend: Option<StepSpend>,
    /// US dollars.
    #[serde(rename = "m", skip_serializing_if = "Option::is_none", serialize_with = "plain_option")]
    pub(super) cost_usd: Option<f64>,
    /// Tokens; left out at the end if the cost is known.
    #[serde(rename = "q", skip_serializing_if = "is_zero_count")]
    pub(super) tokens: u64,
    /// Indexes of the loops it belongs to.
    #[serde(rename = "l", skip_serializing_if = "Vec::is_empty")]
    pub(super) loops: Vec<usize>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero_count(count: &u64) -> bool {
    *count == 0
}

impl RecordedStep {
    pub(super) fn new(step: &Step<'_>, turn: u64) -> Self {
        let outcome = step.outcome.as_ref();
        let text = |text: Option<&str>, bytes| text.map(|text| visible_text(text, bytes)).unwrap_or_default();
        let task = step.task.as_ref().map(|task| {
            let status = task.status.as_deref().unwrap_or_default();
            let mut told = format!("{} {status}", task.id.as_text());
            for (what, list) in [("blocked by", &task.blockers), ("work", &task.work)] {
                if !list.is_empty() {
                    let list: Vec<&str> = list.iter().map(|text| &**text).collect();
                    let _ = write!(told, "; {what}: {}", list.join(", "));
                }
            }
            told
        });
        RecordedStep {
            turn,
            action: text(step.action.as_ref().map(|action| action.line()).as_deref(), ACTION),
            outcome: text(outcome.and_then(|outcome| outcome.text.as_deref()), OUTCOME),
            say: text(step.say.as_deref(), WORDS),
            user: text(step.user.as_deref(), WORDS),
            place: text(step.place.as_ref().and_then(|place| place.name.as_deref()), NAME),
            task: text(task.as_deref(), WORDS),
            error: outcome.is_some_and(loopbreak::Outcome::is_error),
            refused: step.refused,
            at: step.at.map(|at| at.0),
            ..RecordedStep::default()
        }
    }

    /// Sets the cost in US dollars, as part of that of the run.
    pub(super) fn settle_cost(&mut self, total: &SpendTotal) {
        self.cost_usd = self.spend.take().and_then(|spend| total.priced_part_usd(&spend));
        if self.cost_usd.is_some() {
            self.tokens = 0;
        }
    }

    pub(super) fn add_loop(&mut self, band: usize) {
        if self.loops.len() < LOOPS {
            self.loops.push(band);
        }
    }
}
