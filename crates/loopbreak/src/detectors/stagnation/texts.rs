//! Texts about the findings of `stagnation`.

use super::settings::{ProgressWorth, ScoreProgress, StagnationSettings};
use crate::advice::{Template, TemplateValues};
use crate::detectors::{DetectorTexts, Pattern};
use crate::verdict::{Audience, Intervention};

pub(super) const TEXTS: DetectorTexts = DetectorTexts {
    reads: "`score`, `objectives`, `progress`",
    effect: "stops the run",
    catches: "no progress for {max_turns} turns; warns at {warn_at}",
    ignores: "runs without score, objectives or marks; runs that still discover new things",
    guide: include_str!("guide.md"),
    templates: &[WARNING, STOP],
    reason,
    advice,
};

const VALUES: &[&str] = &[
    "turn",
    "since",
    "turns_stuck",
    "turns_left",
    "countdown",
    "urgency",
    "heading",
    "level",
    "score_only",
    "score_needed",
    "score",
    "objectives",
    "exits",
    "loops",
    "max_turns_stuck",
    "last_score_change_turn",
    "last_objective_completion_turn",
    "repeated",
    "worth",
    "reason",
];

const WARNING: &Template = &Template {
    name: "stagnation",
    audience: Audience::Agent,
    values: VALUES,
    neutral: r#"[{urgency}] No progress for {turns_stuck} turns.
The score is {score}.
{?objectives}{?score}The run ends in {countdown} unless {score_needed} or an objective is completed.
{?objectives}{!score}The run ends in {countdown} unless an objective is completed.
{?score_only}{?score}The run ends in {countdown} unless {score_needed}.
{?score_only}{!score}The run ends in {countdown} unless there is progress.
{!score_only}{!objectives}The run ends in {countdown} unless there is progress.
{?countdown}{worth}.

Open objectives:
{objectives}

Recent loops:
{loops}

Suggestions:
{?objectives}- Work on another open objective, or on another part of the problem.
{!objectives}- Work on another part of the problem.
- Try something that has not been tried here.
- "{repeated}" has been tried before.
- Exits not tried yet: {exits}"#,
    zork: Some(
        "{?score_only}{heading}
{?score_only}You have made NO SCORE PROGRESS for {turns_stuck} turns.
{?score_only}You will DIE in {countdown} unless you INCREASE YOUR SCORE.
{?score_only}Urgency: {level}
{!score_only}{heading}: No progress for {turns_stuck} turns!
{?objectives}{?score}You will DIE in {countdown} unless you increase your score or complete an objective.
{?objectives}{!score}You will DIE in {countdown} unless you complete an objective.
{!score_only}{!objectives}You will DIE in {countdown} unless you increase your score.
{?countdown}{worth}.

CURRENT OBJECTIVES:
{objectives}

LOOPS SEEN:
{loops}

SUGGESTIONS:
{?objectives}- Try working on the objectives listed above
{?objectives}{?score}- Prioritize actions that might increase your score
{?repeated}- You have tried this action recently with no progress.
- Unexplored directions: {exits}",
    ),
    hook: None,
};

const STOP: &Template = &Template {
    name: "stagnation_stop",
    audience: Audience::User,
    values: VALUES,
    neutral: "Stopped: no progress for {turns_stuck} turns, since turn {since} (limit {max_turns_stuck}).
The score was {score}.

Recent loops:
{loops}",
    zork: Some("Terminating episode: no progress for {turns_stuck} turns (score stuck at {score})"),
    hook: None,
};

/// A limit that differs from the setting is named, with the reason for it.
fn reason(_: Pattern, values: &TemplateValues) -> &'static str {
    let number = |name| values.get(name).and_then(|value| value.parse::<u64>().ok());
    if number("turns_allowed") > number("max_turns_stuck") {
        return "no progress for {turns_stuck} turns (limit {turns_allowed}, raised from {max_turns_stuck} while it explored)";
    }
    "no progress for {turns_stuck} turns"
}

fn advice(_: Pattern, intervention: Intervention) -> &'static [&'static Template] {
    // The human is told why the run ends. The agent was warned before.
    if intervention == Intervention::Stop { &[STOP] } else { &[WARNING] }
}

/// Adds the values that depend on the settings: a warning names only what really ends the countdown. `left_to_stop` is
/// absent if the run is not stopped.
pub(crate) fn stagnation_values(
    left: u64,
    left_to_stop: Option<u64>,
    settings: &StagnationSettings,
    values: &mut TemplateValues,
) {
    let urgency = WarningUrgency::from_turns_left(left);
    values.word("urgency", urgency.as_str()).word("level", urgency.level());
    values.word("heading", urgency.heading(settings.objectives));
    match left_to_stop {
        Some(1) => _ = values.word("countdown", "1 turn"),
        Some(left) => _ = values.sentence("countdown", &format!("{left} turns")),
        None => values.unset("turns_left"),
    }
    if !settings.objectives {
        values.word("score_only", "yes").unset("objectives");
    }
    let score_needed = match settings.progress {
        ScoreProgress::AnyChange => "the score changes",
        ScoreProgress::Increase => "the score increases",
        ScoreProgress::HighWater => "the score exceeds its highest value so far",
    };
    values.word("score_needed", score_needed);
    if let Some(worth) = describe_worth(settings) {
        values.sentence("worth", &worth);
    }
}

/// Describes the turns that each kind of progress buys, if they differ from `max_turns`.
fn describe_worth(settings: &StagnationSettings) -> Option<String> {
    let (score, objective) = (settings.score_worth(), settings.objective_worth());
    let objective = Some(objective).filter(|_| settings.objectives);
    let usual = settings.mark_worth();
    if score == usual && objective.is_none_or(|objective| objective == usual) {
        return None;
    }
    let describe = |worth: ProgressWorth| {
        let restored = worth.extend(0, 0);
        if restored == worth.turns {
            format!("up to {restored} turns")
        } else {
            format!("{restored} turns, up to {}", worth.turns)
        }
    };
    let score = format!("A change of the score buys {}", describe(score));
    Some(match objective {
        Some(objective) => format!("{score}; a completed objective {}", describe(objective)),
        None => score,
    })
}

/// Urgency of a warning, by the number of turns left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum WarningUrgency {
    Important,
    Urgent,
    Critical,
}

impl WarningUrgency {
    pub(crate) fn from_turns_left(turns_left: u64) -> Self {
        match turns_left {
            0..=5 => WarningUrgency::Critical,
            6..=10 => WarningUrgency::Urgent,
            _ => WarningUrgency::Important,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            WarningUrgency::Important => "important",
            WarningUrgency::Urgent => "urgent",
            WarningUrgency::Critical => "critical",
        }
    }

    /// Returns the name of the urgency in the words of the documents.
    fn level(self) -> &'static str {
        match self {
            WarningUrgency::Important => "IMPORTANT",
            WarningUrgency::Urgent => "URGENT",
            WarningUrgency::Critical => "IMMEDIATE",
        }
    }

    /// Returns the heading of a warning in the words of the documents.
    fn heading(self, objectives_count: bool) -> &'static str {
        match self {
            WarningUrgency::Important if objectives_count => "⚠️ WARNING",
            WarningUrgency::Important => "⚠️ SCORE STAGNATION DETECTED",
            WarningUrgency::Urgent => "⚠️ URGENT WARNING",
            WarningUrgency::Critical => "🚨 CRITICAL EMERGENCY",
        }
    }
}
