//! The list of runs as data.

use loopbreak::{DetectorName, Intervention, Pattern};
use loopbreak_analysis::recording::{FinishedRecording, visible_text};
use loopbreak_analysis::{RunReport, ScoreReport, VerdictName};
use serde::Serialize;

use super::page_loops::{LoopEntry, PageLoops};

use crate::turn_ranges::turn_ranges;
use crate::unread_items::unread_items;

/// Maximum length of a name, in bytes.
const NAME: usize = 160;
/// Maximum length of the words of a prompt, in bytes.
const PROMPT: usize = 160;
/// Maximum number of models.
const MODELS: usize = 4;

/// A run in the list. The keys are short because a page has many of them.
#[derive(Serialize)]
pub(super) struct OverviewLine<'r> {
    #[serde(rename = "id")]
    run: String,
    #[serde(rename = "src")]
    source: String,
    #[serde(rename = "fmt")]
    format: &'r str,
    #[serde(rename = "v")]
    verdict: VerdictName,
    #[serde(rename = "n")]
    steps: u64,
    /// The first and the last turn.
    #[serde(rename = "t")]
    turns: (u64, u64),
    #[serde(rename = "w", skip_serializing_if = "Option::is_none")]
    warned: Option<OverviewPoint>,
    #[serde(rename = "e", skip_serializing_if = "Option::is_none")]
    ending: Option<OverviewPoint>,
    /// Steps, tokens and money after the ending.
    #[serde(rename = "s")]
    saved: u64,
    #[serde(rename = "sk", skip_serializing_if = "Option::is_none")]
    saved_tokens: Option<u64>,
    #[serde(rename = "sc", skip_serializing_if = "Option::is_none")]
    saved_cost: Option<f64>,
    #[serde(rename = "k", skip_serializing_if = "Option::is_none")]
    tokens: Option<u64>,
    #[serde(rename = "c", skip_serializing_if = "Option::is_none")]
    cost: Option<f64>,
    /// Progress was made after the ending.
    #[serde(rename = "d", skip_serializing_if = "Option::is_none")]
    destroyed: Option<bool>,
    #[serde(rename = "sr", skip_serializing_if = "Option::is_none")]
    score: Option<ScoreReport>,
    /// First and last time, in milliseconds since 1970.
    #[serde(rename = "at", skip_serializing_if = "Option::is_none")]
    times: Option<(i64, i64)>,
    /// The first models.
    #[serde(rename = "mo", skip_serializing_if = "Vec::is_empty")]
    models: Vec<String>,
    /// The folder of the project.
    #[serde(rename = "pj", skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    /// The first words of the prompt.
    #[serde(rename = "pm", skip_serializing_if = "Option::is_none")]
    prompt: Option<String>,
    /// A part of the cost is estimated.
    #[serde(rename = "es", skip_serializing_if = "std::ops::Not::not")]
    is_estimate: bool,
    /// Tokens without a price.
    #[serde(rename = "up", skip_serializing_if = "is_zero")]
    unpriced_tokens: u64,
    /// Money, tokens and steps in loops.
    #[serde(rename = "lu", skip_serializing_if = "Option::is_none")]
    loop_cost: Option<f64>,
    #[serde(rename = "lk", skip_serializing_if = "is_zero")]
    loop_tokens: u64,
    #[serde(rename = "ls", skip_serializing_if = "is_zero")]
    loop_steps: u64,
    /// The loops.
    #[serde(rename = "lp", skip_serializing_if = "Vec::is_empty")]
    loops: Vec<LoopEntry>,
    /// Loops that continued, that were left, and that ended with the run, after their first warning.
    #[serde(rename = "fx")]
    effects: (u64, u64, u64),
    /// Number of model calls saved, if a step is more than one.
    #[serde(rename = "mc", skip_serializing_if = "Option::is_none")]
    saved_calls: Option<u64>,
    /// The checks at which there had been no progress for too long: their number, and the turns in words.
    #[serde(rename = "ck", skip_serializing_if = "Option::is_none")]
    checks: Option<(usize, String)>,
    /// Rejected and penalized proposals.
    #[serde(rename = "pr", skip_serializing_if = "Option::is_none")]
    proposals: Option<(u64, u64)>,
    /// Sentence about items of the run that could not be read.
    #[serde(rename = "ur", skip_serializing_if = "Option::is_none")]
    unread: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A turn and its finding.
#[derive(Serialize)]
struct OverviewPoint(u64, DetectorName, Pattern, Option<Intervention>);

impl<'r> OverviewLine<'r> {
    pub(super) fn new(run: &'r RunReport, recording: &FinishedRecording, loops: &PageLoops<'_>) -> Self {
        let ending = run.ending.as_ref();
        let has_ended = ending.is_some();
        let turns = recording.turns.unwrap_or((1, run.steps.max(1)));
        let effects = run.effects;
        OverviewLine {
            run: visible_text(&run.run, NAME),
            source: visible_text(&run.source, NAME),
            format: run.format,
            verdict: run.verdict,
            steps: run.steps,
            turns,
            warned: run
                .first_warning
                .as_ref()
                .map(|it| OverviewPoint(it.turn, it.detector, it.pattern, None)),
            ending: ending.map(|it| OverviewPoint(it.turn, it.detector, it.pattern, Some(it.intervention))),
            saved: run.steps_after_ending,
            saved_tokens: run.tokens_after_ending.filter(|_| has_ended),
            saved_cost: run.spending.after_ending_usd.filter(|_| has_ended),
            tokens: run.tokens,
            cost: run.spending.spent_usd,
            destroyed: run.progress_after_ending.filter(|_| has_ended),
            score: run.score,
            times: run.started.zip(run.ended),
            models: run.models.iter().take(MODELS).map(|model| visible_text(model, NAME)).collect(),
            project: run.about.project.as_ref().map(|project| visible_text(project, NAME)),
            prompt: run.about.prompt.as_ref().map(|prompt| visible_text(prompt, PROMPT)),
            is_estimate: run.spending.estimated_usd.is_some(),
            unpriced_tokens: run.spending.unpriced_tokens,
            loop_cost: run.spending.in_loops_usd,
            loop_tokens: run.spending.tokens_in_loops,
            loop_steps: run.spending.steps_in_loops,
            loops: loops.loops_of(run),
            effects: (effects.went_on, effects.changed_course, effects.ended),
            saved_calls: Some(run.llm_calls_saved).filter(|calls| *calls != run.steps_after_ending),
            checks: Some(run.checkpoints.len())
                .filter(|checks| *checks > 0)
                .map(|checks| (checks, turn_ranges(&run.checkpoints, "–"))),
            proposals: Some((run.rejected_proposals, run.penalized_proposals))
                .filter(|(rejected, penalized)| rejected + penalized > 0),
            unread: unread_items(run.unread_items.unwrap_or(0)),
        }
    }
}
