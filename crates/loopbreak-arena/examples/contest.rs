//! Every kind of player, on the story in the tree or one of yours, with Loopbreak and without.
//!
//! `cargo run --release -p loopbreak-arena --example contest -- [STORY [GAMES]]`

#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use std::error::Error;
use std::sync::Arc;

use loopbreak::{Config, Mode, Profile, Settings};
use loopbreak_arena::zmachine::Story;
use loopbreak_arena::{Contest, PlayerKind, Rules, stories};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let story = match arguments.first().map(String::as_str) {
        None | Some("spillway") => stories::spillway(),
        Some(file) => Arc::new(Story::new(&std::fs::read(file)?)?),
    };
    let games: u32 = arguments.get(1).map_or(Ok(100), |games| games.parse())?;
    let config = |mode| Config::new(Settings { mode, ..Settings::of(Profile::Game) });
    let (without, with) = (config(Mode::Off)?, config(Mode::Enforce)?);
    println!(
        "| player | obeys | score without | with | better / worse | turns without | with | ended as stuck |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for obedience in [0.0, 0.5] {
        for kind in PlayerKind::ALL {
            let contest =
                Contest { story: Arc::clone(&story), rules: Rules::default(), seeds: 1..=games, obedience };
            let off = contest.play(kind, &without)?;
            let on = contest.play(kind, &with)?;
            let (better, worse) = on.against(&off);
            let stuck = on.endings().get("loop_break").copied().unwrap_or_default();
            println!(
                "| {kind} | {obedience} | {:.1} | {:.1} | {better} / {worse} | {:.0} | {:.0} | {stuck} of {games} |",
                off.score(),
                on.score(),
                off.turns(),
                on.turns(),
            );
        }
    }
    Ok(())
}
