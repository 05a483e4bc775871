//! Which agents a command is about: the one that the user names, or a choice from those that are found.

use std::fmt::Write as _;
use std::io::{self, BufRead as _, IsTerminal as _};

use loopbreak_config::nearest_name;
use loopbreak_hooks::doctor::HookInstallation;
use loopbreak_hooks::install::{FoundAgent, SettingsScope};
use loopbreak_hooks::{HookAgent, agents};

use super::args::InstallArgs;
use crate::error::UserError;
use crate::output::{self, printable};

/// Longest answer that is read, in bytes.
const ANSWER_BYTES: u64 = 1_000;

/// An agent to choose, with a description.
struct AgentCandidate {
    agent: &'static dyn HookAgent,
    description: String,
}

/// Finds the agent that the user named.
pub(super) fn find_agent(name: &str) -> Result<&'static dyn HookAgent, UserError> {
    if let Some(agent) = agents::find(name) {
        return Ok(agent);
    }
    let all = names(agents::ALL.iter().copied()).join(", ");
    let known = agents::ALL.iter().flat_map(|agent| agent.aliases().iter().copied().chain([agent.name()]));
    if let Some(meant) = nearest_name(name, known).and_then(agents::find) {
        return Err(UserError::usage(format!("unknown agent `{}`; the agents are {all}", printable(name)))
            .hint(format!("did you mean {}?", meant.name())));
    }
    Err(UserError::usage(format!("no hooks for `{}`; the agents are {all}", printable(name))).hint(
        "follow its logs with `loopbreak watch`, let it ask over MCP (`loopbreak mcp`), or run it under `loopbreak run`",
    ))
}

/// Chooses from the agents on this machine. Without a terminal it is an error, unless nothing would be changed.
pub(super) fn choose_to_install(args: &InstallArgs) -> Result<Vec<&'static dyn HookAgent>, UserError> {
    let scope = args.scope.scope().0;
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
        let all = names(agents::ALL.iter().copied()).join(", ");
        return Err(UserError::usage("no agents found on this machine").hint(format!("name one of {all}")));
    }
    choose(&candidates, "install", args)
}

/// Chooses from the agents that have hooks of Loopbreak.
pub(super) fn choose_to_uninstall(args: &InstallArgs) -> Result<Vec<&'static dyn HookAgent>, UserError> {
    let scope = args.scope.scope().0;
    let mut candidates = Vec::new();
    for agent in agents::ALL {
        if let Ok(Some(found)) = HookInstallation::find(*agent, scope) {
            let description = format!("{}, in {}", agent.title(), found.file.display());
            candidates.push(AgentCandidate { agent: *agent, description });
        }
    }
    if candidates.is_empty() {
        let hint = if scope == SettingsScope::User { "" } else { " in this project; --user looks at yours" };
        output::print(&format!("no Loopbreak hooks found{hint}\n"))?;
        return Ok(Vec::new());
    }
    choose(&candidates, "uninstall", args)
}

/// Lists the candidates and asks. A dry run takes all of them.
fn choose(
    candidates: &[AgentCandidate],
    verb: &str,
    args: &InstallArgs,
) -> Result<Vec<&'static dyn HookAgent>, UserError> {
    let all = candidates.iter().map(|candidate| candidate.agent);
    if args.dry_run {
        return Ok(all.collect());
    }
    let mut list = String::from("found:\n");
    for (number, AgentCandidate { agent, description }) in (1..).zip(candidates) {
        _ = writeln!(list, "  {number}  {:<12}  {}", agent.name(), printable(description));
    }
    output::print(&list)?;
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        let option = if args.scope.scope().0 == SettingsScope::User { " --user" } else { "" };
        let commands = all.map(|agent| format!("  loopbreak hook {verb} {}{option}\n", agent.name()));
        output::print(&format!("run one of:\n{}", commands.collect::<String>()))?;
        return Err(UserError::usage("no agent was named, so nothing was changed"));
    }
    output::print(&format!("{verb} which? numbers or names, or `all`; Enter for none: "))?;
    let mut answer = String::new();
    io::Read::take(io::stdin().lock(), ANSWER_BYTES)
        .read_line(&mut answer)
        .map_err(|error| UserError::failed(format!("cannot read the answer: {error}")))?;
    let chosen = parse_choice(&answer, candidates)?;
    if chosen.is_empty() {
        output::print("nothing was changed\n")?;
    }
    Ok(chosen)
}

/// Parses the answer. One unknown word makes all of it an error.
fn parse_choice(
    answer: &str,
    candidates: &[AgentCandidate],
) -> Result<Vec<&'static dyn HookAgent>, UserError> {
    let mut chosen: Vec<&'static dyn HookAgent> = Vec::new();
    for word in answer.split([' ', ',', '\t', '\r', '\n']).filter(|word| !word.is_empty()) {
        if word == "all" {
            return Ok(candidates.iter().map(|candidate| candidate.agent).collect());
        }
        let by_number = || candidates.get(word.parse::<usize>().ok()?.checked_sub(1)?);
        let agent = match by_number() {
            Some(candidate) => candidate.agent,
            None if word.parse::<usize>().is_ok() => {
                return Err(UserError::usage(format!("there is no number {word}; nothing was changed")));
            }
            None => find_agent(word)?,
        };
        if !names(chosen.iter().copied()).contains(&agent.name()) {
            chosen.push(agent);
        }
    }
    Ok(chosen)
}

fn names(agents: impl Iterator<Item = &'static dyn HookAgent>) -> Vec<&'static str> {
    agents.map(HookAgent::name).collect()
}
