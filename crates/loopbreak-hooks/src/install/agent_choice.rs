//! Which agents a command is about: the one that the user names, or a choice from those that are found.

use std::fmt::Write as _;

use loopbreak::text::{nearest_name, printable};

use super::found_agent::FoundAgent;
use super::install_error::InstallError;
use super::settings_location::SettingsScope;
use crate::agents;
use crate::doctor::HookInstallation;
use crate::hook_agent::HookAgent;

/// The agents that a user can choose from.
#[derive(Clone, Debug)]
pub struct AgentChoice {
    candidates: Vec<AgentCandidate>,
    verb: &'static str,
    scope: SettingsScope,
}

/// An agent to choose, with a description.
#[derive(Clone, Debug)]
struct AgentCandidate {
    agent: &'static dyn HookAgent,
    description: String,
}

/// The reason why no agent was chosen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentChoiceError {
    /// The name is unknown, but similar to that of an agent.
    #[error("unknown agent `{}`; the agents are {}", printable(name), all_names())]
    Mistyped {
        /// The name.
        name: String,
        /// The name of the agent that was probably meant.
        meant: &'static str,
    },
    /// The name is unknown.
    #[error("no hooks for `{}`; the agents are {}", printable(_0), all_names())]
    Unknown(String),
    /// The list of agents has no such number.
    #[error("there is no number {0}; nothing was changed")]
    NoSuchNumber(String),
    /// No agents were found on this machine.
    #[error("no agents found on this machine")]
    NoneFound,
    /// The user was not there to choose.
    #[error("no agent was named, so nothing was changed")]
    NotNamed,
    /// The settings of an agent cannot be found.
    #[error(transparent)]
    Settings(#[from] InstallError),
}

impl AgentChoiceError {
    /// Returns a hint for the user.
    pub fn hint(&self) -> Option<String> {
        match self {
            AgentChoiceError::Mistyped { meant, .. } => Some(format!("did you mean {meant}?")),
            AgentChoiceError::Unknown(_) => Some(
                "follow its logs with `loopbreak watch`, let it ask over MCP (`loopbreak mcp`), or run it under \
                 `loopbreak run`"
                    .to_owned(),
            ),
            AgentChoiceError::NoneFound => Some(format!("name one of {}", all_names())),
            AgentChoiceError::Settings(error) => error.hint().map(str::to_owned),
            AgentChoiceError::NoSuchNumber(_) | AgentChoiceError::NotNamed => None,
        }
    }
}

/// Finds the agent that the user named.
pub fn find_named_agent(name: &str) -> Result<&'static dyn HookAgent, AgentChoiceError> {
    if let Some(agent) = agents::find(name) {
        return Ok(agent);
    }
    let known = agents::ALL.iter().flat_map(|agent| agent.aliases().iter().copied().chain([agent.name()]));
    Err(match nearest_name(name, known).and_then(agents::find) {
        Some(meant) => AgentChoiceError::Mistyped { name: name.to_owned(), meant: meant.name() },
        None => AgentChoiceError::Unknown(name.to_owned()),
    })
}

impl AgentChoice {
    /// Lists the agents on this machine, to install hooks.
    pub fn to_install(scope: SettingsScope) -> Result<Self, AgentChoiceError> {
        let mut candidates = Vec::new();
        for found in FoundAgent::find_all() {
            let file = found.agent.settings_location().path(scope)?;
            let trace = match (&found.program, &found.folder) {
                (Some(program), _) => format!("program {}", program.display()),
                (None, Some(folder)) => format!("folder {}", folder.display()),
                (None, None) => String::new(),
            };
            let description = format!("{} ({trace}), in {}", found.agent.title(), file.display());
            candidates.push(AgentCandidate { agent: found.agent, description });
        }
        if candidates.is_empty() {
            return Err(AgentChoiceError::NoneFound);
        }
        Ok(AgentChoice { candidates, verb: "install", scope })
    }

    /// Lists the agents that have hooks of Loopbreak, to remove them. The list may be empty.
    pub fn to_uninstall(scope: SettingsScope) -> Self {
        let installed = agents::ALL.iter().filter_map(|agent| {
            let found = HookInstallation::find(*agent, scope).ok()??;
            let description = format!("{}, in {}", agent.title(), found.file.display());
            Some(AgentCandidate { agent: *agent, description })
        });
        AgentChoice { candidates: installed.collect(), verb: "uninstall", scope }
    }

    /// Returns the agents, in the order in which they are listed.
    pub fn agents(&self) -> Vec<&'static dyn HookAgent> {
        self.candidates.iter().map(|candidate| candidate.agent).collect()
    }

    /// Renders the list with a number for each agent.
    pub fn render(&self) -> String {
        if self.candidates.is_empty() {
            let user = self.scope == SettingsScope::User;
            let hint = if user { "" } else { " in this project; --user looks at yours" };
            return format!("no Loopbreak hooks found{hint}\n");
        }
        let mut list = String::from("found:\n");
        for (number, AgentCandidate { agent, description }) in (1..).zip(&self.candidates) {
            // Writing to a text cannot fail.
            _ = writeln!(list, "  {number}  {:<12}  {}", agent.name(), printable(description));
        }
        list
    }

    /// Renders a command for each agent, for a user who cannot be asked.
    pub fn render_commands(&self) -> String {
        let option = if self.scope == SettingsScope::User { " --user" } else { "" };
        let commands = self
            .candidates
            .iter()
            .map(|candidate| format!("  loopbreak hook {} {}{option}\n", self.verb, candidate.agent.name()));
        format!("run one of:\n{}", commands.collect::<String>())
    }

    /// Returns the question for the user. [`AgentChoice::parse`] takes the answer.
    pub fn question(&self) -> String {
        format!("{} which? numbers or names, or `all`; Enter for none: ", self.verb)
    }

    /// Parses the answer. One unknown word makes all of it an error.
    pub fn parse(&self, answer: &str) -> Result<Vec<&'static dyn HookAgent>, AgentChoiceError> {
        let mut chosen: Vec<&'static dyn HookAgent> = Vec::new();
        for word in answer.split([' ', ',', '\t', '\r', '\n']).filter(|word| !word.is_empty()) {
            if word == "all" {
                return Ok(self.agents());
            }
            let by_number = || self.candidates.get(word.parse::<usize>().ok()?.checked_sub(1)?);
            let agent = match by_number() {
                Some(candidate) => candidate.agent,
                None if word.parse::<usize>().is_ok() => {
                    return Err(AgentChoiceError::NoSuchNumber(word.to_owned()));
                }
                None => find_named_agent(word)?,
            };
            if chosen.iter().all(|other| other.name() != agent.name()) {
                chosen.push(agent);
            }
        }
        Ok(chosen)
    }
}

fn all_names() -> String {
    agents::ALL.iter().map(|agent| agent.name()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(answer: &str) -> Result<Vec<&'static str>, String> {
        let candidate =
            |agent: &&'static dyn HookAgent| AgentCandidate { agent: *agent, description: String::new() };
        let candidates = agents::ALL.iter().take(2).map(candidate).collect();
        let choice = AgentChoice { candidates, verb: "install", scope: SettingsScope::Project };
        let chosen = choice.parse(answer).map_err(|error| error.to_string())?;
        Ok(chosen.into_iter().map(HookAgent::name).collect())
    }

    #[test]
    fn an_answer_has_numbers_and_names_and_each_agent_counts_once() {
        assert_eq!(parse("2, claude 1\n"), Ok(vec!["codex", "claude-code"]));
        assert_eq!(parse("all"), Ok(vec!["claude-code", "codex"]));
        assert_eq!(parse(" \r\n"), Ok(Vec::new()));
        assert_eq!(parse("1 3"), Err("there is no number 3; nothing was changed".to_owned()));
        assert_eq!(parse("0"), Err("there is no number 0; nothing was changed".to_owned()));
        assert!(
            parse("1 codx").unwrap_err().starts_with("unknown agent `codx`; the agents are claude-code, ")
        );
    }

    #[test]
    fn a_typo_is_told_from_an_agent_without_hooks() {
        let hint = |name| find_named_agent(name).unwrap_err().hint().unwrap();
        assert_eq!(hint("codx"), "did you mean codex?");
        assert!(hint("something-else").starts_with("follow its logs with `loopbreak watch`"));
        assert!(find_named_agent("Claude").is_ok());
    }
}
