//! Goes wherever there is a way, and takes what lies there now and then.

use super::game_player::{InfalliblePlayer, PlayerMove};
use crate::game_text;
use crate::player_context::PlayerContext;
use crate::seeded_rng::SeededRng;

/// A random walk.
#[derive(Clone, Debug)]
pub struct WandererPlayer {
    rng: SeededRng,
    exits: Vec<String>,
}

impl WandererPlayer {
    /// A walk from a seed.
    pub fn new(seed: u64) -> Self {
        WandererPlayer { rng: SeededRng::new(seed), exits: Vec::new() }
    }

    /// A way out of here: one that the game tells of, or any; another one than those that were refused.
    pub(super) fn way(&mut self, context: &PlayerContext) -> String {
        if let Some(exits) = game_text::listed_exits(&context.text) {
            self.exits = exits;
        }
        let open: Vec<&String> = self.exits.iter().filter(|way| !context.was_refused(way)).collect();
        let known = self.rng.choose(&open).map(|way| (*way).clone());
        known.unwrap_or_else(|| game_text::DIRECTIONS[self.rng.below(game_text::DIRECTIONS.len())].to_owned())
    }
}

impl InfalliblePlayer for WandererPlayer {
    fn name(&self) -> String {
        "wanderer".to_owned()
    }

    fn propose(&mut self, context: &PlayerContext) -> PlayerMove {
        let things = game_text::listed_things(&context.text);
        if self.rng.random_bool(0.3)
            && let Some(thing) = self.rng.choose(&things)
        {
            return format!("take {thing}").into();
        }
        self.way(context).into()
    }
}
