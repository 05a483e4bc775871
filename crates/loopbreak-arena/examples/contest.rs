//! Plays games with every kind of player, with and without Loopbreak, on the built-in story or another one.
//!
//! `cargo run --release -p loopbreak-arena --example contest -- [STORY [GAMES]]`. The command `loopbreak arena` does
//! the same and more.

#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use std::error::Error;
use std::sync::Arc;

use loopbreak::{Config, Profile};
use loopbreak_arena::zmachine::StoryFile;
use loopbreak_arena::{ContestPlan, ContestReport, EpisodeRules, GameContest, PlayerKind, stories};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let story = match arguments.first().map(String::as_str) {
        None | Some("spillway") => stories::spillway(),
        Some(file) => Arc::new(StoryFile::new(&std::fs::read(file)?)?),
    };
    let episodes: u32 = arguments.get(1).map_or(Ok(20), |games| games.parse())?;
    let contest = GameContest { story, rules: EpisodeRules::default(), seed: 1, episodes };
    let plan = ContestPlan {
        players: PlayerKind::ALL.to_vec(),
        obedience: vec![0.0, 0.3, 0.7],
        config: Config::from(Profile::Game),
        ablate: arguments.get(2).is_some_and(|word| word == "ablate"),
    };
    print!("{}", ContestReport::play(&contest, &plan, &|| {})?);
    Ok(())
}
