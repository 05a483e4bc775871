//! Does as it does, and sometimes as it is told.

use super::explorer::ExplorerPlayer;
use super::game_player::{GamePlayer, PlayerMove};
use crate::agent_failure::AgentFailure;
use crate::player_context::PlayerContext;
use crate::seeded_rng::SeededRng;

/// For how many turns a player who has listened goes its new way.
const LISTENS_FOR: u32 = 10;

/// A player with a habit who obeys advice with some probability: then it looks for what is new, for a while.
pub struct ObedientPlayer {
    habit: Box<dyn GamePlayer>,
    explorer: ExplorerPlayer,
    rng: SeededRng,
    obedience: f64,
    listening: u32,
}

impl ObedientPlayer {
    /// This player, but it listens with this probability, each time that somebody says something.
    pub fn new(habit: Box<dyn GamePlayer>, seed: u64, obedience: f64) -> Self {
        let rng = SeededRng::new(seed ^ 0x5eed);
        ObedientPlayer { habit, explorer: ExplorerPlayer::new(seed), rng, obedience, listening: 0 }
    }
}

impl GamePlayer for ObedientPlayer {
    fn name(&self) -> String {
        format!("{} obeying {}", self.habit.name(), self.obedience)
    }

    fn propose(&mut self, context: &PlayerContext) -> Result<PlayerMove, AgentFailure> {
        if context.refused.is_empty() {
            self.listening = self.listening.saturating_sub(1);
            self.explorer.see(context);
        }
        if context.is_admonished() && self.rng.random_bool(self.obedience) {
            self.listening = LISTENS_FOR;
        }
        if self.listening > 0 { Ok(self.explorer.choose(context)) } else { self.habit.propose(context) }
    }
}
