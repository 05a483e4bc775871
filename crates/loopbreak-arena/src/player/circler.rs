//! Walks a little, then the same round over and over: three moves out, three moves back.

use super::game_player::{InfalliblePlayer, PlayerMove};
use super::wanderer::WandererPlayer;
use crate::game_text;
use crate::player_context::PlayerContext;
use crate::seeded_rng::SeededRng;

/// The moves out; with those back, a round has six.
const OUT: usize = 3;

/// Walks a round of six moves.
#[derive(Clone, Debug)]
pub struct CirclerPlayer {
    wanderer: WandererPlayer,
    walks: usize,
    /// The moves out that led somewhere.
    out: Vec<&'static str>,
    at: usize,
}

impl CirclerPlayer {
    /// One from a seed, which decides where.
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
            return self.wanderer.way(context).into();
        }
        if !first_try && self.out.len() == OUT {
            // It is not let round: a new round, from wherever the next way leads.
            self.out.clear();
            self.at = 0;
            return self.wanderer.way(context).into();
        }
        if self.out.len() < OUT {
            // Another way out than the one it came by, if there is one.
            let came = self.out.last().map(|way| game_text::opposite(way));
            let way = (0..4).map(|_| self.wanderer.way(context)).find(|way| Some(way.as_str()) != came);
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
