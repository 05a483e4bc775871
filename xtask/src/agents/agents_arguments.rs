//! The command line of `cargo xtask agents`.

use std::path::PathBuf;
use std::time::Duration;

use super::part_list::PARTS;
use super::programs::{self, AgentProgram};
use super::session_part::SessionPart;
use crate::chore_failure::ChoreFailure;

/// The help text.
pub(super) const USAGE: &str = "\
Play parts with real coding agents, a scripted model and the hooks of Loopbreak.

Usage: cargo xtask agents [NAME…] [OPTIONS]

The agents are installed from npm and PyPI below target/agents/. Every session has a home folder and a project of its own, needs no
credentials, and talks to a model on the loopback address. One line is printed per agent and part: what was seen and, in
parentheses, what is expected. A round is an answer of the model with calls; `told` is the round after which advice reached the
model, `refused` the round whose call was the first to be refused, `ran` the number of calls that were carried out.

Arguments:
  NAME…            the agents to run (default: all); see --list

Options:
  --only PART      play only this part; may be repeated
  --list           list the agents and the parts
  --record DIR     write each event of a hook with its answer, the requests to the model, and the telemetry of Claude Code,
                   Codex CLI and Gemini CLI, to DIR/AGENT-VERSION/
  --write          write what was seen into docs/guide/agents.md, for each agent whose parts were all as expected
  --json           print one JSON object per session instead of the table
  --keep           keep the folders of all sessions; those of failed sessions are always kept
  --limit SECONDS  the longest time of a session (default: 120)
  -h, --help       print this

Examples:
  cargo xtask agents --write                            # everything; takes about 40 minutes
  cargo xtask agents claude --only failing-call         # one session
  cargo xtask agents codex gemini --only budget --keep  # look at the folders afterwards
  cargo xtask agents qwen --record /tmp/recorded        # what the agent sends to its hooks

Exit codes: 0 everything is as expected; 1 something is not; 2 wrong usage.
";

/// The arguments of the chore.
pub(super) struct AgentsArguments {
    /// The agents to run.
    pub(super) agents: Vec<&'static dyn AgentProgram>,
    /// The parts to play.
    pub(super) parts: Vec<&'static SessionPart>,
    /// Prints the agents and parts, and does nothing else.
    pub(super) list: bool,
    /// The folder of the recordings.
    pub(super) record: Option<PathBuf>,
    /// Writes the page about agents.
    pub(super) write: bool,
    /// Prints JSON.
    pub(super) json: bool,
    /// Keeps all folders.
    pub(super) keep: bool,
    /// The longest time of a session.
    pub(super) limit: Duration,
}

impl AgentsArguments {
    /// Parses the arguments.
    pub(super) fn parse(arguments: &[String]) -> Result<Self, ChoreFailure> {
        let usage = |message: String| ChoreFailure::Usage(format!("agents: {message}"));
        let mut parsed = AgentsArguments {
            agents: Vec::new(),
            parts: Vec::new(),
            list: false,
            record: None,
            write: false,
            json: false,
            keep: false,
            limit: Duration::from_mins(2),
        };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value = || rest.next().ok_or_else(|| usage(format!("{argument} needs a value")));
            match argument.as_str() {
                "--list" => parsed.list = true,
                "--json" => parsed.json = true,
                "--write" => parsed.write = true,
                "--keep" => parsed.keep = true,
                "--record" => parsed.record = Some(PathBuf::from(value()?)),
                "--limit" => {
                    let seconds = value()?;
                    let seconds =
                        seconds.parse().map_err(|_| usage(format!("--limit {seconds:?} is not a number")))?;
                    parsed.limit = Duration::from_secs(seconds);
                }
                "--only" => {
                    let name = value()?;
                    let part = PARTS.iter().find(|part| part.name == name);
                    parsed
                        .parts
                        .push(part.ok_or_else(|| usage(format!("there is no part {name:?}; see --list")))?);
                }
                flag if flag.starts_with('-') => return Err(usage(format!("unexpected {flag:?}"))),
                name => {
                    let agent = programs::ALL.into_iter().find(|agent| agent.name() == name);
                    parsed
                        .agents
                        .push(agent.ok_or_else(|| usage(format!("there is no agent {name:?}; see --list")))?);
                }
            }
        }
        if parsed.write && !parsed.parts.is_empty() {
            return Err(usage("--write needs all parts: leave out --only".to_owned()));
        }
        if parsed.agents.is_empty() {
            parsed.agents = programs::ALL.to_vec();
        }
        if parsed.parts.is_empty() {
            parsed.parts = PARTS.iter().collect();
        }
        Ok(parsed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<AgentsArguments, ChoreFailure> {
        AgentsArguments::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn everything_is_played_unless_something_is_named() {
        let all = parse("").unwrap();
        assert_eq!((all.agents.len(), all.parts.len()), (programs::ALL.len(), PARTS.len()));
        let one = parse("claude --only heeds --only a-b --limit 7 --record there").unwrap();
        assert_eq!((one.agents.len(), one.parts.len()), (1, 2));
        assert_eq!((one.limit.as_secs(), one.record), (7, Some("there".into())));
    }

    #[test]
    fn wrong_arguments_are_usage_errors() {
        for (line, message) in [
            ("nobody", "there is no agent \"nobody\""),
            ("--only nothing", "there is no part \"nothing\""),
            ("--only", "--only needs a value"),
            ("--limit soon", "--limit \"soon\""),
            ("--all", "unexpected \"--all\""),
            ("--write --only heeds", "--write needs all parts"),
        ] {
            let Err(ChoreFailure::Usage(found)) = parse(line) else { panic!("{line}") };
            assert!(found.contains(message), "{line}: {found}");
        }
    }
}
