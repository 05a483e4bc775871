//! Converts verdicts and rulings of the engine.

use loopbreak::event::Event;
use loopbreak::series::TaskCheck;
use loopbreak::text::inert;
use loopbreak::{Ruling, Verdict, verdict::Audience};
use loopbreak_store::KnownLoop;
use serde_json::{Map, Value};

use super::output::{ActOutput, AdjustmentOutput, FindingOutput, LoopOutput, RecordStepOutput, RulingOutput};

/// Largest number of events in an answer.
const MAX_EVENTS: usize = 20;

/// Converts the verdict on a step.
pub(crate) fn step(run: &str, verdict: &Verdict, known: &[KnownLoop]) -> RecordStepOutput {
    let findings = verdict.findings.iter().map(|finding| FindingOutput {
        since: finding.since,
        detector: finding.detector.to_string(),
        pattern: finding.pattern.to_string(),
        severity: finding.severity.to_string(),
        count: finding.count,
        loop_id: finding.loop_id.to_string(),
        agent: finding.agent.clone(),
        acted: finding.enforced,
        evidence: object(inert_texts(serde_json::to_value(&finding.evidence).unwrap_or_default())),
    });
    let interventions = verdict.decisions.iter().map(|decision| ActOutput {
        intervention: decision.intervention.as_str().to_owned(),
        pattern: decision.pattern.to_string(),
        reason: decision.reason.clone(),
        loop_id: decision.loop_id.to_string(),
        acted: decision.enforced,
    });
    RecordStepOutput {
        run: run.to_owned(),
        turn: verdict.turn,
        verdict: verdict_word(verdict, known),
        findings: findings.collect(),
        interventions: interventions.collect(),
        advice: texts(verdict, Audience::Agent),
        for_user: texts(verdict, Audience::User),
        for_critic: critic_texts(verdict),
        events: events(&verdict.events),
        stop: verdict.stop.as_ref().map(|stop| stop.reason.to_string()),
        task: None,
    }
}

/// Summarizes a verdict in a word. The engine reports a loop once per severity; later steps of the loop are not clear.
fn verdict_word(verdict: &Verdict, known: &[KnownLoop]) -> &'static str {
    let found = verdict.findings.iter().map(|finding| finding.severity.as_str());
    let sighted = verdict.sighted.iter().map(ToString::to_string);
    let sighted = sighted.filter_map(|id| known.iter().find(|seen| seen.id == id));
    let all: Vec<&str> = found.chain(sighted.map(|seen| seen.severity.as_str())).collect();
    match () {
        () if all.contains(&"hard") => "stop",
        () if all.contains(&"warn") => "warn",
        () => "clear",
    }
}

/// Returns the texts of a verdict for an audience.
pub(crate) fn texts(verdict: &Verdict, audience: Audience) -> Vec<String> {
    let advice = verdict.advice.iter().filter(|advice| advice.audience == audience);
    advice.map(|advice| advice.text.clone()).collect()
}

/// Returns the texts of a verdict for the critic: those about the loop, and those about the score of the action.
fn critic_texts(verdict: &Verdict) -> Vec<String> {
    let mut all = texts(verdict, Audience::Critic);
    let of_ruling = verdict.ruling.iter().flat_map(|ruling| ruling_texts(ruling, Audience::Critic));
    for text in of_ruling {
        if !all.contains(&text) {
            all.push(text);
        }
    }
    all
}

fn ruling_texts(ruling: &Ruling, audience: Audience) -> Vec<String> {
    let advice = ruling.advice.iter().filter(|advice| advice.audience == audience);
    advice.map(|advice| advice.text.clone()).collect()
}

/// Converts events of the engine. The last ones are left out if there are too many.
pub(crate) fn events(events: &[Event]) -> Vec<Value> {
    events.iter().take(MAX_EVENTS).filter_map(|event| serde_json::to_value(event).ok()).collect()
}

/// Converts the ruling on a proposal.
pub(crate) fn ruling(run: &str, ruling: &Ruling) -> RulingOutput {
    let adjustments = ruling.adjustments.iter().map(|adjustment| AdjustmentOutput {
        detector: adjustment.detector.to_string(),
        amount: adjustment.amount,
        reason: adjustment.reason.clone(),
        acted: adjustment.enforced,
    });
    RulingOutput {
        run: run.to_owned(),
        accepted: ruling.accepted,
        score: ruling.score,
        base: ruling.base,
        accept_at: ruling.accept_at,
        intervention: ruling.intervention.map(|intervention| intervention.as_str().to_owned()),
        adjustments: adjustments.collect(),
        advice: ruling_texts(ruling, Audience::Agent),
        for_critic: ruling_texts(ruling, Audience::Critic),
        events: events(&ruling.events),
    }
}

/// Converts the judgement of a task.
pub(crate) fn task(run: &str, id: &str, check: TaskCheck) -> LoopOutput {
    let blockers = check.evidence["blockers"].as_array().into_iter().flatten();
    LoopOutput {
        run: run.to_owned(),
        task_id: Some(id.to_owned()),
        blockers: blockers.filter_map(|blocker| blocker.as_str().map(str::to_owned)).collect(),
        is_looping: check.is_looping,
        loop_type: check.loop_type.map(|pattern| pattern.to_string()),
        attempt_count: check.attempt_count,
        recommendation: check.recommendation.map(|intervention| intervention.as_str().to_owned()),
        reason: check.reason,
        evidence: object(inert_texts(check.evidence)),
    }
}

/// Returns a value whose texts have no line ends, tags and invisible characters. Models read them, and some act on such parts.
fn inert_texts(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(inert(&text)),
        Value::Array(items) => items.into_iter().map(inert_texts).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, inert_texts(value))).collect(),
        other => other,
    }
}

/// Returns the object in a value, empty if it is not an object.
pub(crate) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}
