//! Walks a little, then goes to and fro between two places.

use super::game_player::{InfalliblePlayer, PlayerMove};
use super::wanderer::WandererPlayer;
use crate::game_text;
use crate::player_context::PlayerContext;
use crate::seeded_rng::SeededRng;

/// Goes to and fro.
#[derive(Clone, Debug)]
pub struct OscillatorPlayer {
    wanderer: WandererPlayer,
    walks: usize,
    next: Option<&'static str>,
}

impl OscillatorPlayer {
    /// One from a seed, which decides where.
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
        // What was refused or led nowhere is not gone back from.
        let went = context.last_action.as_deref().and_then(game_text::direction_of);
        if context.refused.is_empty() && game_text::place_title(&context.text).is_some() && self.walks == 0 {
            self.next = went.map(game_text::opposite);
        }
        if self.walks > 0 {
            self.walks -= usize::from(context.refused.is_empty());
            return self.wanderer.way(context).into();
        }
        match self.next.filter(|way| !context.was_refused(way)) {
            Some(way) => PlayerMove { action: way.into(), reason: "Back again.".into() },
            None => self.wanderer.way(context).into(),
        }
    }
}
