//! Plays an episode with Loopbreak and writes its journal.
//!
//! `cargo run -p loopbreak-arena --example episode -- STORY PLAYER SEED OBEDIENCE JOURNAL`, where the story is a file
//! such as `zork1.z3`, or `spillway` for the built-in one. Then run `loopbreak analyze JOURNAL`.

#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::sync::Arc;

use loopbreak::{Config, Guard, Profile};
use loopbreak_arena::zmachine::StoryFile;
use loopbreak_arena::{EpisodeOrchestrator, HeuristicCritic, PlayerKind, StoryWorld, stories};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [story, player, seed, obedience, journal] = arguments.as_slice() else {
        return Err("usage: episode STORY PLAYER SEED OBEDIENCE JOURNAL".into());
    };
    let story = match story.as_str() {
        "spillway" => stories::spillway(),
        file => Arc::new(StoryFile::new(&std::fs::read(file)?)?),
    };
    let seed: u32 = seed.parse()?;
    let mut world = StoryWorld::new(story, seed);
    let mut player = player.parse::<PlayerKind>()?.player_with_obedience(seed.into(), obedience.parse()?);
    let mut critic = HeuristicCritic::default();
    let guard = Guard::new(Config::from(Profile::Game));
    let episode = EpisodeOrchestrator::new(&mut world, &mut *player, &mut critic, guard)
        .journal(BufWriter::new(File::create(journal)?))
        .play(&format!("episode-{seed}"))?;
    println!(
        "{} after {} turns ({}), score {}, {} places, {} proposals refused",
        episode.ending.as_str(),
        episode.turns,
        episode.ending.reason(),
        episode.score.unwrap_or_default(),
        episode.places,
        episode.refused
    );
    Ok(())
}
