//! A story file for the Z-machine as a world.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::game_world::{GameWorld, WorldError, WorldLocation, WorldObservation};
use crate::game_text;
use crate::zmachine::{MachineLimits, MachineSnapshot, StoryFile, ZMachine};

/// A story file as a world.
#[derive(Clone, Debug)]
pub struct StoryWorld {
    machine: ZMachine,
    /// The exits of the places where the story told of them.
    exits: BTreeMap<u16, Vec<String>>,
}

/// A story as it was.
#[derive(Clone, Debug)]
pub struct SavedStory {
    machine: MachineSnapshot,
    exits: BTreeMap<u16, Vec<String>>,
}

impl StoryWorld {
    /// The world of a story. The seed decides what is left to chance.
    pub fn new(story: Arc<StoryFile>, seed: u32) -> Self {
        StoryWorld::with_limits(story, seed, MachineLimits::default())
    }

    /// The same, with other limits for each command.
    pub fn with_limits(story: Arc<StoryFile>, seed: u32, limits: MachineLimits) -> Self {
        StoryWorld { machine: ZMachine::with_limits(story, seed, limits), exits: BTreeMap::new() }
    }

    /// Everything as it is now: restored before a command, it undoes the command.
    pub fn save(&self) -> SavedStory {
        SavedStory { machine: self.machine.snapshot(), exits: self.exits.clone() }
    }

    /// Goes back to how it was.
    pub fn restore(&mut self, saved: &SavedStory) -> Result<(), WorldError> {
        self.machine.restore(&saved.machine)?;
        self.exits.clone_from(&saved.exits);
        Ok(())
    }

    fn observation(&mut self, text: &str, over: bool) -> WorldObservation {
        let status = self.machine.status();
        if let (Some(place), Some(exits)) = (status.place, game_text::listed_exits(text)) {
            self.exits.insert(place, exits);
        }
        let place = status.place.map(|id| WorldLocation {
            id: id.into(),
            name: status.name.unwrap_or_default(),
            exits: self.exits.get(&id).cloned().unwrap_or_default(),
        });
        WorldObservation {
            text: without_prompt(text).to_owned(),
            place,
            score: status.score.map(i32::from),
            moves: status.moves.map(u32::from),
            inventory: None,
            over,
        }
    }
}

/// The text without the prompt at its end, and without empty lines around it.
fn without_prompt(text: &str) -> &str {
    let text = text.trim_end();
    text.strip_suffix('>').filter(|rest| rest.is_empty() || rest.ends_with('\n')).unwrap_or(text).trim()
}

impl GameWorld for StoryWorld {
    fn reset(&mut self) -> Result<WorldObservation, WorldError> {
        self.exits.clear();
        let reply = self.machine.start()?;
        Ok(self.observation(&reply.text, reply.over))
    }

    fn act(&mut self, command: &str) -> Result<WorldObservation, WorldError> {
        let reply = self.machine.enter(command)?;
        Ok(self.observation(&reply.text, reply.over))
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
