//! Plays the games of a contest, on all cores.

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use loopbreak::{Config, Guard};

use super::game_record::GameRecord;
use super::loop_observer::LoopObserver;
use crate::episode::{EpisodeOrchestrator, EpisodeRules};
use crate::player::PlayerKind;
use crate::proposal_critic::HeuristicCritic;
use crate::world::StoryWorld;
use crate::zmachine::StoryFile;

/// What is played: a story, by these rules, with these seeds.
#[derive(Clone, Debug)]
pub struct GameContest {
    /// The story.
    pub story: Arc<StoryFile>,
    /// How each episode is played.
    pub rules: EpisodeRules,
    /// The first seed. One episode a seed; it decides both chance in the world and what the player is like.
    pub seed: u32,
    /// How many episodes each player plays.
    pub episodes: u32,
}

/// All episodes of one kind of player, with one set of settings.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContestMatch<'m> {
    pub(super) kind: PlayerKind,
    pub(super) obedience: f64,
    pub(super) config: &'m Config,
}

impl GameContest {
    /// Plays one game.
    pub fn game(&self, kind: PlayerKind, obedience: f64, config: &Config, seed: u32) -> GameRecord {
        let mut world = StoryWorld::new(Arc::clone(&self.story), seed);
        let mut player = kind.player_with_obedience(seed.into(), obedience);
        let mut critic = HeuristicCritic::default();
        let mut observer = LoopObserver::default();
        let orchestrator =
            EpisodeOrchestrator::new(&mut world, &mut *player, &mut critic, Guard::new(config.clone()))
                .rules(self.rules)
                .view(|event| observer.see(event));
        // Nothing fails to be written where nothing is written.
        match orchestrator.play(&format!("{kind}-{seed}")) {
            Ok(episode) => observer.conclude(&episode),
            Err(_) => GameRecord::default(),
        }
    }

    /// Plays all games of these matches, in any order, and gives them in theirs. Tells of each game that is over.
    pub(super) fn play(
        &self,
        matches: &[ContestMatch<'_>],
        over: &(dyn Fn() + Sync),
    ) -> Vec<Vec<GameRecord>> {
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
                let ContestMatch { kind, obedience, config } = matches[game / episodes];
                let seed = self.seed.wrapping_add((game % episodes) as u32);
                played.push((game, self.game(kind, obedience, config, seed)));
                over();
            }
        };
        let mut played: Vec<(usize, GameRecord)> = std::thread::scope(|scope| {
            let shares: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            // A thread that panicked takes this one with it.
            let join = |share: std::thread::ScopedJoinHandle<'_, _>| {
                share.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            shares.into_iter().flat_map(join).collect()
        });
        played.sort_by_key(|(game, _)| *game);
        let mut records = played.into_iter().map(|(_, record)| record);
        matches.iter().map(|_| records.by_ref().take(episodes).collect()).collect()
    }
}
