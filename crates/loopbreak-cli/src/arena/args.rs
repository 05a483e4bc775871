//! The options of `arena`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use loopbreak_arena::PlayerKind;

use crate::args::ConfigOptions;
use crate::value_parsers::parse_probability;

/// Maximum number of games per player: the result of each game is kept in memory.
const MAX_EPISODES: i64 = 100_000;

/// Measure the effect of Loopbreak over many games.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak arena                               All players, 200 games each
  loopbreak arena --episodes 20                 A quick look
  loopbreak arena zork1.z3 --html contest.html  Another story, and an HTML page
  loopbreak arena --players camper,explorer --obedience 0.5
  loopbreak arena --ablate                      Measure each part of Loopbreak
  loopbreak arena --compare-advice neutral mine.toml
                                                Measure two sets of texts
  loopbreak arena --set stagnation.max_turns=60 Other settings
  loopbreak arena --json > contest.json         The figures as JSON

200 games per player take about a minute on two cores, and five times as long
with --ablate.

The default profile is `game`. The same story, seed and settings always give the
same figures.

Exit codes:
  0 success; 1 a file could not be written; 2 wrong usage or configuration;
  130 interrupted")]
pub(crate) struct ArenaArgs {
    /// Z-machine story file, version 3, or `spillway`, which is built in
    #[arg(value_name = "STORY", default_value = "spillway")]
    pub(crate) story: PathBuf,
    /// Players, separated by commas [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = player_parser())]
    pub(crate) players: Vec<PlayerKind>,
    /// Number of games per player, without Loopbreak and for each value of --obedience
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=MAX_EPISODES))]
    pub(crate) episodes: u32,
    /// Seed of the first game; each further game uses the next number
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u32,
    /// Probabilities that a player follows advice, from 0 to 1, separated by commas
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "0,0.3,0.7",
        value_parser = parse_probability,
        allow_negative_numbers = true
    )]
    pub(crate) obedience: Vec<f64>,
    /// End a game after this many turns
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_turns: u64,
    /// Repeat all games with one part of Loopbreak removed at a time, to measure what each part does
    #[arg(long)]
    pub(crate) ablate: bool,
    /// Play the same games with two sets of texts instead, and measure the difference
    ///
    /// A set is `neutral`, `zork`, or a configuration file with a section [advice]. Built-in players notice that there
    /// is advice, but do not read it: they play differently only where a set leaves a text empty.
    #[arg(long, value_names = ["A", "B"], num_args = 2, conflicts_with_all = ["ablate", "html"])]
    pub(crate) compare_advice: Vec<String>,
    /// Print the figures as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the figures as an HTML page with charts of their intervals
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) config: ConfigOptions,
}

fn player_parser() -> impl clap::builder::TypedValueParser<Value = PlayerKind> {
    PossibleValuesParser::new(PlayerKind::ALL.map(PlayerKind::as_str))
        .try_map(|name| name.parse::<PlayerKind>())
}
