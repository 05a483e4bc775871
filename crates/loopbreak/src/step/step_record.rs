//! The step record, one JSON object per line.

use std::fmt;

use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::{
    Action, Critic, EpochMillis, HarnessEvent, Label, Objectives, Outcome, Place, PlaceRef, StepText, Task,
    Usage,
};

/// The name of the agent that a step without one belongs to.
pub const MAIN_AGENT: &str = "main";

/// One step of an agent: an action and its outcome. Every part is optional.
///
/// ```
/// use loopbreak::{Action, Step};
///
/// let read = Step::from_json(r#"{"turn":12,"action":"north","place":{"id":20,"name":"Dam"},"score":40}"#)?;
/// assert_eq!(read.turn, Some(12));
///
/// let built = Step { action: Some(Action::new("north")), score: Some(40.0), ..Step::default() };
/// assert_eq!(built.score, read.score);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Step<'a> {
    /// Name of the run that the step belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Label<'a>>,
    /// Number of the step. If it is absent, the previous number plus 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<u64>,
    /// Time of the step: RFC 3339, or milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<EpochMillis>,
    /// Name of the agent, if the run has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<StepText<'a>>,
    /// Name of the model that the agent used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<StepText<'a>>,
    /// Same value on all calls that one message of the agent made in parallel. They are one decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<Label<'a>>,
    /// Something that the harness of the agent did and nobody said: `compaction`, `continuation` or `notification`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub harness: Option<HarnessEvent>,
    /// Action of the agent: a tool call, or a command as a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<Action<'a>>,
    /// Outcome of the action: its output as a text, or an object that can mark a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome<'a>>,
    /// Message or thought of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub say: Option<StepText<'a>>,
    /// Message of the user. It ends streaks of repetition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<StepText<'a>>,
    /// Place of the agent after the step, if its environment has places.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place<'a>>,
    /// Place that the action was expected to lead to, if the caller's map has it. Used to weigh an action that a critic
    /// scored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destination: Option<PlaceRef<'a>>,
    /// Score after the step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Goals: `active` are still open, `completed` were reached in this step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objectives: Option<Objectives<'a>>,
    /// Attempt at a task that this step reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<Task<'a>>,
    /// Explicit mark of progress.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<bool>,
    /// True if the action was proposed and refused. Such a step is observed but does not count as a turn.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<bool>"))]
    pub refused: bool,
    /// A critic's assessment of the action, from before it was carried out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub critic: Option<Critic>,
    /// Tokens and money that the step cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Number of unknown keys of the record, which are ignored.
    #[serde(skip)]
    pub unknown_keys: u32,
}

impl<'a> Step<'a> {
    /// Parses one line of a native log.
    pub fn from_json(line: &'a str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(line)
    }

    /// Returns whether the record has any part besides run, agent, turn and time.
    pub fn has_facet(&self) -> bool {
        self.action.is_some()
            || self.outcome.is_some()
            || self.say.is_some()
            || self.user.is_some()
            || self.harness.is_some()
            || self.place.is_some()
            || self.score.is_some()
            || self.objectives.is_some()
            || self.task.is_some()
            || self.progress.is_some()
            || self.critic.is_some()
            || self.usage.is_some()
    }

    /// Returns the critic's score if it is a finite number.
    pub(crate) fn critic_score(&self) -> Option<f64> {
        self.critic?.score.filter(|score| score.is_finite())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Step<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct StepVisitor;
        impl<'de> Visitor<'de> for StepVisitor {
            type Value = Step<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a step: one JSON object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Step<'de>, A::Error> {
                let mut step = Step::default();
                while let Some(key) = map.next_key::<StepText<'de>>()? {
                    match &*key {
                        // The first value wins, so that a reader that only needs the run can stop there.
                        "run" if step.run.is_none() => step.run = map.next_value()?,
                        "run" => {
                            map.next_value::<IgnoredAny>()?;
                        }
                        "turn" => step.turn = map.next_value()?,
                        "at" => step.at = map.next_value()?,
                        "agent" => step.agent = map.next_value()?,
                        "model" => step.model = map.next_value()?,
                        "batch" => step.batch = map.next_value()?,
                        "harness" => {
                            let name: Option<StepText<'de>> = map.next_value()?;
                            step.harness = HarnessEvent::from_name(name.as_deref());
                        }
                        "action" => step.action = map.next_value()?,
                        "outcome" => step.outcome = map.next_value()?,
                        "say" => step.say = map.next_value()?,
                        "user" => step.user = map.next_value()?,
                        "place" => step.place = map.next_value()?,
                        "destination" => step.destination = map.next_value()?,
                        "score" => step.score = map.next_value()?,
                        "objectives" => step.objectives = map.next_value()?,
                        "task" => step.task = map.next_value()?,
                        "progress" => step.progress = map.next_value()?,
                        "refused" => step.refused = map.next_value::<Option<bool>>()?.unwrap_or(false),
                        "critic" => step.critic = map.next_value()?,
                        "usage" => step.usage = map.next_value()?,
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                            step.unknown_keys = step.unknown_keys.saturating_add(1);
                        }
                    }
                }
                Ok(step)
            }
        }
        deserializer.deserialize_map(StepVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::Denial;

    const FULL: &str = r#"{"run":"ep-7","turn":12,"at":"2025-11-04T09:35:24Z","agent":"main","model":"m-1","batch":"b-3","harness":"notification","action":{"name":"bash","args":{"command":"cargo test"},"kind":"run","target":"tests","annotations":{"readOnlyHint":false}},"outcome":{"text":"1 failed","error":true,"exit":101,"denied":"policy"},"say":"I will run the tests again","user":"please stop","place":{"id":20,"name":"Dam","exits":["north",{"name":"south","to":15}]},"destination":{"id":20,"name":"Dam"},"score":40,"objectives":{"active":["open the dam"],"completed":["find the wrench"]},"task":{"id":"T3.4.2","status":"blocked","blockers":["no token"],"work":["read config"],"session":"s1"},"progress":true,"refused":false,"critic":{"score":0.9},"usage":{"input_tokens":1200,"output_tokens":80,"cost_usd":0.01}}"#;

    #[test]
    fn the_first_of_two_runs_in_one_record_wins() {
        let step = Step::from_json(r#"{"run":"a","score":1,"run":"b","score":2}"#).unwrap();
        assert_eq!((step.run, step.score), (Some("a".into()), Some(2.0)));
    }

    #[test]
    fn every_documented_key_is_read() {
        let step = Step::from_json(FULL).unwrap();
        assert_eq!(step.unknown_keys, 0);
        assert_eq!(step.run, Some("ep-7".into()));
        assert_eq!(step.at, Some(EpochMillis(1_762_248_924_000)));
        assert_eq!(step.model.as_deref(), Some("m-1"));
        let action = step.action.as_ref().unwrap();
        assert_eq!(
            (&*action.name, action.kind.as_deref(), action.target.as_deref()),
            ("bash", Some("run"), Some("tests"))
        );
        assert_eq!(action.args.as_ref().unwrap().json(), r#"{"command":"cargo test"}"#);
        assert_eq!(action.annotations.unwrap().read_only_hint, Some(false));
        let outcome = step.outcome.as_ref().unwrap();
        assert_eq!(
            (outcome.error, outcome.exit, outcome.denied),
            (Some(true), Some(101), Some(Denial::Policy))
        );
        assert_eq!(
            (step.batch.clone(), step.harness),
            (Some("b-3".into()), Some(HarnessEvent::Notification))
        );
        assert_eq!(step.place.as_ref().unwrap().exits.len(), 2);
        assert_eq!(&*step.objectives.as_ref().unwrap().completed[0].objective, "find the wrench");
        assert_eq!(&*step.task.as_ref().unwrap().blockers[0], "no token");
        assert_eq!(step.critic_score(), Some(0.9));
        assert_eq!(step.usage.unwrap().input_tokens, Some(1200));
    }

    #[test]
    fn a_serialized_step_parses_back_identically() {
        let step = Step::from_json(FULL).unwrap();
        let written = serde_json::to_string(&step).unwrap();
        let again = Step::from_json(&written).unwrap();
        assert_eq!(serde_json::to_string(&again).unwrap(), written);
    }

    #[test]
    fn an_owned_step_has_every_part_of_the_borrowed_one() {
        let step = Step::from_json(FULL).unwrap();
        let written = serde_json::to_string(&step).unwrap();
        assert_eq!(serde_json::to_string(&step.into_owned()).unwrap(), written);
    }

    #[test]
    fn texts_without_escapes_are_borrowed_from_the_line() {
        let step = Step::from_json(r#"{"say":"plain","user":"two\nlines"}"#).unwrap();
        assert!(matches!(step.say.unwrap().0, std::borrow::Cow::Borrowed("plain")));
        assert!(matches!(step.user.unwrap().0, std::borrow::Cow::Owned(_)));
    }

    #[test]
    fn accepts_plain_strings_nulls_numbers_and_unknown_keys() {
        let step = Step::from_json(r#"{"run":7,"action":"look","outcome":"A room.","place":{"id":"hall","exits":null},"score":null,"refused":null,"mood":"blue","tags":[{}]}"#).unwrap();
        assert_eq!(step.run, Some(Label::Number(7)));
        assert_eq!(step.unknown_keys, 2);
        assert_eq!(step.outcome.unwrap().text.as_deref(), Some("A room."));
        assert!(step.score.is_none() && !step.refused);
    }

    #[test]
    fn unknown_names_of_later_releases_are_ignored() {
        let step =
            Step::from_json(r#"{"harness":"teleport","outcome":{"denied":"moon","error":null}}"#).unwrap();
        assert_eq!((step.harness, step.unknown_keys), (None, 0));
        assert_eq!(step.outcome.map(|outcome| (outcome.denied, outcome.error)), Some((None, None)));
    }

    #[test]
    fn a_six_key_completed_objective_is_read() {
        let step = Step::from_json(r#"{"objectives":{"completed":[{"objective":"open the window","completed_turn":31,"completion_action":"open window","completion_response":"It opens.","completion_location":"Behind House","completion_score":10}]}}"#).unwrap();
        let done = &step.objectives.as_ref().unwrap().completed[0];
        assert_eq!((done.completed_turn, done.completion_score), (Some(31), Some(10.0)));
    }

    #[test]
    fn wrong_types_are_errors() {
        for line in [
            r#"{"score":"forty"}"#,
            r#"{"action":5}"#,
            r#"{"turn":-1}"#,
            r#"{"turn":"x"}"#,
            r#"{"at":"noon"}"#,
            r#"{"score":NaN}"#,
            r#"{"score":1e999}"#,
            "[]",
            "3",
            "",
            r#"{"place":[]}"#,
        ] {
            assert!(Step::from_json(line).is_err(), "{line}");
        }
    }
}
