//! A world: takes commands, answers with text, knows the place and the score.

use std::collections::BTreeMap;
use std::sync::Arc;

use thiserror::Error;

use crate::texts;
use crate::zmachine::{Fault, Limits, Machine, Snapshot, Story};

/// Why a world cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WorldError {
    /// The story did something that it cannot do.
    #[error("the story failed: {0}")]
    Story(#[from] Fault),
}

/// A place in a world.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spot {
    /// Its number, the same whenever one comes back.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// The ways out, if the world tells of them.
    pub exits: Vec<String>,
}

/// What is to be seen after a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sight {
    /// What the world answered, without the prompt for the next command.
    pub text: String,
    /// Where one is.
    pub place: Option<Spot>,
    /// The score.
    pub score: Option<i32>,
    /// The moves, as the world counts.
    pub moves: Option<u32>,
    /// It has ended: no command is taken any more.
    pub over: bool,
}

/// Something to act in. Deterministic: the same commands give the same sights.
pub trait World {
    /// Everything as it was at some moment.
    type Saved: Clone;

    /// Begins, or begins again.
    fn reset(&mut self) -> Result<Sight, WorldError>;

    /// Does a command.
    fn act(&mut self, command: &str) -> Result<Sight, WorldError>;

    /// Everything as it is now: restored before a command, it undoes the command.
    fn save(&self) -> Self::Saved;

    /// Goes back to how it was.
    fn restore(&mut self, saved: &Self::Saved) -> Result<(), WorldError>;
}

/// A story file as a world.
#[derive(Clone, Debug)]
pub struct StoryWorld {
    machine: Machine,
    /// The exits of the places where the story told of them.
    exits: BTreeMap<u16, Vec<String>>,
}

/// A story as it was.
#[derive(Clone, Debug)]
pub struct SavedStory {
    machine: Snapshot,
    exits: BTreeMap<u16, Vec<String>>,
}

impl StoryWorld {
    /// The world of a story. The seed decides what is left to chance.
    pub fn new(story: Arc<Story>, seed: u32) -> Self {
        StoryWorld::with_limits(story, seed, Limits::default())
    }

    /// The same, with other limits for each command.
    pub fn with_limits(story: Arc<Story>, seed: u32, limits: Limits) -> Self {
        StoryWorld { machine: Machine::with_limits(story, seed, limits), exits: BTreeMap::new() }
    }

    fn sight(&mut self, text: &str, over: bool) -> Sight {
        let status = self.machine.status();
        if let (Some(place), Some(exits)) = (status.place, texts::exits(text)) {
            self.exits.insert(place, exits);
        }
        let place = status.place.map(|id| Spot {
            id: id.into(),
            name: status.name.unwrap_or_default(),
            exits: self.exits.get(&id).cloned().unwrap_or_default(),
        });
        Sight {
            text: without_prompt(text).to_owned(),
            place,
            score: status.score.map(i32::from),
            moves: status.moves.map(u32::from),
            over,
        }
    }
}

/// The text without the prompt at its end, and without empty lines around it.
fn without_prompt(text: &str) -> &str {
    let text = text.trim_end();
    text.strip_suffix('>').filter(|rest| rest.is_empty() || rest.ends_with('\n')).unwrap_or(text).trim()
}

impl World for StoryWorld {
    type Saved = SavedStory;

    fn reset(&mut self) -> Result<Sight, WorldError> {
        self.exits.clear();
        let reply = self.machine.start()?;
        Ok(self.sight(&reply.text, reply.over))
    }

    fn act(&mut self, command: &str) -> Result<Sight, WorldError> {
        let reply = self.machine.enter(command)?;
        Ok(self.sight(&reply.text, reply.over))
    }

    fn save(&self) -> SavedStory {
        SavedStory { machine: self.machine.snapshot(), exits: self.exits.clone() }
    }

    fn restore(&mut self, saved: &SavedStory) -> Result<(), WorldError> {
        self.machine.restore(&saved.machine)?;
        self.exits.clone_from(&saved.exits);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prompt_is_no_part_of_the_answer() {
        assert_eq!(without_prompt("\nTaken.\n\n>"), "Taken.");
        assert_eq!(without_prompt(">"), "");
        assert_eq!(without_prompt("Do you wish to leave? "), "Do you wish to leave?");
        assert_eq!(without_prompt("2 > 1>"), "2 > 1>");
    }
}
