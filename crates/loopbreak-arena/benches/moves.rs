#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a benchmark reads the clock, prints its figures and has a valid load"
)]
//! Moves per second on one core, on the built-in story: `cargo bench -p loopbreak-arena --bench moves`.
//!
//! Measures the world alone, then whole episodes of every kind of player: without Loopbreak, with Loopbreak in
//! observe mode, and with Loopbreak enforcing. The first two play exactly the same moves, so their difference is the
//! cost of Loopbreak. The time is CPU time if the system provides it, so that other programs do not count.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use loopbreak::{Config, Guard, Mode, Profile, Settings};
use loopbreak_arena::{
    EpisodeOrchestrator, EpisodeRules, GameWorld, HeuristicCritic, PlayerKind, StoryWorld, stories,
};

const ROUNDS: usize = 7;
const SEEDS: u32 = 10;

/// Number of turns, and the time they took.
type MovePace = (u64, Duration);

fn main() {
    let walk: Vec<&str> = include_str!("../story/walkthrough.txt").lines().collect();
    let alone = best(|| world_alone(&walk));
    println!("the world alone: {:.0} moves per second", rate(alone));
    let off = best(|| episodes(Mode::Off));
    let observed = best(|| episodes(Mode::Observe));
    let on = best(|| episodes(Mode::Enforce));
    assert_eq!(off.0, observed.0, "observe mode changes nothing");
    println!("episodes without Loopbreak: {:.0} moves per second", rate(off));
    println!("episodes with Loopbreak observing: {:.0} moves per second", rate(observed));
    println!("episodes with Loopbreak on: {:.0} moves per second", rate(on));
    let share = 1.0 - off.1.as_secs_f64() / observed.1.as_secs_f64();
    let each = (observed.1.saturating_sub(off.1)).as_secs_f64() * 1e6 / observed.0 as f64;
    println!("Loopbreak's own share of the time: {:.0} % ({each:.1} µs per move)", 100.0 * share);
}

fn rate((turns, time): MovePace) -> f64 {
    turns as f64 / time.as_secs_f64()
}

/// Returns the fastest of several rounds: other load can only slow a round down.
fn best(round: impl Fn() -> MovePace) -> MovePace {
    (0..ROUNDS).map(|_| round()).min_by_key(|(_, time)| *time).expect("there are rounds")
}

/// Returns the CPU time of this thread or, if unavailable, the elapsed time.
fn now() -> Duration {
    static STARTED: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = told.as_deref().and_then(|told| told.split(' ').next()?.parse().ok());
    nanos.map_or_else(|| STARTED.elapsed(), Duration::from_nanos)
}

fn world_alone(commands: &[&str]) -> MovePace {
    let started = now();
    for seed in 0..100 {
        let mut world = StoryWorld::new(stories::spillway(), seed);
        world.reset().expect("the story begins");
        for command in commands {
            world.act(command).expect("the story continues");
        }
    }
    (100 * commands.len() as u64, now().saturating_sub(started))
}

fn episodes(mode: Mode) -> MovePace {
    let config =
        Config::new(Settings { mode, ..Settings::from(Profile::Game) }).expect("a valid configuration");
    let started = now();
    let mut turns = 0;
    for kind in PlayerKind::ALL {
        for seed in 1..=SEEDS {
            let mut world = StoryWorld::new(stories::spillway(), seed);
            let mut player = kind.player_with_obedience(seed.into(), 0.5);
            let mut critic = HeuristicCritic::default();
            let guard = Guard::new(config.clone());
            let rules = EpisodeRules { max_turns: 200, ..EpisodeRules::default() };
            let episode = EpisodeOrchestrator::new(&mut world, &mut *player, &mut critic, guard)
                .rules(rules)
                .journal(std::io::sink())
                .play("bench")
                .expect("writing to a sink cannot fail");
            turns += episode.turns;
        }
    }
    (turns, now().saturating_sub(started))
}
