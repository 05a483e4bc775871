//! A player that moves back and forth.

use super::game_player::{InfalliblePlayer, PlayerMove};
use super::wanderer::WandererPlayer;
use crate::game_text;
use crate::player_context::PlayerContext;
use crate::seeded_rng::SeededRng;

/// Walks a few moves, then moves back and forth between two places.
#[derive(Clone, Debug)]
pub struct OscillatorPlayer {
    wanderer: WandererPlayer,
    walks: usize,
    next: Option<&'static str>,
}

impl OscillatorPlayer {
    /// Creates a player. The seed determines the places.
    pub fn new(seed: u64) -> Self {
        OscillatorPlayer {
            wanderer: WandererPlayer::new(seed),
            walks: 2 + SeededRng::new(seed).below(6),
            next: None,
        }
    }
}

impl InfalliblePlayer for OscillatorPlayer {
    fn name(&self) -> String {
        "oscillator".to_owned()
    }

    fn propose(&mut self, context: &PlayerContext) -> PlayerMove {
        // A move that was refused or led nowhere needs no way back.
        let went = context.last_action.as_deref().and_then(game_text::direction_of);
        if context.refused.is_empty() && game_text::place_title(&context.text).is_some() && self.walks == 0 {
            self.next = went.map(game_text::opposite);
        }
        if self.walks > 0 {
            self.walks -= usize::from(context.refused.is_empty());
            return self.wanderer.random_exit(context).into();
        }
        match self.next.filter(|way| !context.was_refused(way)) {
            Some(way) => PlayerMove { action: way.into(), reason: "Back again.".into() },
            None => self.wanderer.random_exit(context).into(),
        }
    }
}
