//! Goes wherever there is a way, and takes what lies there now and then.

use super::kind::{Habit, Move};
use crate::chance::Chance;
use crate::context::Context;
use crate::texts;

/// A random walk.
#[derive(Clone, Debug)]
pub struct Wanderer {
    chance: Chance,
    exits: Vec<String>,
}

impl Wanderer {
    /// A walk from a seed.
    pub fn new(seed: u64) -> Self {
        Wanderer { chance: Chance::new(seed), exits: Vec::new() }
    }

    /// A way out of here: one that the game tells of, or any; another one than those that were refused.
    pub(super) fn way(&mut self, context: &Context) -> String {
        if let Some(exits) = texts::exits(&context.text) {
            self.exits = exits;
        }
        let open: Vec<&String> = self.exits.iter().filter(|way| !context.was_refused(way)).collect();
        let known = self.chance.one_of(&open).map(|way| (*way).clone());
        known.unwrap_or_else(|| texts::WAYS[self.chance.below(texts::WAYS.len())].to_owned())
    }
}

impl Habit for Wanderer {
    fn name(&self) -> String {
        "wanderer".to_owned()
    }

    fn propose(&mut self, context: &Context) -> Move {
        let things = texts::things(&context.text);
        if self.chance.happens(0.3)
            && let Some(thing) = self.chance.one_of(&things)
        {
            return format!("take {thing}").into();
        }
        self.way(context).into()
    }
}
