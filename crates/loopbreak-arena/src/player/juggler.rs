//! A player that keeps taking and dropping things.

use std::collections::BTreeSet;

use super::game_player::{InfalliblePlayer, PlayerMove};
use super::wanderer::WandererPlayer;
use crate::game_text;
use crate::player_context::PlayerContext;
use crate::seeded_rng::SeededRng;

/// Walks until it finds an object, then takes and drops it repeatedly.
#[derive(Clone, Debug)]
pub struct JugglerPlayer {
    rng: SeededRng,
    wanderer: WandererPlayer,
    /// Objects that it takes and drops.
    things: Vec<String>,
    held: BTreeSet<String>,
    last: String,
}

impl JugglerPlayer {
    /// Creates a player from a seed.
    pub fn new(seed: u64) -> Self {
        JugglerPlayer {
            rng: SeededRng::new(seed),
            wanderer: WandererPlayer::new(seed),
            things: Vec::new(),
            held: BTreeSet::new(),
            last: String::new(),
        }
    }

    /// Processes the reply of the game.
    fn process(&mut self, text: &str) {
        if game_text::place_title(text).is_some() {
            self.things = game_text::listed_things(text).into_iter().map(str::to_owned).collect();
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

impl InfalliblePlayer for JugglerPlayer {
    fn name(&self) -> String {
        "juggler".to_owned()
    }

    fn propose(&mut self, context: &PlayerContext) -> PlayerMove {
        if context.refused.is_empty() {
            self.process(&context.text);
        }
        // Two objects were refused, so it looks for others elsewhere.
        if self.things.is_empty() || context.lowered() >= 2 {
            return self.wanderer.random_exit(context).into();
        }
        if self.rng.random_bool(0.2) {
            return "inventory".into();
        }
        let thing = self.rng.choose(&self.things).cloned().unwrap_or_default();
        let action =
            if self.held.contains(&thing) { format!("drop {thing}") } else { format!("take {thing}") };
        self.last = thing;
        PlayerMove { action, reason: "My hands are never right.".into() }
    }
}
