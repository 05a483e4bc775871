//! A player that walks in circles.

use super::game_player::{InfalliblePlayer, PlayerMove};
use super::wanderer::WandererPlayer;
use crate::game_text;
use crate::player_context::PlayerContext;
use crate::seeded_rng::SeededRng;

/// Number of moves out; with the moves back, a round has six.
const OUT: usize = 3;

/// Walks a few moves, then repeats a round of six moves: three out, three back.
#[derive(Clone, Debug)]
pub struct CirclerPlayer {
    wanderer: WandererPlayer,
    walks: usize,
    /// Moves out that led to another place.
    out: Vec<&'static str>,
    at: usize,
}

impl CirclerPlayer {
    /// Creates a player. The seed determines the place.
    pub fn new(seed: u64) -> Self {
        CirclerPlayer {
            wanderer: WandererPlayer::new(seed),
            walks: 1 + SeededRng::new(seed).below(5),
            out: Vec::new(),
            at: 0,
        }
    }
}

impl InfalliblePlayer for CirclerPlayer {
    fn name(&self) -> String {
        "circler".to_owned()
    }

    fn propose(&mut self, context: &PlayerContext) -> PlayerMove {
        let first_try = context.refused.is_empty();
        if self.walks > 0 {
            self.walks -= usize::from(first_try);
            return self.wanderer.random_exit(context).into();
        }
        if !first_try && self.out.len() == OUT {
            // The round was refused, so it starts a new one after the next move.
            self.out.clear();
            self.at = 0;
            return self.wanderer.random_exit(context).into();
        }
        if self.out.len() < OUT {
            // It prefers an exit other than the one it came through.
            let came = self.out.last().map(|way| game_text::opposite(way));
            let way =
                (0..4).map(|_| self.wanderer.random_exit(context)).find(|way| Some(way.as_str()) != came);
            let way = way.as_deref().and_then(game_text::direction_of).or(came).unwrap_or("north");
            if first_try || self.out.is_empty() {
                self.out.push(way);
            } else if let Some(last) = self.out.last_mut() {
                *last = way;
            }
            return way.into();
        }
        let round = 2 * OUT;
        let at = self.at;
        self.at = (at + usize::from(first_try)) % round;
        let way = if at < OUT { game_text::opposite(self.out[OUT - 1 - at]) } else { self.out[at - OUT] };
        PlayerMove { action: way.into(), reason: "Once more round.".into() }
    }
}
