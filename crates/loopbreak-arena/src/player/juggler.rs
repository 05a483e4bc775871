//! Walks until it finds something, then takes and drops it, over and over.

use std::collections::BTreeSet;

use super::kind::{Habit, Move};
use super::wanderer::Wanderer;
use crate::chance::Chance;
use crate::context::Context;
use crate::texts;

/// Takes and drops the same things.
#[derive(Clone, Debug)]
pub struct Juggler {
    chance: Chance,
    wanderer: Wanderer,
    /// What it takes and drops.
    things: Vec<String>,
    held: BTreeSet<String>,
    last: String,
}

impl Juggler {
    /// One from a seed.
    pub fn new(seed: u64) -> Self {
        Juggler {
            chance: Chance::new(seed),
            wanderer: Wanderer::new(seed),
            things: Vec::new(),
            held: BTreeSet::new(),
            last: String::new(),
        }
    }

    /// Takes in what the game said.
    fn see(&mut self, text: &str) {
        if texts::title(text).is_some() {
            self.things = texts::things(text).into_iter().map(str::to_owned).collect();
            self.things.extend(self.held.iter().cloned());
        }
        if text.starts_with("Taken") {
            self.held.insert(self.last.clone());
        } else if text.starts_with("Dropped") {
            self.held.remove(&self.last);
        } else if text.starts_with("You see no such") {
            self.things.clear();
            self.held.clear();
        }
    }
}

impl Habit for Juggler {
    fn name(&self) -> String {
        "juggler".to_owned()
    }

    fn propose(&mut self, context: &Context) -> Move {
        if context.refused.is_empty() {
            self.see(&context.text);
        }
        // Neither this thing nor another one: then it looks for some elsewhere.
        if self.things.is_empty() || context.lowered() >= 2 {
            return self.wanderer.way(context).into();
        }
        if self.chance.happens(0.2) {
            return "inventory".into();
        }
        let thing = self.chance.one_of(&self.things).cloned().unwrap_or_default();
        let action =
            if self.held.contains(&thing) { format!("drop {thing}") } else { format!("take {thing}") };
        self.last = thing;
        Move { action, reason: "My hands are never right.".into() }
    }
}
