//! Finds the process of the agent that started a hook.

use loopbreak_store::AgentProcess;

use crate::process_stat::{ProcessStat, command_words, machine};
use crate::program_kind::ProgramKind;

/// The largest number of shells between a hook and its agent.
const MAX_WRAPPERS: usize = 4;

/// A function that returns the process of the agent of this hook, given the one that is stored. If the second argument is
/// true, the stored one is not believed although it is alive: another process may have taken over the session.
pub type AgentSearch = fn(Option<&AgentProcess>, bool) -> Option<AgentProcess>;

/// Returns the process of the agent that started this process: its parent, past the shells that only run a command. Returns `None`
/// if that is uncertain: a human started it, or the parent is in another session, such as a terminal.
///
/// If `known` is still alive and `search` is false, returns it. This reads one file at most.
pub fn find_agent(known: Option<&AgentProcess>, search: bool) -> Option<AgentProcess> {
    if let Some(known) = known.filter(|_| !search)
        && ProcessStat::read(known.pid).is_some_and(|stat| stat.start == known.start)
    {
        return Some(known.clone());
    }
    let own = ProcessStat::read(std::process::id())?;
    let mut pid = own.parent;
    for _ in 0..=MAX_WRAPPERS {
        let stat = ProcessStat::read(pid).filter(|stat| pid > 1 && stat.session == own.session)?;
        match ProgramKind::from_command_line(&stat.name, &command_words(pid)) {
            ProgramKind::Wrapper => pid = stat.parent,
            ProgramKind::Script | ProgramKind::Other => return with_machine(stat),
            ProgramKind::InteractiveShell | ProgramKind::System => return None,
        }
    }
    None
}

/// Returns the process with this number, if it runs. For a program that started the agent itself.
pub fn agent_from_pid(pid: u32) -> Option<AgentProcess> {
    with_machine(ProcessStat::read(pid)?)
}

/// Returns whether a signal has stopped the process with this number. Always false on systems without `/proc`.
pub fn is_stopped(pid: u32) -> bool {
    ProcessStat::read(pid).is_some_and(|stat| stat.is_stopped())
}

fn with_machine(stat: ProcessStat) -> Option<AgentProcess> {
    let ProcessStat { pid, start, group, name, .. } = stat;
    Some(AgentProcess { pid, start, group, name, machine: machine()? })
}
