//! Converts verdicts and rulings of the engine.

use loopbreak::series::TaskCheck;
use loopbreak::{Ruling, Verdict, verdict::Audience};
use loopbreak_store::KnownLoop;
use serde_json::{Map, Value};

use super::output::{ActOutput, AdjustmentOutput, FindingOutput, LoopOutput, RecordStepOutput, RulingOutput};

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
        evidence: object(serde_json::to_value(&finding.evidence).unwrap_or_default()),
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

/// Converts the ruling on a proposal.
pub(crate) fn ruling(run: &str, ruling: &Ruling) -> RulingOutput {
    let adjustments = ruling.adjustments.iter().map(|adjustment| AdjustmentOutput {
        detector: adjustment.detector.to_string(),
        amount: adjustment.amount,
        reason: adjustment.reason.clone(),
        acted: adjustment.enforced,
    });
    let advice = ruling.advice.iter().filter(|advice| advice.audience == Audience::Agent);
    RulingOutput {
        run: run.to_owned(),
        accepted: ruling.accepted,
        score: ruling.score,
        base: ruling.base,
        accept_at: ruling.accept_at,
        intervention: ruling.intervention.map(|intervention| intervention.as_str().to_owned()),
        adjustments: adjustments.collect(),
        advice: advice.map(|advice| advice.text.clone()).collect(),
    }
}

/// Converts the judgement of a task.
pub(crate) fn task(run: &str, id: &str, check: TaskCheck) -> LoopOutput {
    LoopOutput {
        run: run.to_owned(),
        task_id: Some(id.to_owned()),
        is_looping: check.is_looping,
        loop_type: check.loop_type.map(|pattern| pattern.to_string()),
        attempt_count: check.attempt_count,
        recommendation: check.recommendation.map(|intervention| intervention.as_str().to_owned()),
        reason: check.reason,
        evidence: object(check.evidence),
    }
}

/// Returns the object in a value, empty if it is not an object.
pub(crate) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}
