//! The options of `play`.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use loopbreak_arena::PlayerKind;

use crate::args::ConfigOptions;
use crate::duration::parse_duration;

/// The name of the player who is no program.
pub(super) const YOU: &str = "you";

/// Play a text adventure.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak play                                    A built-in player explores \"Spillway\"
  loopbreak play --player you                       Play it yourself; Loopbreak advises
  loopbreak play zork1.z3 --player oscillator       A story of yours, a player that gets stuck
  loopbreak play --endpoint http://localhost:11434/v1 --model qwen3         A model plays
  loopbreak play --agent-command ./agent.py         A program plays
  loopbreak play --world 'python3 jericho_bridge.py zork1.z5'               Another game
  loopbreak play --mode off --journal off.jsonl     The same game without Loopbreak
  loopbreak analyze off.jsonl                       ... and where it would have stepped in

The profile is `game`, unless a configuration says otherwise. A built-in player with a seed
plays the same game every time, in the view and in the journal.

Exit codes:
  0 the game is over: won, lost or left; 1 the world failed; 2 used or configured wrongly;
  10 ended as a loop; 11 limit of turns, time or money; 12 the model failed too often in a row;
  130 interrupted")]
pub(crate) struct PlayArgs {
    /// A story file for the Z-machine, version 3, or `spillway`, which comes with the program
    #[arg(value_name = "STORY", default_value = "spillway", conflicts_with = "world")]
    pub(crate) story: PathBuf,
    /// Play in the world behind this program, which speaks JSON by the line
    ///
    /// It is split into words at blanks, with quotes and backslashes as in a shell, and started without one.
    #[arg(long, value_name = "CMD")]
    pub(crate) world: Option<String>,
    /// Who plays: a built-in player, or you; the explorer, unless told
    #[arg(long, value_name = "NAME", value_parser = players(), conflicts_with = "agent_command", help_heading = "Player")]
    pub(crate) player: Option<String>,
    /// With which probability a built-in player does as it is told, from 0 to 1
    #[arg(long, value_name = "P", default_value_t = 0.5, value_parser = probability, help_heading = "Player")]
    pub(crate) obedience: f64,
    /// Let this program play, which speaks JSON by the line
    #[arg(long, value_name = "CMD", help_heading = "Player")]
    pub(crate) agent_command: Option<String>,
    /// Let a model play, behind an endpoint that speaks the chat protocol of OpenAI; this is its base address
    ///
    /// The key comes from the variable `LOOPBREAK_API_KEY`, else `OPENAI_API_KEY`; without one, none is sent. With
    /// --player or --agent-command, only the critic is asked there.
    #[arg(long, value_name = "URL", requires = "model", help_heading = "Player")]
    pub(crate) endpoint: Option<String>,
    /// The name of the model
    #[arg(long, value_name = "NAME", requires = "endpoint", help_heading = "Player")]
    pub(crate) model: Option<String>,
    /// Who scores proposals: heuristic, none, endpoint, or command=CMD; none, if you play, else heuristic
    #[arg(long, value_name = "WHO", value_parser = critic, help_heading = "Critic")]
    pub(crate) critic: Option<CriticChoice>,
    /// The model of the critic, if it is another one
    #[arg(long, value_name = "NAME", requires = "endpoint", help_heading = "Critic")]
    pub(crate) critic_model: Option<String>,
    /// How long an answer of a model or a program may take
    #[arg(long, value_name = "TIME", value_parser = some_time, default_value = "60s", help_heading = "Models")]
    pub(crate) timeout: Duration,
    /// Trust the certificates in this file, in PEM, instead of the well-known ones, where the endpoint has https://
    #[arg(long, value_name = "FILE", requires = "endpoint", help_heading = "Models")]
    pub(crate) ca_file: Option<PathBuf>,
    /// How often a model is asked again that was busy, failed or gave no answer in time
    #[arg(long, value_name = "N", default_value_t = 2, help_heading = "Models")]
    pub(crate) retries: u32,
    /// End when the player gave no command so many times in a row
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Models")]
    pub(crate) max_failures: u32,
    /// What a million tokens cost that the model reads, in US dollars
    #[arg(long, value_name = "USD", value_parser = price, help_heading = "Models")]
    pub(crate) price_input: Option<f64>,
    /// What a million tokens cost that it writes
    #[arg(long, value_name = "USD", value_parser = price, help_heading = "Models")]
    pub(crate) price_output: Option<f64>,
    /// How many tokens an answer may have
    #[arg(long, value_name = "N", help_heading = "Models")]
    pub(crate) max_tokens: Option<u32>,
    /// The temperature of the model
    #[arg(long, value_name = "T", help_heading = "Models")]
    pub(crate) temperature: Option<f64>,
    /// Decides what is left to chance, in the world and in built-in players
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u32,
    /// End after so many turns
    #[arg(long, value_name = "N", default_value_t = 300)]
    pub(crate) max_turns: u64,
    /// Write the journal of the episode to this file, an event a line; `loopbreak analyze` reads it
    #[arg(long, value_name = "FILE")]
    pub(crate) journal: Option<PathBuf>,
    /// What Loopbreak does: enforce, observe (computed and told, never acted on), or off
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<ModeChoice>,
    /// Print plain lines, also on a terminal
    #[arg(long)]
    pub(crate) plain: bool,
    /// How long the live view rests after each turn of a built-in player
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "100ms")]
    pub(crate) delay: Duration,
    #[command(flatten)]
    pub(crate) config: ConfigOptions,
}

/// Who scores proposals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CriticChoice {
    Heuristic,
    None,
    Endpoint,
    Command(String),
}

/// What Loopbreak does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeChoice {
    /// It acts
    Enforce,
    /// It tells what it would do
    Observe,
    /// It is not there
    Off,
}

impl ModeChoice {
    /// The value of the setting `mode`.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            ModeChoice::Enforce => "enforce",
            ModeChoice::Observe => "observe",
            ModeChoice::Off => "off",
        }
    }
}

fn critic(text: &str) -> Result<CriticChoice, String> {
    match text {
        "heuristic" => Ok(CriticChoice::Heuristic),
        "none" => Ok(CriticChoice::None),
        "endpoint" => Ok(CriticChoice::Endpoint),
        other => other
            .strip_prefix("command=")
            .map(|command| CriticChoice::Command(command.to_owned()))
            .ok_or_else(|| "there are heuristic, none, endpoint and command=CMD".to_owned()),
    }
}

/// The built-in players, and the person at the terminal.
fn players() -> PossibleValuesParser {
    PossibleValuesParser::new(PlayerKind::ALL.map(PlayerKind::as_str).into_iter().chain([YOU]))
}

fn some_time(text: &str) -> Result<Duration, String> {
    parse_duration(text)
        .and_then(|time| if time.is_zero() { Err("nobody answers in no time".to_owned()) } else { Ok(time) })
}

/// A number from 0 to 1.
pub(crate) fn probability(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "give a number from 0 to 1".to_owned())
}

fn price(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "give US dollars for a million tokens, such as 0.25".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn critics_probabilities_and_prices_are_read() {
        assert_eq!(critic("command=./critic.py -v"), Ok(CriticChoice::Command("./critic.py -v".to_owned())));
        assert_eq!(
            (critic("none"), critic("endpoint")),
            (Ok(CriticChoice::None), Ok(CriticChoice::Endpoint))
        );
        assert!(critic("myself").is_err());
        assert_eq!((probability("0.25"), price("0.25")), (Ok(0.25), Ok(0.25)));
        assert!(probability("2").is_err() && probability("NaN").is_err() && price("-1").is_err());
    }
}
