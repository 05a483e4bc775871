//! The options of `play`.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use loopbreak_arena::PlayerKind;

use crate::args::ConfigOptions;
use crate::value_parsers::{parse_duration, parse_probability};

/// Name of the player at the terminal.
pub(super) const YOU: &str = "you";

/// Play a text adventure with an agent, a critic and Loopbreak.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak play                                  A built-in player explores
  loopbreak play --player you                     Play it yourself, with advice
  loopbreak play zork1.z3 --player oscillator     A player that gets stuck
  loopbreak play --agent-command ./agent.py       A program plays
  loopbreak play --endpoint http://localhost:11434/v1 --model qwen3
                                                  A model plays
  loopbreak play --world 'python3 jericho_bridge.py zork1.z5'
                                                  Another game
  loopbreak play --mode off --journal off.jsonl   A game without Loopbreak
  loopbreak analyze off.jsonl                     Find the loops in it

The default profile is `game`. A built-in player plays the same game every time
it gets the same seed, and writes the same journal.

Exit codes:
  0 the game is over: won, lost or left; 1 the world failed;
  2 wrong usage or configuration; 10 loop; 11 limit of turns, time or cost;
  12 the model failed too often in a row; 130 interrupted")]
pub(crate) struct PlayArgs {
    /// Z-machine story file, version 3, or `spillway`, which is built in
    #[arg(value_name = "STORY", default_value = "spillway", conflicts_with = "world")]
    pub(crate) story: PathBuf,
    /// Play in the world of this program, which exchanges JSON lines
    ///
    /// The command is split into words like in a shell, with quotes and backslashes, but started without a
    /// shell.
    #[arg(long, value_name = "CMD")]
    pub(crate) world: Option<String>,
    /// Time limit for an answer of the world [default: --timeout if it is set, else 20s]
    #[arg(long, value_name = "TIME", value_parser = parse_time_limit, requires = "world")]
    pub(crate) world_timeout: Option<Duration>,
    /// Built-in player, or `you` [default: explorer]
    #[arg(long, value_name = "NAME", value_parser = player_parser(), conflicts_with = "agent_command", help_heading = "Player")]
    pub(crate) player: Option<String>,
    /// Probability that a built-in player follows advice, from 0 to 1
    #[arg(long, value_name = "P", default_value_t = 0.5, value_parser = parse_probability, help_heading = "Player")]
    pub(crate) obedience: f64,
    /// Let this program play, which exchanges JSON lines
    #[arg(long, value_name = "CMD", help_heading = "Player")]
    pub(crate) agent_command: Option<String>,
    /// Let a model play; base URL of an OpenAI-compatible chat endpoint
    ///
    /// The key is read from `LOOPBREAK_API_KEY` or `OPENAI_API_KEY`. If neither is set, no key is sent. With
    /// --player or --agent-command, the endpoint is used only for the critic.
    #[arg(long, value_name = "URL", requires = "model", help_heading = "Player")]
    pub(crate) endpoint: Option<String>,
    /// Name of the model
    #[arg(long, value_name = "NAME", requires = "endpoint", help_heading = "Player")]
    pub(crate) model: Option<String>,
    /// Critic that scores proposals: heuristic, none, endpoint or command=CMD [default: none if you play,
    /// else heuristic]
    #[arg(long, value_name = "WHO", value_parser = parse_critic, help_heading = "Critic")]
    pub(crate) critic: Option<CriticChoice>,
    /// Model of the critic [default: the model of the player]
    #[arg(long, value_name = "NAME", requires = "endpoint", help_heading = "Critic")]
    pub(crate) critic_model: Option<String>,
    /// Time limit for an answer of a model or a program [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = parse_time_limit, help_heading = "Models")]
    pub(crate) timeout: Option<Duration>,
    /// Trust the PEM certificates in this file instead of the built-in ones, for an https:// endpoint
    #[arg(long, value_name = "FILE", requires = "endpoint", help_heading = "Models")]
    pub(crate) ca_file: Option<PathBuf>,
    /// Number of retries if a model is busy, fails or does not answer in time
    #[arg(long, value_name = "N", default_value_t = 2, help_heading = "Models")]
    pub(crate) retries: u32,
    /// End when the player gives no command this many times in a row
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Models")]
    pub(crate) max_failures: u32,
    /// Price of a million input tokens in US dollars
    #[arg(long, value_name = "USD", value_parser = parse_price, help_heading = "Models")]
    pub(crate) price_input: Option<f64>,
    /// Price of a million output tokens in US dollars
    #[arg(long, value_name = "USD", value_parser = parse_price, help_heading = "Models")]
    pub(crate) price_output: Option<f64>,
    /// Maximum number of tokens per answer
    #[arg(long, value_name = "N", help_heading = "Models")]
    pub(crate) max_tokens: Option<u32>,
    /// Temperature of the model
    #[arg(long, value_name = "T", help_heading = "Models")]
    pub(crate) temperature: Option<f64>,
    /// Seed for the world and the built-in players
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u32,
    /// End after this many turns
    #[arg(long, value_name = "N", default_value_t = 300)]
    pub(crate) max_turns: u64,
    /// Write a journal to this file, one event per line; `loopbreak analyze` reads it
    #[arg(long, value_name = "FILE")]
    pub(crate) journal: Option<PathBuf>,
    /// Mode of Loopbreak
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<ModeChoice>,
    /// Print plain lines, even on a terminal
    #[arg(long)]
    pub(crate) plain: bool,
    /// Pause of the live view after each turn of a built-in player
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "100ms")]
    pub(crate) delay: Duration,
    #[command(flatten)]
    pub(crate) config: ConfigOptions,
}

/// The time limits for an answer, unless others are set. A model may think for long; a world only has to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(1);
const WORLD_TIMEOUT: Duration = Duration::from_secs(20);

impl PlayArgs {
    /// Returns the time limit for an answer of a model or a program.
    pub(crate) fn answer_timeout(&self) -> Duration {
        self.timeout.unwrap_or(ANSWER_TIMEOUT)
    }

    /// Returns the time limit for an answer of the world.
    pub(crate) fn world_timeout(&self) -> Duration {
        self.world_timeout.or(self.timeout).unwrap_or(WORLD_TIMEOUT)
    }
}

/// The critic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CriticChoice {
    Heuristic,
    None,
    Endpoint,
    Command(String),
}

/// The mode of Loopbreak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeChoice {
    /// Act on findings
    Enforce,
    /// Only report what it would do
    Observe,
    /// Turn it off
    Off,
}

impl ModeChoice {
    /// Returns the value of the setting `mode`.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            ModeChoice::Enforce => "enforce",
            ModeChoice::Observe => "observe",
            ModeChoice::Off => "off",
        }
    }
}

fn parse_critic(text: &str) -> Result<CriticChoice, String> {
    match text {
        "heuristic" => Ok(CriticChoice::Heuristic),
        "none" => Ok(CriticChoice::None),
        "endpoint" => Ok(CriticChoice::Endpoint),
        other => other
            .strip_prefix("command=")
            .map(|command| CriticChoice::Command(command.to_owned()))
            .ok_or_else(|| "use heuristic, none, endpoint or command=CMD".to_owned()),
    }
}

/// Parses the name of a built-in player, or `you`.
fn player_parser() -> PossibleValuesParser {
    PossibleValuesParser::new(PlayerKind::ALL.map(PlayerKind::as_str).into_iter().chain([YOU]))
}

fn parse_time_limit(text: &str) -> Result<Duration, String> {
    parse_duration(text)
        .and_then(|time| if time.is_zero() { Err("must be greater than 0".to_owned()) } else { Ok(time) })
}

fn parse_price(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "use a price in US dollars per million tokens, such as 0.25".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn critics_and_prices_are_parsed() {
        assert_eq!(
            parse_critic("command=./critic.py -v"),
            Ok(CriticChoice::Command("./critic.py -v".to_owned()))
        );
        assert_eq!(
            (parse_critic("none"), parse_critic("endpoint")),
            (Ok(CriticChoice::None), Ok(CriticChoice::Endpoint))
        );
        assert!(parse_critic("myself").is_err());
        assert_eq!(parse_price("0.25"), Ok(0.25));
        assert!(parse_price("-1").is_err());
    }
}
