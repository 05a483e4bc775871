//! Reads the events of an episode and joins those of each turn.

use std::collections::HashMap;

use loopbreak::step::CompletedObjective;
use loopbreak::{
    Action, Outcome, Place, Step, Usage,
    step::{Critic, EpochMillis, Label, Objectives, StepText},
};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::critic_scale::rescaled_score;
use crate::log_format::LogUnit;
use crate::log_record::{LogRecord, RecordSink};
use crate::message::MessageContent;
use crate::skip_reason::SkipReason;

/// Maximum number of rooms remembered by name.
const ROOMS: usize = 4096;
/// Maximum number of objectives or exits per turn.
const OBJECTIVES: usize = 256;

/// An event. Versions of ZorkGPT use different keys for the same thing.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ZorkGptEvent<'a> {
    #[serde(borrow, rename = "event_type")]
    kind: Option<StepText<'a>>,
    timestamp: Option<EpochMillis>,
    #[serde(borrow)]
    episode_id: Option<Label<'a>>,
    #[serde(alias = "turn_number")]
    turn: Option<u64>,
    #[serde(borrow, alias = "agent_action")]
    action: Option<StepText<'a>>,
    #[serde(borrow, alias = "agent_reasoning")]
    final_reasoning: Option<StepText<'a>>,
    critic_score: Option<f64>,
    /// Only in the journals of `loopbreak play`, next to the score of the critic.
    #[serde(deserialize_with = "number")]
    adjusted_score: Option<f64>,
    #[serde(deserialize_with = "number")]
    score: Option<f64>,
    zork_score: Option<f64>,
    #[serde(borrow)]
    zork_response: Option<StepText<'a>>,
    #[serde(borrow)]
    raw_zork_response: Option<StepText<'a>>,
    #[serde(borrow, alias = "location_name", alias = "current_location")]
    location: Option<StepText<'a>>,
    #[serde(borrow)]
    location_id: Option<Label<'a>>,
    #[serde(borrow)]
    to_room: Option<StepText<'a>>,
    #[serde(borrow)]
    to_room_id: Option<Label<'a>>,
    #[serde(borrow)]
    room_name: Option<StepText<'a>>,
    #[serde(borrow)]
    room_id: Option<Label<'a>>,
    #[serde(borrow)]
    objective: MessageContent<'a>,
    #[serde(deserialize_with = "texts")]
    objectives: Vec<String>,
    #[serde(deserialize_with = "texts")]
    exits: Vec<String>,
    #[serde(borrow, alias = "agent_model")]
    model: Option<StepText<'a>>,
    #[serde(deserialize_with = "usage")]
    usage: Option<Usage>,
}

/// Reads a list of texts; a value of any other type is ignored.
fn texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let raw = <&'de RawValue>::deserialize(deserializer)?;
    let texts: Vec<String> = serde_json::from_str(raw.get()).unwrap_or_default();
    Ok(texts.into_iter().take(OBJECTIVES).collect())
}

/// Reads a number; a value of any other type is ignored.
fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let raw = <&'de RawValue>::deserialize(deserializer)?;
    Ok(serde_json::from_str(raw.get()).ok())
}

/// Reads tokens and costs; a value of any other type is ignored.
fn usage<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Usage>, D::Error> {
    let raw = <&'de RawValue>::deserialize(deserializer)?;
    Ok(serde_json::from_str(raw.get()).ok())
}

/// The current turn.
#[derive(Debug, Default)]
struct ZorkGptTurn {
    line: u64,
    at: Option<EpochMillis>,
    action: Option<String>,
    say: Option<String>,
    response: Option<String>,
    critic: Option<f64>,
    score: Option<f64>,
    room: Option<String>,
    room_id: Option<Label<'static>>,
    exits: Vec<String>,
    active: Vec<String>,
    completed: Vec<String>,
    usage: Option<Usage>,
}

/// The events of an episode, or of several episodes in one file.
#[derive(Debug, Default)]
pub(super) struct ZorkGptEventLog {
    begun: bool,
    episode: Option<String>,
    model: Option<String>,
    number: Option<u64>,
    turn: ZorkGptTurn,
    /// Reasoning of the agent before its next turn.
    thought: Option<String>,
    rooms: HashMap<String, Label<'static>>,
}

impl ZorkGptEventLog {
    pub(super) fn begun(&self) -> bool {
        self.begun
    }

    pub(super) fn line(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
        let event: ZorkGptEvent<'_> =
            serde_json::from_str(unit.text).map_err(|error| SkipReason::malformed(unit.text, &error))?;
        let Some(kind) = event.kind.clone() else { return Ok(()) };
        self.begun = true;
        let episode = event.episode_id.as_ref().map(Label::as_text);
        if episode.is_some() && self.episode.as_deref() != episode.as_deref() {
            // The first episode starts, or another one was appended.
            self.end(sink);
            self.episode = episode.map(std::borrow::Cow::into_owned);
            self.rooms.clear();
        }
        if let Some(model) = &event.model {
            self.model = Some(model.to_string());
        }
        match event.turn {
            None | Some(0) => {}
            Some(number) if self.number == Some(number) => {}
            Some(number) => {
                self.end(sink);
                self.number = Some(number);
                self.turn =
                    ZorkGptTurn { line: unit.line, say: self.thought.take(), ..ZorkGptTurn::default() };
            }
        }
        self.add(&kind, event, unit.line, sink);
        Ok(())
    }

    fn add(&mut self, kind: &str, event: ZorkGptEvent<'_>, line: u64, sink: &mut dyn RecordSink) {
        let text = |text: Option<StepText<'_>>| text.map(|text| text.0.into_owned());
        let in_turn = event.turn.is_some_and(|turn| turn > 0);
        match kind {
            "final_reasoning_debug" => self.thought = text(event.final_reasoning),
            "map_initial_room_added" => self.room(text(event.room_name.or(event.to_room)), event.room_id),
            "action_rejected" if in_turn => self.rejected(event, line, sink),
            "final_action_selection" if in_turn => {
                self.turn.action = text(event.action).or(self.turn.action.take());
                self.turn.say = text(event.final_reasoning).or(self.turn.say.take());
                let own = event.adjusted_score.is_some();
                self.turn.critic =
                    event.critic_score.map(|score| critic_score(score, own)).or(self.turn.critic);
            }
            "zork_response" if in_turn => {
                self.turn.action = self.turn.action.take().or(text(event.action));
                self.turn.response = text(event.zork_response.or(event.raw_zork_response));
                self.turn.at = event.timestamp.or(self.turn.at);
            }
            "map_movement_update" if in_turn => {
                self.turn.action = self.turn.action.take().or(text(event.action));
                let (name, id) = (text(event.to_room), event.to_room_id.map(Label::into_owned));
                self.room(name.clone(), id.clone());
                (self.turn.room, self.turn.room_id) = (name, id);
            }
            "turn_completed" if in_turn => {
                self.turn.action = text(event.action).or(self.turn.action.take());
                self.turn.score = event.score.or(event.zork_score).or(self.turn.score);
                self.turn.at = event.timestamp.or(self.turn.at);
                self.turn.line = line;
                let (name, id) = (text(event.location), event.location_id.map(Label::into_owned));
                if name.is_some() {
                    self.turn.room = name;
                }
                self.turn.room_id = id.or(self.turn.room_id.take());
                self.turn.exits = event.exits;
                self.turn.usage = event.usage;
            }
            "experience" if in_turn => self.turn.score = event.zork_score.or(self.turn.score),
            "objective_completed" if in_turn && self.turn.completed.len() < OBJECTIVES => {
                self.turn.completed.extend(text(event.objective.into_text()));
            }
            "objectives_updated" if in_turn => self.turn.active = event.objectives,
            _ => {}
        }
    }

    /// Remembers the number of a room, for turns that only name it.
    fn room(&mut self, name: Option<String>, id: Option<Label<'_>>) {
        if let (Some(name), Some(id)) = (name, id)
            && (self.rooms.len() < ROOMS || self.rooms.contains_key(&name))
        {
            self.rooms.insert(name, id.into_owned());
        }
    }

    /// Emits a proposal that the critic rejected.
    fn rejected(&self, event: ZorkGptEvent<'_>, line: u64, sink: &mut dyn RecordSink) {
        let step = Step {
            run: self.episode.as_deref().map(Label::from),
            at: event.timestamp,
            model: self.model.as_deref().map(StepText::from),
            action: event.action.map(Action::new),
            critic: Some(Critic {
                score: event
                    .score
                    .or(event.critic_score)
                    .map(|score| critic_score(score, event.adjusted_score.is_some())),
            }),
            refused: true,
            ..Step::default()
        };
        sink.record(&LogRecord { line, step });
    }

    /// Emits the current turn.
    pub(super) fn end(&mut self, sink: &mut dyn RecordSink) {
        let Some(number) = self.number.take() else { return };
        let mut turn = std::mem::take(&mut self.turn);
        if turn.action.is_none() && turn.response.is_none() && turn.score.is_none() {
            return;
        }
        let known = || turn.room.as_ref().and_then(|name| self.rooms.get(name)).cloned();
        let id = turn.room_id.take().or_else(known);
        let place = (turn.room.is_some() || id.is_some()).then(|| Place {
            id,
            name: turn.room.as_deref().map(StepText::from),
            exits: turn.exits.iter().map(|exit| exit.as_str().into()).collect(),
        });
        let objectives = (!turn.active.is_empty() || !turn.completed.is_empty()).then(|| Objectives {
            active: turn.active.iter().map(|text| text.as_str().into()).collect(),
            completed: turn.completed.iter().map(|text| completed(text)).collect(),
        });
        let step = Step {
            run: self.episode.as_deref().map(Label::from),
            turn: Some(number),
            at: turn.at,
            model: self.model.as_deref().map(StepText::from),
            action: turn.action.as_deref().map(Action::new),
            outcome: turn.response.as_deref().map(Outcome::new),
            say: turn.say.as_deref().map(StepText::from),
            place,
            score: turn.score,
            objectives,
            critic: turn.critic.map(|score| Critic { score: Some(score) }),
            usage: turn.usage,
            ..Step::default()
        };
        sink.record(&LogRecord { line: turn.line.max(1), step });
    }
}

/// Returns the score of the critic from 0 to 1. ZorkGPT scores from -1 to 1, the journals of `loopbreak play` from 0 to 1.
fn critic_score(score: f64, in_own_journal: bool) -> f64 {
    if in_own_journal { score } else { rescaled_score(score) }
}

fn completed(objective: &str) -> CompletedObjective<'_> {
    CompletedObjective { objective: objective.into(), ..CompletedObjective::default() }
}
