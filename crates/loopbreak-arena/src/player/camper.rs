//! Walks a little, then stays where it is, busy.

use super::game_player::{InfalliblePlayer, PlayerMove};
use super::wanderer::WandererPlayer;
use crate::game_text;
use crate::player_context::PlayerContext;
use crate::seeded_rng::SeededRng;

/// It gives up on a place where so many proposals of one turn lost their worth. What the critic alone does not like, it only
/// says in other words.
const SETTLED: usize = 2;

/// Stays at one place and looks at things there.
#[derive(Clone, Debug)]
pub struct CamperPlayer {
    rng: SeededRng,
    wanderer: WandererPlayer,
    walks: usize,
    nouns: Vec<String>,
}

impl CamperPlayer {
    /// A camper from a seed, which decides where.
    pub fn new(seed: u64) -> Self {
        let mut rng = SeededRng::new(seed);
        let walks = 2 + rng.below(6);
        CamperPlayer { rng, wanderer: WandererPlayer::new(seed), walks, nouns: Vec::new() }
    }
}

impl InfalliblePlayer for CamperPlayer {
    fn name(&self) -> String {
        "camper".to_owned()
    }

    fn propose(&mut self, context: &PlayerContext) -> PlayerMove {
        if self.walks > 0 {
            self.walks -= usize::from(context.refused.is_empty());
            self.nouns = game_text::nouns(&context.text);
            return self.wanderer.way(context).into();
        }
        if game_text::listed_exits(&context.text).is_some() {
            self.nouns = game_text::nouns(&context.text);
        }
        // Nothing that it likes to do here is let through: then it settles elsewhere.
        if context.lowered() >= SETTLED {
            return self.wanderer.way(context).into();
        }
        if self.rng.random_bool(0.4)
            && let Some(noun) = self.rng.choose(&self.nouns)
        {
            return format!("examine {noun}").into();
        }
        let idle = ["look", "wait", "inventory", "jump", "look", "shout"];
        PlayerMove {
            action: idle[self.rng.below(idle.len())].into(),
            reason: "There must be something here.".into(),
        }
    }
}
