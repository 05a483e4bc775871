//! A world behind a program: any game can be joined, in any language. See `docs/guide/worlds.md`.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::game_world::{GameWorld, WorldError, WorldLocation, WorldObservation};
use crate::cancel_flag::CancelFlag;
use crate::game_text;
use crate::line_protocol::LineProgram;

/// What a world is asked.
#[derive(Serialize)]
#[serde(tag = "do", rename_all = "snake_case")]
enum WorldQuery<'a> {
    Reset { seed: u32 },
    Act { command: &'a str },
    Save,
    Restore { saved: &'a Value },
}

/// The name or the number of a place.
#[derive(Deserialize)]
#[serde(untagged)]
enum WirePlaceId {
    Number(u32),
    Name(String),
}

/// A place: a name, or more than that.
#[derive(Deserialize)]
#[serde(untagged)]
enum WirePlace {
    Name(String),
    Full {
        id: Option<WirePlaceId>,
        name: Option<String>,
        #[serde(default)]
        exits: Option<Vec<String>>,
    },
}

/// What it answers to `reset` and `act`.
#[derive(Deserialize)]
struct WorldReply {
    text: String,
    place: Option<WirePlace>,
    score: Option<f64>,
    moves: Option<f64>,
    inventory: Option<Vec<String>>,
    #[serde(default)]
    over: bool,
}

/// What it answers to `save`.
#[derive(Deserialize)]
struct SaveReply {
    saved: Value,
}

/// What it answers to `restore`: that it is done.
#[derive(Deserialize)]
struct RestoreReply {}

/// A game as it was, in a shape that only its program knows.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedGame(Value);

/// A world behind a program.
#[derive(Debug)]
pub struct CommandWorld {
    program: LineProgram,
    seed: u32,
    /// Numbers for places that have only names, in the order in which they were first seen.
    numbers: BTreeMap<String, u32>,
    /// The exits of the places where somebody told of them.
    exits: BTreeMap<u32, Vec<String>>,
}

impl CommandWorld {
    /// Starts the program. No answer of its may take longer than `timeout`.
    pub fn start(
        words: &[String],
        seed: u32,
        timeout: Duration,
        cancel: &CancelFlag,
    ) -> Result<Self, WorldError> {
        let program = LineProgram::start(words, timeout, cancel)?;
        Ok(CommandWorld { program, seed, numbers: BTreeMap::new(), exits: BTreeMap::new() })
    }

    /// Everything as it is now. A world need not be able to.
    pub fn save(&mut self) -> Result<SavedGame, WorldError> {
        let SaveReply { saved } = self.program.ask(&WorldQuery::Save)?;
        Ok(SavedGame(saved))
    }

    /// Goes back to how it was.
    pub fn restore(&mut self, saved: &SavedGame) -> Result<(), WorldError> {
        let RestoreReply {} = self.program.ask(&WorldQuery::Restore { saved: &saved.0 })?;
        Ok(())
    }

    fn see(&mut self, ask: &WorldQuery<'_>) -> Result<WorldObservation, WorldError> {
        let WorldReply { text, place, score, moves, inventory, over } = self.program.ask(ask)?;
        let place = place.map(|place| self.location(place, &text));
        // A float becomes the nearest number that fits.
        let score = score.map(|score| score.round() as i32);
        let moves = moves.map(|moves| moves.round() as u32);
        Ok(WorldObservation { text: text.trim().to_owned(), place, score, moves, inventory, over })
    }

    fn location(&mut self, place: WirePlace, text: &str) -> WorldLocation {
        let (id, name, exits) = match place {
            WirePlace::Name(name) => (None, name, None),
            WirePlace::Full { id, name, exits } => (id, name.unwrap_or_default(), exits),
        };
        let id = match id {
            Some(WirePlaceId::Number(id)) => id,
            Some(WirePlaceId::Name(id)) => self.number(id),
            None => self.number(name.clone()),
        };
        if let Some(exits) = exits.or_else(|| game_text::listed_exits(text)) {
            self.exits.insert(id, exits);
        }
        WorldLocation { id, name, exits: self.exits.get(&id).cloned().unwrap_or_default() }
    }

    fn number(&mut self, name: String) -> u32 {
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX).saturating_add(1);
        *self.numbers.entry(name).or_insert(next)
    }
}

impl GameWorld for CommandWorld {
    fn reset(&mut self) -> Result<WorldObservation, WorldError> {
        self.exits.clear();
        self.see(&WorldQuery::Reset { seed: self.seed })
    }

    fn act(&mut self, command: &str) -> Result<WorldObservation, WorldError> {
        self.see(&WorldQuery::Act { command })
    }
}
