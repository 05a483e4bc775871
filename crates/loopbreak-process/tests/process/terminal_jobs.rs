//! Agents in a terminal, where a shell takes and gives the foreground.

use std::fs;
use std::path::Path;
use std::process::Command;

use loopbreak_process::{AgentGroup, GroupRefusal, ResumeResult, agent_from_pid};

use crate::detached_process::{DetachedProcess, numbers_in, state_of, wait_for};

/// Opens a terminal, in which a shell runs what is typed.
const TERMINAL: &str = "\
import os, pty, sys
child, terminal = pty.fork()
if child == 0:
    os.execvp('bash', ['bash', '--norc', '--noprofile', '-i'])
os.write(terminal, open('typed', 'rb').read())
while True:
    try:
        os.read(terminal, 4096)
    except OSError:
        break
";

/// A terminal whose shell runs these lines.
fn terminal(folder: &Path, typed: &str) -> DetachedProcess {
    fs::write(folder.join("terminal.py"), TERMINAL).unwrap();
    fs::write(folder.join("typed"), typed).unwrap();
    DetachedProcess::start(folder, "python3 terminal.py")
}

/// The agent reads the terminal, as agents do, and has another job of the same shell beside it.
#[test]
fn a_job_of_a_shell_is_paused_alone_and_a_resumed_one_waits_for_its_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("agent.sh"), "echo $$ > agent; exec cat\n").unwrap();
    let typed = "echo $$ > shell\nsleep 1000 & echo $! > neighbour\nsh agent.sh\n";
    let terminal = terminal(path, typed);
    let [shell, neighbour, agent] =
        ["shell", "neighbour", "agent"].map(|name| numbers_in(&path.join(name), 1)[0]);
    wait_for(|| agent_from_pid(agent).is_some_and(|process| process.name == "cat"));
    wait_for(|| state_of(agent) == 'S');

    let group = AgentGroup::verify(&agent_from_pid(agent).unwrap()).unwrap();
    assert!(group.is_job_of_shell());
    assert_eq!(group.members().iter().map(|member| member.pid).collect::<Vec<_>>(), [agent]);
    group.pause().unwrap();
    wait_for(|| state_of(agent) == 'T');
    assert_eq!((state_of(neighbour), state_of(terminal.pid)), ('S', 'S'));
    assert_ne!(state_of(shell), 'T');

    // The shell has the terminal now, so the system stops the agent as soon as it reads.
    wait_for(|| {
        let group = AgentGroup::verify(&agent_from_pid(agent).unwrap()).unwrap();
        group.resume().unwrap() == ResumeResult::StoppedByTerminal
    });
    wait_for(|| state_of(agent) == 'T');
    assert_eq!((state_of(neighbour), state_of(terminal.pid)), ('S', 'S'));
    for pid in [agent, neighbour, shell] {
        let _ = Command::new("kill").args(["-9", &pid.to_string()]).output();
    }
}

/// A shell that a human types into is not an agent, even if its process was recorded as one.
#[test]
fn the_shell_of_a_terminal_gets_no_signal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let terminal = terminal(path, "echo $$ > shell\n");
    let shell = numbers_in(&path.join("shell"), 1)[0];
    let refusal = AgentGroup::verify(&agent_from_pid(shell).unwrap()).unwrap_err();
    assert_eq!(refusal, GroupRefusal::ForeignMember { pid: shell, name: "bash".to_owned() });
    assert_ne!(state_of(shell), 'T');
    drop(terminal);
    let _ = Command::new("kill").args(["-9", &shell.to_string()]).output();
}
