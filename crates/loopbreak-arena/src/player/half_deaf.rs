//! Does as it does, and sometimes as it is told.

use super::explorer::Explorer;
use super::kind::{Move, Player};
use crate::chance::Chance;
use crate::context::Context;
use crate::failure::Failure;

/// For how many turns a player who has listened goes its new way.
const LISTENS_FOR: u32 = 10;

/// A player with a habit who obeys advice with some probability: then it looks for what is new, for a while.
pub struct HalfDeaf {
    habit: Box<dyn Player>,
    explorer: Explorer,
    chance: Chance,
    obedience: f64,
    listening: u32,
}

impl HalfDeaf {
    /// This player, but it listens with this probability, each time that somebody says something.
    pub fn new(habit: Box<dyn Player>, seed: u64, obedience: f64) -> Self {
        let chance = Chance::new(seed ^ 0x5eed);
        HalfDeaf { habit, explorer: Explorer::new(seed), chance, obedience, listening: 0 }
    }
}

impl Player for HalfDeaf {
    fn name(&self) -> String {
        format!("{} obeying {}", self.habit.name(), self.obedience)
    }

    fn propose(&mut self, context: &Context) -> Result<Move, Failure> {
        if context.refused.is_empty() {
            self.listening = self.listening.saturating_sub(1);
            self.explorer.see(context);
        }
        if context.is_admonished() && self.chance.happens(self.obedience) {
            self.listening = LISTENS_FOR;
        }
        if self.listening > 0 { Ok(self.explorer.choose(context)) } else { self.habit.propose(context) }
    }
}
