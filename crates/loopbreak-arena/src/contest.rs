//! Many games with Loopbreak, and the same games without: does it help, and what does it spoil?

use std::collections::BTreeMap;
use std::io;
use std::num::NonZero;
use std::ops::RangeInclusive;
use std::sync::Arc;

use loopbreak::{Config, Guard};

use crate::critic::Heuristic;
use crate::episode::{Episode, Orchestrator, Rules};
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
    /// One episode a seed. It decides both chance in the world and what the player is like.
    pub seeds: RangeInclusive<u32>,
    /// With which probability the players do what they are told.
    pub obedience: f64,
}

/// What came of the episodes of one kind of player, in the order of their seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Tally {
    /// The episodes.
    pub episodes: Vec<Episode>,
}

impl Tally {
    /// The mean of the last scores.
    pub fn score(&self) -> f64 {
        self.mean(|episode| f64::from(episode.score.unwrap_or_default()))
    }

    /// The mean number of turns.
    pub fn turns(&self) -> f64 {
        self.mean(|episode| episode.turns as f64)
    }

    /// The mean number of places that were seen.
    pub fn places(&self) -> f64 {
        self.mean(|episode| episode.places as f64)
    }

    fn mean(&self, of: impl Fn(&Episode) -> f64) -> f64 {
        self.episodes.iter().map(of).sum::<f64>() / self.episodes.len().max(1) as f64
    }

    /// How often which ending was met, by its mark.
    pub fn endings(&self) -> BTreeMap<&'static str, usize> {
        let mut endings = BTreeMap::new();
        for episode in &self.episodes {
            *endings.entry(episode.ending.mark()).or_insert(0) += 1;
        }
        endings
    }

    /// In how many games the score is better than in the same game of the other tally, and in how many it is worse.
    pub fn against(&self, other: &Tally) -> (usize, usize) {
        let pairs = || self.episodes.iter().zip(&other.episodes);
        let better = pairs().filter(|(ours, theirs)| ours.score > theirs.score).count();
        (better, pairs().filter(|(ours, theirs)| ours.score < theirs.score).count())
    }
}

impl Contest {
    /// Plays all episodes of one kind of player, on as many threads as there are cores. Settings with the mode `off` are a
    /// game without Loopbreak.
    pub fn play(&self, kind: PlayerKind, config: &Config) -> io::Result<Tally> {
        let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
        let mut played: Vec<(u32, Episode)> = std::thread::scope(|scope| {
            let shares: Vec<_> = (0..threads)
                .map(|share| {
                    let seeds = self.seeds.clone().skip(share).step_by(threads);
                    scope.spawn(move || {
                        let episodes = seeds.map(|seed| Ok((seed, self.episode(kind, config, seed)?)));
                        episodes.collect::<io::Result<Vec<_>>>()
                    })
                })
                .collect();
            let mut played = Vec::new();
            for share in shares {
                // A thread that panicked takes this one with it.
                played.extend(share.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
            }
            Ok::<_, io::Error>(played)
        })?;
        played.sort_by_key(|(seed, _)| *seed);
        Ok(Tally { episodes: played.into_iter().map(|(_, episode)| episode).collect() })
    }

    fn episode(&self, kind: PlayerKind, config: &Config, seed: u32) -> io::Result<Episode> {
        let mut world = StoryWorld::new(Arc::clone(&self.story), seed);
        let mut player = kind.half_deaf(seed.into(), self.obedience);
        let mut critic = Heuristic::default();
        let guard = Guard::new(config.clone());
        let orchestrator = Orchestrator::new(&mut world, &mut *player, &mut critic, guard).rules(self.rules);
        orchestrator.play(&format!("{kind}-{seed}"))
    }
}
