//! Walks a little, then tries verb after verb at one thing.

use super::game_player::{InfalliblePlayer, PlayerMove};
use super::wanderer::WandererPlayer;
use crate::game_text;
use crate::player_context::PlayerContext;
use crate::seeded_rng::SeededRng;

const VERBS: [&str; 12] =
    ["push", "pull", "turn", "open", "examine", "read", "touch", "kick", "move", "press", "rub", "hit"];

/// Tries verb after verb at one thing.
#[derive(Clone, Debug)]
pub struct FiddlerPlayer {
    rng: SeededRng,
    wanderer: WandererPlayer,
    walks: usize,
    /// What there is to fiddle with here.
    nouns: Vec<String>,
    noun: Option<String>,
    verb: usize,
}

impl FiddlerPlayer {
    /// One from a seed, which decides where and at what.
    pub fn new(seed: u64) -> Self {
        let mut rng = SeededRng::new(seed);
        let walks = 2 + rng.below(6);
        FiddlerPlayer {
            rng,
            wanderer: WandererPlayer::new(seed),
            walks,
            nouns: Vec::new(),
            noun: None,
            verb: 0,
        }
    }
}

impl InfalliblePlayer for FiddlerPlayer {
    fn name(&self) -> String {
        "fiddler".to_owned()
    }

    fn propose(&mut self, context: &PlayerContext) -> PlayerMove {
        if self.walks > 0 {
            self.walks -= usize::from(context.refused.is_empty());
            return self.wanderer.way(context).into();
        }
        // What the critic alone does not like is said in other words. What lost its worth is given up: another verb; if that is refused too, another thing; in the end, another place.
        match context.lowered() {
            0 | 1 => {}
            2 => {
                let others: Vec<String> =
                    self.nouns.iter().filter(|noun| Some(*noun) != self.noun.as_ref()).cloned().collect();
                self.noun = self.rng.choose(&others).cloned().or(self.noun.take());
            }
            _ => return self.wanderer.way(context).into(),
        }
        // A description that tells of something: that is the thing.
        let told = context.refused.is_empty() && game_text::place_title(&context.text).is_some();
        if self.noun.is_none() || told {
            self.nouns = game_text::nouns(&context.text);
            self.noun = self.rng.choose(&self.nouns).cloned().or(self.noun.take());
        }
        let Some(noun) = &self.noun else { return "look".into() };
        self.verb = (self.verb + 1 + self.rng.below(3)) % VERBS.len();
        PlayerMove {
            action: format!("{} {noun}", VERBS[self.verb]),
            reason: format!("The {noun} must be good for something."),
        }
    }
}
