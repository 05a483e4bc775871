//! Walks a little, then stays where it is, busy.

use super::kind::{Habit, Move};
use super::wanderer::Wanderer;
use crate::chance::Chance;
use crate::context::Context;
use crate::texts;

/// It gives up on a place where so many proposals of one turn lost their worth. What the critic alone does not like, it only
/// says in other words.
const SETTLED: usize = 2;

/// Stays at one place and looks at things there.
#[derive(Clone, Debug)]
pub struct Camper {
    chance: Chance,
    wanderer: Wanderer,
    walks: usize,
    nouns: Vec<String>,
}

impl Camper {
    /// A camper from a seed, which decides where.
    pub fn new(seed: u64) -> Self {
        let mut chance = Chance::new(seed);
        let walks = 2 + chance.below(6);
        Camper { chance, wanderer: Wanderer::new(seed), walks, nouns: Vec::new() }
    }
}

impl Habit for Camper {
    fn name(&self) -> String {
        "camper".to_owned()
    }

    fn propose(&mut self, context: &Context) -> Move {
        if self.walks > 0 {
            self.walks -= usize::from(context.refused.is_empty());
            self.nouns = texts::nouns(&context.text);
            return self.wanderer.way(context).into();
        }
        if texts::exits(&context.text).is_some() {
            self.nouns = texts::nouns(&context.text);
        }
        // Nothing that it likes to do here is let through: then it settles elsewhere.
        if context.lowered() >= SETTLED {
            return self.wanderer.way(context).into();
        }
        if self.chance.happens(0.4)
            && let Some(noun) = self.chance.one_of(&self.nouns)
        {
            return format!("examine {noun}").into();
        }
        let idle = ["look", "wait", "inventory", "jump", "look", "shout"];
        Move {
            action: idle[self.chance.below(idle.len())].into(),
            reason: "There must be something here.".into(),
        }
    }
}
