//! Walks until it finds something, then takes and drops it, over and over.

use std::collections::BTreeSet;

use super::game_player::{InfalliblePlayer, PlayerMove};
use super::wanderer::WandererPlayer;
use crate::game_text;
use crate::player_context::PlayerContext;
use crate::seeded_rng::SeededRng;

/// Takes and drops the same things.
#[derive(Clone, Debug)]
pub struct JugglerPlayer {
    rng: SeededRng,
    wanderer: WandererPlayer,
    /// What it takes and drops.
    things: Vec<String>,
    held: BTreeSet<String>,
    last: String,
}

impl JugglerPlayer {
    /// One from a seed.
    pub fn new(seed: u64) -> Self {
        JugglerPlayer {
            rng: SeededRng::new(seed),
            wanderer: WandererPlayer::new(seed),
            things: Vec::new(),
            held: BTreeSet::new(),
            last: String::new(),
        }
    }

    /// Takes in what the game said.
    fn see(&mut self, text: &str) {
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
            self.see(&context.text);
        }
        // Neither this thing nor another one: then it looks for some elsewhere.
        if self.things.is_empty() || context.lowered() >= 2 {
            return self.wanderer.way(context).into();
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
