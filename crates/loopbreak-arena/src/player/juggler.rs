//! Walks until it finds something, then takes and drops it, over and over.

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
    things: Vec<String>,
    held: bool,
}

impl Juggler {
    /// One from a seed.
    pub fn new(seed: u64) -> Self {
        Juggler { chance: Chance::new(seed), wanderer: Wanderer::new(seed), things: Vec::new(), held: false }
    }
}

impl Habit for Juggler {
    fn name(&self) -> String {
        "juggler".to_owned()
    }

    fn propose(&mut self, context: &Context) -> Move {
        if texts::title(&context.text).is_some() && !self.held {
            self.things = texts::things(&context.text).into_iter().map(str::to_owned).collect();
        }
        if context.text.starts_with("You see no such") {
            self.things.clear();
            self.held = false;
        }
        if self.things.is_empty() {
            return self.wanderer.way(context).into();
        }
        if self.chance.happens(0.2) {
            return "inventory".into();
        }
        let thing = self.chance.one_of(&self.things).cloned().unwrap_or_default();
        self.held = !self.held;
        let action = if self.held { format!("take {thing}") } else { format!("drop {thing}") };
        Move { action, reason: "My hands are never right.".into() }
    }
}
