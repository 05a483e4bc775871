//! The options of `arena`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use loopbreak_arena::PlayerKind;

use crate::args::ConfigOptions;
use crate::play::probability;

/// Games a player at most: what is kept of each stays in memory.
const MOST_EPISODES: i64 = 100_000;

/// Play many games, with Loopbreak and without.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak arena                                   All players, 200 games each, on \"Spillway\"
  loopbreak arena --episodes 20                     A first look
  loopbreak arena zork1.z3 --html contest.html      A story of yours, and a page for a browser
  loopbreak arena --players camper,explorer --obedience 0.5
  loopbreak arena --ablate                          Which part of Loopbreak does what?
  loopbreak arena --set stagnation.max_turns=60     With other settings
  loopbreak arena --json > contest.json             The same as data

200 games of each player take about a minute on two cores, and five times as long with --ablate.

The profile is `game`, unless a configuration says otherwise. The same story, seed and settings
give the same figures every time.

Exit codes:
  0 done, whatever was found; 1 something could not be written; 2 used or configured wrongly;
  130 interrupted")]
pub(crate) struct ArenaArgs {
    /// A story file for the Z-machine, version 3, or `spillway`, which comes with the program
    #[arg(value_name = "STORY", default_value = "spillway")]
    pub(crate) story: PathBuf,
    /// Who plays, joined by commas; all, unless told
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = players())]
    pub(crate) players: Vec<PlayerKind>,
    /// How many games each player plays, without Loopbreak and at every obedience
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=MOST_EPISODES))]
    pub(crate) episodes: u32,
    /// The seed of the first game; each game has the next one
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u32,
    /// With which probabilities players do as they are told, from 0 to 1, joined by commas
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "0,0.3,0.7",
        value_parser = probability,
        allow_negative_numbers = true
    )]
    pub(crate) obedience: Vec<f64>,
    /// End a game after so many turns
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_turns: u64,
    /// Play it all again with one part of Loopbreak taken out after the other, to see what it does
    #[arg(long)]
    pub(crate) ablate: bool,
    /// Print the figures as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the figures as one page for a browser, with their intervals drawn
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) config: ConfigOptions,
}

fn players() -> impl clap::builder::TypedValueParser<Value = PlayerKind> {
    PossibleValuesParser::new(PlayerKind::ALL.map(PlayerKind::as_str))
        .try_map(|name| name.parse::<PlayerKind>())
}
