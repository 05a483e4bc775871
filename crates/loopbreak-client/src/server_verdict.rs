//! Answers of a service. Everything in them is foreign: it is bounded before it is used.

use loopbreak::DetectorName;
use serde::Deserialize;
use serde_json::Value;

use crate::foreign_text::foreign_value;
use crate::server_failure::ServerFailure;

/// Longest text for the agent or the user, in bytes.
const SAID_BYTES: usize = 1_000;
/// Largest number of texts that are passed on.
const MAX_SAID: usize = 3;
/// The reason of an end that somebody asked for.
const STOP_REQUEST: &str = "stop_request";

/// The answer to a step.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
#[non_exhaustive]
pub struct ServerVerdict {
    /// `clear`, `warn` or `stop`.
    pub verdict: String,
    /// Interventions against findings.
    pub interventions: Vec<ServerIntervention>,
    /// Texts for the agent.
    pub advice: Vec<String>,
    /// Texts for the human who runs the agent.
    pub for_user: Vec<String>,
    /// Reason why the run has to end, if it has.
    pub stop: Option<String>,
    /// The whole answer.
    #[serde(skip)]
    pub body: Value,
}

/// An intervention.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ServerIntervention {
    /// Its name, such as `warn` or `stop`.
    pub intervention: String,
    /// The reason.
    pub reason: String,
    /// False if the guard only observes.
    pub acted: bool,
}

/// The answer to the question whether to take an action.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
#[non_exhaustive]
pub struct ServerRuling {
    /// True if the action may be taken.
    pub accepted: bool,
    /// `penalize` or `reject`, if something counts against the action.
    pub intervention: Option<String>,
    /// Arguments against the action or for it.
    pub adjustments: Vec<ServerAdjustment>,
    /// Texts for the agent.
    pub advice: Vec<String>,
    /// Reason why the run has to end, if it has.
    pub stop: Option<String>,
    /// The whole answer.
    #[serde(skip)]
    pub body: Value,
}

/// The opinion of a detector about an action.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ServerAdjustment {
    /// Name of the detector.
    pub detector: String,
    /// Change of the score.
    pub amount: f64,
    /// The reason, as the end of a sentence that begins with the action.
    pub reason: String,
    /// False if the guard only observes.
    pub acted: bool,
}

impl ServerVerdict {
    /// Reads an answer.
    pub fn read(body: Value) -> Result<Self, ServerFailure> {
        let body = foreign_value(body);
        let verdict: ServerVerdict = serde_json::from_value(body.clone()).map_err(|_| malformed())?;
        if !["clear", "warn", "stop"].contains(&verdict.verdict.as_str()) {
            return Err(malformed());
        }
        Ok(ServerVerdict { body, ..verdict })
    }

    /// Returns the number of the step.
    pub fn turn(&self) -> u64 {
        self.body["turn"].as_u64().unwrap_or_default()
    }

    /// Returns whether somebody asked to stop the run.
    pub fn is_stop_request(&self) -> bool {
        self.stop.as_deref() == Some(STOP_REQUEST)
    }

    /// Returns why the run has to end, in words, if it has.
    pub fn stop_text(&self) -> Option<String> {
        let stop = self.stop.as_deref()?;
        let reasons = self.interventions.iter().filter(|act| act.acted && act.intervention == "stop");
        let reasons: Vec<&str> = reasons.map(|act| act.reason.as_str()).collect();
        Some(match (self.is_stop_request(), reasons.is_empty()) {
            (true, _) => clip_said(self.advice.last().map_or(stop, String::as_str)),
            (false, false) => clip_said(&reasons.join("; ")),
            (false, true) => clip_said(stop),
        })
    }

    /// Returns the texts for the agent as one.
    pub fn agent_text(&self) -> Option<String> {
        said(&self.advice)
    }

    /// Returns the texts for the user as one: what is said to the user, or why a human is needed.
    pub fn user_text(&self) -> Option<String> {
        let needs_human = self.interventions.iter().filter(|act| act.acted && act.intervention == "escalate");
        let reasons: Vec<String> = needs_human.map(|act| act.reason.clone()).collect();
        said(&self.for_user).or_else(|| said(&reasons).map(|reasons| format!("a human is needed: {reasons}")))
    }

    /// Returns whether the service has nothing to say about the step and does nothing about it.
    pub fn is_silent(&self) -> bool {
        self.stop.is_none()
            && self.advice.is_empty()
            && self.for_user.is_empty()
            && !self.interventions.iter().any(|act| act.acted)
    }
}

impl ServerRuling {
    /// Reads an answer.
    pub fn read(body: Value) -> Result<Self, ServerFailure> {
        let body = foreign_value(body);
        if !body["accepted"].is_boolean() {
            return Err(malformed());
        }
        let ruling: ServerRuling = serde_json::from_value(body.clone()).map_err(|_| malformed())?;
        Ok(ServerRuling { body, ..ruling })
    }

    /// Returns the number of the last step that the service has seen of the run. 0 if it does not tell.
    pub fn turn(&self) -> u64 {
        self.body["turn"].as_u64().unwrap_or_default()
    }

    /// Returns why the run has to end, in words, if it has.
    pub fn stop_text(&self) -> Option<String> {
        let stop = self.stop.as_deref()?;
        Some(clip_said(self.advice.last().map_or(stop, String::as_str)))
    }

    /// Returns why the action is to be refused, as [`CallObjection`](loopbreak::agent::CallObjection) does: only detectors that
    /// object to the call itself can refuse it, and some of them only if the agent was warned about the call.
    pub fn objection(&self, has_warned: impl FnOnce() -> bool) -> Option<String> {
        if self.intervention.as_deref() != Some("reject") {
            return None;
        }
        let (objection, detector) = self.adjustments.iter().find_map(|adjustment| {
            let detector: DetectorName = adjustment.detector.parse().ok()?;
            // A target that keeps failing may accept a different call.
            let objects = adjustment.acted
                && adjustment.amount < 0.0
                && detector.may_refuse_calls()
                && detector != DetectorName::FailingTarget;
            objects.then_some((adjustment, detector))
        })?;
        let may_refuse = !detector.warns_before_refusing() || has_warned();
        may_refuse.then(|| clip_said(objection.reason.trim_end_matches('.')))
    }
}

fn malformed() -> ServerFailure {
    ServerFailure::Malformed("its answer has another form than expected".to_owned())
}

fn clip_said(text: &str) -> String {
    loopbreak::text::clip(text, SAID_BYTES).to_owned()
}

/// Joins texts. `None` if there are none.
fn said(texts: &[String]) -> Option<String> {
    let texts: Vec<String> = texts.iter().take(MAX_SAID).map(|text| clip_said(text)).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_verdict_of_another_form_is_not_believed() {
        for body in [json!(null), json!([]), json!({}), json!({"verdict": "fine"}), json!({"verdict": 1})] {
            assert!(ServerVerdict::read(body.clone()).is_err(), "{body}");
            assert!(ServerRuling::read(body.clone()).is_err(), "{body}");
        }
        let wrong = json!({"verdict": "warn", "advice": "a text"});
        assert!(ServerVerdict::read(wrong).is_err());
    }

    #[test]
    fn a_stop_is_told_with_its_reason() {
        let asked = json!({"verdict": "stop", "stop": "stop_request", "advice": ["A person asked to stop.\u{1b}[2J"]});
        let asked = ServerVerdict::read(asked).unwrap();
        assert!(asked.is_stop_request() && !asked.is_silent());
        assert_eq!(asked.stop_text().unwrap(), "A person asked to stop.\\u{1b}[2J");
        let spent = json!({"verdict": "stop", "stop": "max_cost", "interventions": [
            {"intervention": "warn", "reason": "no", "acted": true},
            {"intervention": "stop", "reason": "5 USD were spent", "acted": true}]});
        assert_eq!(ServerVerdict::read(spent).unwrap().stop_text().unwrap(), "5 USD were spent");
        assert!(ServerVerdict::read(json!({"verdict": "clear"})).unwrap().is_silent());
    }

    #[test]
    fn only_detectors_that_object_to_the_call_itself_refuse_it() {
        let ruling = |detector: &str, acted: bool| {
            let body = json!({"accepted": false, "intervention": "reject", "adjustments": [
                {"detector": detector, "amount": -1.0, "reason": "has failed 4 times.", "acted": acted}]});
            ServerRuling::read(body).unwrap()
        };
        assert_eq!(ruling("cycle", true).objection(|| true).as_deref(), Some("has failed 4 times"));
        assert_eq!(ruling("cycle", false).objection(|| true), None);
        assert_eq!(ruling("failing_target", true).objection(|| true), None);
        assert_eq!(ruling("of another version", true).objection(|| true), None);
        let accepted = json!({"accepted": true, "adjustments": []});
        assert_eq!(ServerRuling::read(accepted).unwrap().objection(|| true), None);
    }
}
