//! Plays the games of a contest, on all cores.

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use loopbreak::{Config, Guard};

use super::account::Account;
use super::witness::Witness;
use crate::critic::Heuristic;
use crate::episode::{Orchestrator, Rules};
use crate::player::PlayerKind;
use crate::world::StoryWorld;
use crate::zmachine::Story;

/// What is played: a story, by these rules, with these seeds.
#[derive(Clone, Debug)]
pub struct Contest {
    /// The story.
    pub story: Arc<Story>,
    /// How each episode is played.
    pub rules: Rules,
    /// The first seed. One episode a seed; it decides both chance in the world and what the player is like.
    pub seed: u32,
    /// How many episodes each player plays.
    pub episodes: u32,
}

/// All episodes of one kind of player, with one set of settings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Match<'m> {
    pub(super) kind: PlayerKind,
    pub(super) obedience: f64,
    pub(super) config: &'m Config,
}

impl Contest {
    /// Plays one game.
    pub fn game(&self, kind: PlayerKind, obedience: f64, config: &Config, seed: u32) -> Account {
        let mut world = StoryWorld::new(Arc::clone(&self.story), seed);
        let mut player = kind.half_deaf(seed.into(), obedience);
        let mut critic = Heuristic::default();
        let mut witness = Witness::default();
        let orchestrator =
            Orchestrator::new(&mut world, &mut *player, &mut critic, Guard::new(config.clone()))
                .rules(self.rules)
                .view(|moment| witness.see(moment));
        // Nothing fails to be written where nothing is written.
        match orchestrator.play(&format!("{kind}-{seed}")) {
            Ok(episode) => witness.conclude(&episode),
            Err(_) => Account::default(),
        }
    }

    /// Plays all games of these matches, in any order, and gives them in theirs. Tells of each game that is over.
    pub(super) fn play(&self, matches: &[Match<'_>], over: &(dyn Fn() + Sync)) -> Vec<Vec<Account>> {
        let episodes = self.episodes as usize;
        let games = matches.len() * episodes;
        let next = AtomicUsize::new(0);
        let threads = std::thread::available_parallelism().map_or(1, NonZero::get).min(games.max(1));
        let work = || {
            let mut played = Vec::new();
            loop {
                let game = next.fetch_add(1, Ordering::Relaxed);
                if game >= games {
                    return played;
                }
                let Match { kind, obedience, config } = matches[game / episodes];
                let seed = self.seed.wrapping_add((game % episodes) as u32);
                played.push((game, self.game(kind, obedience, config, seed)));
                over();
            }
        };
        let mut played: Vec<(usize, Account)> = std::thread::scope(|scope| {
            let shares: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            // A thread that panicked takes this one with it.
            let join = |share: std::thread::ScopedJoinHandle<'_, _>| {
                share.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            shares.into_iter().flat_map(join).collect()
        });
        played.sort_by_key(|(game, _)| *game);
        let mut accounts = played.into_iter().map(|(_, account)| account);
        matches.iter().map(|_| accounts.by_ref().take(episodes).collect()).collect()
    }
}
