//! Which texts go with which finding.

use super::template::fill;
use super::templates::template;
use super::values::TemplateValues;
use crate::detectors::{DetectorName, Pattern};
use crate::policy::TaskRecovery;
use crate::settings::{Settings, TemplateSet};
use crate::verdict::{Advice, Intervention, ProposalHint, ScoreAdjustment};

/// A template, filled in: the user's own text, or that of the chosen set.
pub(crate) fn text_of(name: &str, values: &TemplateValues, settings: &Settings) -> String {
    let own = settings.advice.texts.get(name).map(String::as_str);
    let shipped = template(name).map(|template| match settings.advice.templates {
        TemplateSet::Neutral => template.neutral,
        TemplateSet::Zork => template.zork.unwrap_or(template.neutral),
    });
    own.or(shipped).map(|text| fill(text, values)).unwrap_or_default()
}

fn advice(
    name: &str,
    detector: DetectorName,
    values: &TemplateValues,
    settings: &Settings,
) -> Option<Advice> {
    let audience = template(name)?.audience;
    let text = text_of(name, values, settings);
    (!text.is_empty()).then_some(Advice { audience, detector, text })
}

/// The texts that go with a finding.
pub(crate) fn of_finding(
    detector: DetectorName,
    pattern: Pattern,
    rung: Option<Intervention>,
    values: &TemplateValues,
    settings: &Settings,
) -> Vec<Advice> {
    let Some(rung) = rung else { return Vec::new() };
    let names: &[&str] = match (detector, rung) {
        // A human is told why; the agent has been told before.
        (DetectorName::Stagnation, Intervention::Stop) => &["stagnation_stop"],
        (DetectorName::Stagnation, _) => &["stagnation"],
        (DetectorName::Oscillation, Intervention::Warn | Intervention::Hint) => {
            &["oscillation", "oscillation_critic"]
        }
        (DetectorName::Camping, Intervention::Warn | Intervention::Hint) => &["camping", "camping_critic"],
        (DetectorName::Revisit, Intervention::Hint) => &["revisit"],
        (DetectorName::Oscillation | DetectorName::Camping | DetectorName::Revisit, _) => &["refused"],
        (_, _) if pattern == Pattern::RefusedRepeat => &["refused_repeat"],
        (DetectorName::Novelty, _) if pattern == Pattern::UnexploredExits => &["unexplored_exits"],
        (DetectorName::Novelty, _) => &["repeated_action"],
        (DetectorName::Signature | DetectorName::Similarity, Intervention::Escalate | Intervention::Stop) => {
            &["repeated_output", "escalation"]
        }
        (DetectorName::Signature | DetectorName::Similarity, _) => &["repeated_output"],
        (
            DetectorName::Cycle | DetectorName::Recurrence | DetectorName::Drift | DetectorName::Poll,
            Intervention::Escalate | Intervention::Stop,
        ) => &["repeated_calls", "escalation"],
        (DetectorName::Cycle | DetectorName::Recurrence | DetectorName::Drift | DetectorName::Poll, _) => {
            &["repeated_calls"]
        }
        (DetectorName::FailingTarget, Intervention::Escalate | Intervention::Stop) => {
            &["failing_target", "escalation"]
        }
        (DetectorName::FailingTarget, _) => &["failing_target"],
        (DetectorName::Chant, Intervention::Escalate | Intervention::Stop) => &["chant", "escalation"],
        (DetectorName::Chant, _) => &["chant"],
        (DetectorName::Noop, Intervention::Escalate | Intervention::Stop) => &["noop", "escalation"],
        (DetectorName::Noop, _) => &["noop"],
        (DetectorName::Restart, _) => &["restart"],
        (DetectorName::Budget, _) => &["budget"],
        (DetectorName::Errors, _) => &["errors"],
        (DetectorName::Task | DetectorName::Custom(_), _) => &[],
    };
    let mut values = values.clone();
    values.set("reason", reason_of(detector, pattern, &values));
    names.iter().filter_map(|name| advice(name, detector, &values, settings)).collect()
}

/// The texts that go with a recovery of a task.
pub(crate) fn of_recovery(recovery: &TaskRecovery) -> Vec<Advice> {
    let audience = match recovery.intervention {
        Intervention::Escalate => crate::verdict::Audience::User,
        _ => crate::verdict::Audience::Agent,
    };
    // The last entry is the one that speaks; the first is the record.
    let text = recovery.context.last().map(|entry| entry.content.clone());
    text.map(|text| Advice { audience, detector: DetectorName::Task, text }).into_iter().collect()
}

/// The texts that go with a ruling: why the worth changed, and what the hints say.
pub(crate) fn of_ruling(
    adjustments: &[ScoreAdjustment],
    hints: &[ProposalHint],
    settings: &Settings,
) -> Vec<Advice> {
    let mut texts = Vec::new();
    for adjustment in adjustments.iter().filter(|adjustment| adjustment.enforced) {
        let mut values = TemplateValues::default();
        values.set("reason", &adjustment.reason).set("amount", format!("{:+}", adjustment.amount));
        texts.extend(advice("adjustment", adjustment.detector, &values, settings));
    }
    for hint in hints {
        texts.extend(of_finding(
            hint.detector,
            hint.pattern,
            Some(Intervention::Hint),
            &TemplateValues::of(&hint.evidence),
            settings,
        ));
    }
    texts
}

/// Why, in one sentence without an end: it goes on inside others.
pub(crate) fn reason_of(detector: DetectorName, pattern: Pattern, values: &TemplateValues) -> String {
    let reason = match (detector, pattern) {
        (_, Pattern::RefusedReturn | Pattern::RefusedRepeat)
        | (DetectorName::Task | DetectorName::Custom(_), _) => "{reason}",
        (DetectorName::Novelty, Pattern::UnexploredExits) => "there are exits nobody tried: {exits}",
        (DetectorName::Novelty, _) => "the action was done before, at turn {last_turn}",
        (DetectorName::Stagnation, _) => "no progress for {turns_stuck} turns",
        (DetectorName::Oscillation, _) => "to and fro between {pattern_names}",
        (DetectorName::Camping, _) => {
            "{visit_count} of the last {window_size} turns at {camped_location_name}"
        }
        (DetectorName::Revisit, _) => "back at {location_name}",
        (DetectorName::Signature, _) => "the same output signature {repeats} times: {signature}",
        (DetectorName::Similarity, _) => {
            "the output repeats that of turn {like_turn} (similarity {similarity})"
        }
        (DetectorName::Cycle, Pattern::Circuit) => {
            "the same round of {period} places, {rounds} times: {places}"
        }
        (DetectorName::Cycle, _) if values.get("period") == Some("1") => {
            "the same call with the same outcome, {rounds} times: {action}"
        }
        (DetectorName::Cycle, _) => "the same {period} calls with the same outcome, {rounds} times: {action}",
        (DetectorName::Recurrence, Pattern::Again) => {
            "the same call with the same outcome, {times} times with others between: {action}"
        }
        (DetectorName::Recurrence, _) => {
            "{repeats} of the last {window} calls had been made before, with the same outcome"
        }
        (DetectorName::Drift, Pattern::Rephrased) => {
            "{questions} searches in a row ask the same in other words"
        }
        (DetectorName::Drift, Pattern::Sweep) => {
            "{calls} calls in which only `{argument}` moves on: {action}"
        }
        (DetectorName::Drift, Pattern::VainEdits) => {
            "{failures} times the same failure, although something was changed each time: {failure}"
        }
        (DetectorName::Drift, _) => "{failures} calls with other arguments failed in the same way: {failure}",
        (DetectorName::FailingTarget, _) => "{failures} tries at {target} failed, the last with: {failure}",
        (DetectorName::Poll, _) => "{polls} polls with the same reply: {action}",
        (DetectorName::Chant, Pattern::RepeatedMessage) => "the same message {times} times: {message}",
        (DetectorName::Chant, _) => "the text repeats itself {rounds} times: {unit}",
        (DetectorName::Noop, Pattern::Idle) => "{messages} messages in a row without a single call",
        (DetectorName::Noop, Pattern::NoEffect) => {
            "{edits} edits reported success and had no effect: {action}"
        }
        (DetectorName::Noop, Pattern::Undone) => "{edits} edits that undo one another: {action}",
        (DetectorName::Noop, _) => "{edits} edits that change nothing: {action}",
        (DetectorName::Restart, Pattern::Spawning) => {
            "{runs} runs with the same prompt were started within {seconds} s and came to nothing: {prompt}"
        }
        (DetectorName::Restart, _) => "{runs} runs in a row with the same prompt died young: {prompt}",
        (DetectorName::Budget, _) => "{pattern}: {used} of {limit} used",
        (DetectorName::Errors, _) => "{errors} errors in a row",
    };
    let mut values = values.clone();
    values.set("pattern", pattern);
    fill(reason, &values)
}
