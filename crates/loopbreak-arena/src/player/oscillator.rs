//! Walks a little, then goes to and fro between two places.

use super::kind::{Habit, Move};
use super::wanderer::Wanderer;
use crate::chance::Chance;
use crate::context::Context;
use crate::texts;

/// Goes to and fro.
#[derive(Clone, Debug)]
pub struct Oscillator {
    wanderer: Wanderer,
    walks: usize,
    next: Option<&'static str>,
}

impl Oscillator {
    /// One from a seed, which decides where.
    pub fn new(seed: u64) -> Self {
        Oscillator { wanderer: Wanderer::new(seed), walks: 2 + Chance::new(seed).below(6), next: None }
    }
}

impl Habit for Oscillator {
    fn name(&self) -> String {
        "oscillator".to_owned()
    }

    fn propose(&mut self, context: &Context) -> Move {
        // What was refused or led nowhere is not gone back from.
        let went = context.last_action.as_deref().and_then(texts::way);
        if context.refused.is_empty() && texts::title(&context.text).is_some() && self.walks == 0 {
            self.next = went.map(texts::back);
        }
        if self.walks > 0 {
            self.walks -= usize::from(context.refused.is_empty());
            return self.wanderer.way(context).into();
        }
        match self.next.filter(|way| !context.was_refused(way)) {
            Some(way) => Move { action: way.into(), reason: "Back again.".into() },
            None => self.wanderer.way(context).into(),
        }
    }
}
