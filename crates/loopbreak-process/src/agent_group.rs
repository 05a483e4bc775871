//! The process group of an agent, checked before every signal.

use std::thread;
use std::time::{Duration, Instant};

use loopbreak_store::AgentProcess;

use crate::group_refusal::GroupRefusal;
use crate::process_stat::{ProcessStat, command_words, machine};
use crate::process_table::{OwnedProcess, ProcessTable};
use crate::program_kind::{ProgramKind, is_same_program};

/// Name of this program. Its own processes in the group of an agent (hooks, the MCP server, the guardian of `loopbreak run`) are
/// never paused: a hook that is stopped in the middle of a change would lock the store for all agents.
const OWN_NAME: &str = "loopbreak";
/// Longest wait until a signal has its effect.
const EFFECT_TIME: Duration = Duration::from_secs(2);
/// Time in which a terminal stops a process that continues in the background.
const SETTLE_TIME: Duration = Duration::from_millis(200);
const TICK: Duration = Duration::from_millis(5);

/// A process in the group of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupMember {
    /// Number of the process.
    pub pid: u32,
    /// Name of its program.
    pub name: String,
}

/// The process group of an agent, which holds nothing but the agent: the agent itself, its launcher or script, and what it
/// started. It exists only if all of that is certain.
#[derive(Clone, Debug)]
pub struct AgentGroup {
    agent: ProcessStat,
    members: Vec<GroupMember>,
    /// The process of `loopbreak run` that started the agent, if it did.
    runner: Option<u32>,
}

/// The result of resuming an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResumeResult {
    /// The agent runs.
    Runs,
    /// The agent was continued, and its terminal stopped it again, because it is in the background there.
    StoppedByTerminal,
}

impl AgentGroup {
    /// Checks that a process is still the agent that was recorded, and that its process group holds nothing else.
    pub fn verify(agent: &AgentProcess) -> Result<Self, GroupRefusal> {
        let table = ProcessTable::read().ok_or(GroupRefusal::Unsupported)?;
        if machine().as_deref() != Some(agent.machine.as_str()) {
            return Err(GroupRefusal::OtherMachine);
        }
        let pid = agent.pid;
        let found = table.get(pid).filter(|_| pid > 1).ok_or(GroupRefusal::Ended { pid })?;
        if found.stat.start != agent.start {
            return Err(GroupRefusal::Reused { pid, name: found.stat.name.clone() });
        }
        if found.stat.state == 't' {
            return Err(GroupRefusal::Debugged { pid });
        }
        GroupCheck { table: &table, agent: found, line: table.line_of(pid) }.check()
    }

    /// Returns the processes of the group that get signals.
    pub fn members(&self) -> &[GroupMember] {
        &self.members
    }

    /// Returns the agent.
    pub fn agent(&self) -> GroupMember {
        GroupMember { pid: self.agent.pid, name: self.agent.name.clone() }
    }

    /// Returns whether a signal has stopped the agent.
    pub fn is_stopped(&self) -> bool {
        self.agent.is_stopped()
    }

    /// Returns whether a shell takes the terminal back when the agent is stopped. It has to give it back (`fg`) afterwards.
    pub fn is_job_of_shell(&self) -> bool {
        self.agent.terminal != 0 && self.agent.session != self.agent.group
    }

    /// Returns the process of `loopbreak run` that started the agent, if it did.
    pub fn runner(&self) -> Option<u32> {
        self.runner
    }

    /// Stops all processes of the group until they are resumed. Those of Loopbreak itself continue.
    pub fn pause(&self) -> Result<(), GroupRefusal> {
        if self.is_stopped() {
            return Err(GroupRefusal::AlreadyStopped { pid: self.agent.pid });
        }
        signals::stop_group(self.agent.group)?;
        // Read again: a hook may have started since.
        for process in ProcessTable::read().unwrap_or_default().members(self.agent.group) {
            if is_own_program(&process.stat) {
                signals::continue_process(process.stat.pid);
            }
        }
        if self.wait_until(ProcessStat::is_stopped) {
            return Ok(());
        }
        let _ = signals::continue_group(self.agent.group);
        Err(GroupRefusal::SignalFailed { reason: "the agent did not stop".to_owned() })
    }

    /// Lets all processes of the group continue.
    pub fn resume(&self) -> Result<ResumeResult, GroupRefusal> {
        signals::continue_group(self.agent.group)?;
        if !self.wait_until(|stat| !stat.is_stopped()) {
            return Ok(ResumeResult::StoppedByTerminal);
        }
        thread::sleep(SETTLE_TIME);
        let is_stopped = self.current().is_some_and(|stat| stat.is_stopped());
        Ok(if is_stopped { ResumeResult::StoppedByTerminal } else { ResumeResult::Runs })
    }

    /// Asks all processes of the group to end, also if they are paused. An agent of `loopbreak run` is ended by its runner, which
    /// would start the next iteration otherwise.
    pub fn terminate(&self) -> Result<(), GroupRefusal> {
        if let Some(runner) = self.runner {
            signals::terminate_process(runner)?;
            return signals::continue_group(self.agent.group);
        }
        signals::terminate_group(self.agent.group)?;
        signals::continue_group(self.agent.group)
    }

    /// Returns the agent as it is now. `None` if it has ended.
    fn current(&self) -> Option<ProcessStat> {
        ProcessStat::read(self.agent.pid).filter(|stat| stat.start == self.agent.start && !stat.has_ended())
    }

    /// Waits until the agent is in a state, or has ended.
    fn wait_until(&self, is_reached: impl Fn(&ProcessStat) -> bool) -> bool {
        let began = Instant::now();
        while began.elapsed() < EFFECT_TIME {
            if self.current().is_none_or(|stat| is_reached(&stat)) {
                return true;
            }
            thread::sleep(TICK);
        }
        false
    }
}

/// The check of a group.
struct GroupCheck<'t> {
    table: &'t ProcessTable,
    agent: &'t OwnedProcess,
    /// The agent and all processes above it.
    line: Vec<u32>,
}

impl GroupCheck<'_> {
    fn check(&self) -> Result<AgentGroup, GroupRefusal> {
        let agent = &self.agent.stat;
        let own_line = self.table.line_of(std::process::id());
        let runner = self.check_leader()?;
        let mut members = Vec::new();
        for member in self.table.members(agent.group) {
            let OwnedProcess { stat, user } = member;
            let (pid, name) = (stat.pid, stat.name.clone());
            if *user != signals::own_user() {
                return Err(GroupRefusal::OtherUser { pid, name });
            }
            let is_started_by_us = self.table.line_of(pid).contains(&std::process::id());
            if own_line.contains(&pid) || is_started_by_us {
                return Err(GroupRefusal::OwnFamily { name });
            }
            if is_own_program(stat) {
                continue;
            }
            if stat.session != agent.session || !self.belongs(stat) {
                return Err(GroupRefusal::ForeignMember { pid, name });
            }
            members.push(GroupMember { pid, name });
        }
        Ok(AgentGroup { agent: agent.clone(), members, runner })
    }

    /// Checks the process that leads the group: the agent itself, a process above it, or the guardian of `loopbreak run`, whose
    /// parent is then returned.
    fn check_leader(&self) -> Result<Option<u32>, GroupRefusal> {
        let group = self.agent.stat.group;
        let Some(leader) = self.table.get(group) else {
            return Err(GroupRefusal::OtherLeader { name: "it has ended".to_owned() });
        };
        if self.line.contains(&group) {
            return Ok(None);
        }
        let runner = self.table.get(leader.stat.parent);
        match runner.filter(|runner| is_own_program(&leader.stat) && is_own_program(&runner.stat)) {
            Some(runner) => Ok(Some(runner.stat.pid)),
            None => Err(GroupRefusal::OtherLeader { name: leader.stat.name.clone() }),
        }
    }

    /// Returns whether a process of the group is the agent's: the agent, what it started, and its launcher or script.
    fn belongs(&self, stat: &ProcessStat) -> bool {
        let agent = &self.agent.stat;
        let line = self.table.line_of(stat.pid);
        let kind = ProgramKind::from_command_line(&stat.name, &command_words(stat.pid));
        if kind == ProgramKind::System {
            return false;
        }
        // The shell of a terminal is not an agent, whatever was recorded: its user would be locked out.
        let leads_terminal = stat.session == stat.pid && stat.terminal != 0;
        if stat.pid == agent.pid && leads_terminal && kind == ProgramKind::InteractiveShell {
            return false;
        }
        if line.contains(&agent.pid) {
            return true;
        }
        if self.line.contains(&stat.pid) {
            return self.is_launcher(stat, kind);
        }
        // What the agent left behind in the background has lost its parent.
        let in_group =
            |pid: &&u32| self.table.get(**pid).is_some_and(|other| other.stat.group == agent.group);
        let in_group: Vec<u32> = line.iter().take_while(in_group).copied().collect();
        // Another child of the script that started the agent.
        if in_group.iter().any(|pid| self.line.contains(pid)) {
            return false;
        }
        let top = in_group.last().and_then(|pid| self.table.get(*pid));
        top.is_some_and(|top| {
            let adopter = self.table.get(top.stat.parent);
            let is_orphan = top.stat.parent <= 1
                || adopter.is_some_and(|adopter| adopter.stat.name.starts_with("systemd"));
            is_orphan && top.stat.start >= agent.start
        })
    }

    /// Returns whether a process above the agent only starts it: a shell that runs a command or a script, or the launcher of the
    /// same program.
    fn is_launcher(&self, stat: &ProcessStat, kind: ProgramKind) -> bool {
        match kind {
            ProgramKind::Wrapper | ProgramKind::Script => true,
            ProgramKind::InteractiveShell | ProgramKind::System => false,
            ProgramKind::Other => {
                let below = self.line.iter().take_while(|pid| **pid != stat.pid).last();
                below.is_some_and(|pid| is_same_program(&command_words(stat.pid), &command_words(*pid)))
            }
        }
    }
}

fn is_own_program(stat: &ProcessStat) -> bool {
    stat.name == OWN_NAME
}

#[cfg(unix)]
mod signals {
    use nix::errno::Errno;
    use nix::sys::signal::{Signal, kill, killpg};
    use nix::unistd::{Pid, geteuid};

    use super::GroupRefusal;

    pub(super) fn own_user() -> u32 {
        geteuid().as_raw()
    }

    pub(super) fn stop_group(group: u32) -> Result<(), GroupRefusal> {
        checked(killpg(pid(group), Signal::SIGSTOP))
    }

    pub(super) fn continue_group(group: u32) -> Result<(), GroupRefusal> {
        checked(killpg(pid(group), Signal::SIGCONT))
    }

    pub(super) fn terminate_group(group: u32) -> Result<(), GroupRefusal> {
        checked(killpg(pid(group), Signal::SIGTERM))
    }

    pub(super) fn terminate_process(process: u32) -> Result<(), GroupRefusal> {
        checked(kill(pid(process), Signal::SIGTERM))
    }

    /// Lets a process continue. If it has ended, there is nothing to do.
    pub(super) fn continue_process(process: u32) {
        let _ = kill(pid(process), Signal::SIGCONT);
    }

    fn checked(sent: Result<(), Errno>) -> Result<(), GroupRefusal> {
        sent.map_err(|error| GroupRefusal::SignalFailed { reason: error.desc().to_owned() })
    }

    fn pid(number: u32) -> Pid {
        // Process ids fit into the type of the system.
        Pid::from_raw(number.cast_signed())
    }
}

#[cfg(not(unix))]
mod signals {
    use super::GroupRefusal;

    pub(super) fn own_user() -> u32 {
        0
    }

    pub(super) fn stop_group(_: u32) -> Result<(), GroupRefusal> {
        Err(GroupRefusal::Unsupported)
    }

    pub(super) fn continue_group(_: u32) -> Result<(), GroupRefusal> {
        Err(GroupRefusal::Unsupported)
    }

    pub(super) fn terminate_group(_: u32) -> Result<(), GroupRefusal> {
        Err(GroupRefusal::Unsupported)
    }

    pub(super) fn terminate_process(_: u32) -> Result<(), GroupRefusal> {
        Err(GroupRefusal::Unsupported)
    }

    pub(super) fn continue_process(_: u32) {}
}
