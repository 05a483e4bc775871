//! Processes that must not get a signal.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use loopbreak_process::{AgentGroup, GroupRefusal, agent_from_pid};
use loopbreak_store::AgentProcess;

use crate::detached_process::{DetachedProcess, numbers_in, state_of};

fn refusal(agent: &AgentProcess) -> GroupRefusal {
    let refusal = AgentGroup::verify(agent).map(|group| group.members().to_vec());
    assert!(!matches!(state_of(agent.pid), 'T' | 't'), "it was stopped");
    refusal.unwrap_err()
}

/// The complaint about another guard: it killed a process that had taken the number of the agent.
#[test]
fn a_process_that_has_the_number_of_the_agent_by_chance_gets_no_signal() {
    let folder = tempfile::tempdir().unwrap();
    let other = DetachedProcess::start(folder.path(), "sleep 1000");
    let agent = AgentProcess { start: other.agent().start - 1, ..other.agent() };
    assert_eq!(refusal(&agent), GroupRefusal::Reused { pid: other.pid, name: "sleep".to_owned() });
    let other_machine = AgentProcess { machine: "another".to_owned(), ..other.agent() };
    assert_eq!(refusal(&other_machine), GroupRefusal::OtherMachine);
}

#[test]
fn an_agent_that_has_ended_gets_no_signal() {
    let folder = tempfile::tempdir().unwrap();
    let ended = DetachedProcess::start(folder.path(), "sleep 1000").agent();
    crate::detached_process::wait_for(|| state_of(ended.pid) == 'Z');
    assert_eq!(AgentGroup::verify(&ended).unwrap_err(), GroupRefusal::Ended { pid: ended.pid });
    let first = AgentProcess { pid: 1, ..agent_from_pid(1).unwrap() };
    assert_eq!(refusal(&first), GroupRefusal::Ended { pid: 1 });
}

/// The complaint about another guard: it stopped itself.
#[test]
fn the_program_itself_its_parents_and_its_children_get_no_signal() {
    let own = agent_from_pid(std::process::id()).unwrap();
    assert_eq!(refusal(&own), GroupRefusal::OwnFamily { name: own.name.clone() });
    let mut same_group = Command::new("sleep").arg("1000").spawn().unwrap();
    let mut own_group = Command::new("sleep").arg("1000").process_group(0).spawn().unwrap();
    for child in [&same_group, &own_group] {
        assert!(matches!(
            refusal(&agent_from_pid(child.id()).unwrap()),
            GroupRefusal::OwnFamily { .. } | GroupRefusal::OtherLeader { .. }
        ));
    }
    let parent = agent_from_pid(std::os::unix::process::parent_id()).unwrap();
    refusal(&parent);
    for child in [&mut same_group, &mut own_group] {
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

#[test]
fn a_process_of_another_user_gets_no_signal() {
    let folder = tempfile::tempdir().unwrap();
    let own_user = fs::metadata("/proc/self").unwrap().uid();
    let foreign = (own_user == 0)
        .then(|| DetachedProcess::start_as(std::path::Path::new("/"), "sleep 1000", Some(65_534)));
    // Without the right to start one, there are those of the system.
    let pid = foreign.as_ref().map_or_else(|| foreign_process(own_user), |process| process.pid);
    assert!(matches!(
        refusal(&agent_from_pid(pid).unwrap()),
        GroupRefusal::OtherUser { .. } | GroupRefusal::OtherLeader { .. }
    ));
    drop(folder);
}

fn foreign_process(own_user: u32) -> u32 {
    let entries = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap());
    let mut pids = entries.filter_map(|entry| {
        let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
        (pid > 1 && entry.metadata().ok()?.uid() != own_user && agent_from_pid(pid).is_some()).then_some(pid)
    });
    pids.next().unwrap()
}

#[test]
fn an_agent_that_shares_its_group_with_another_program_gets_no_signal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("two.sh"), "sleep 1000 & echo $! > one; sleep 1001 & echo $! > two; wait\n").unwrap();
    let script = DetachedProcess::start(path, "sh two.sh");
    let (one, two) = (numbers_in(&path.join("one"), 1)[0], numbers_in(&path.join("two"), 1)[0]);
    let agent = agent_from_pid(one).unwrap();
    assert!(matches!(refusal(&agent), GroupRefusal::ForeignMember { pid, .. } if pid == two));
    // The script as a whole is another matter: all of it is its own.
    assert_eq!(AgentGroup::verify(&script.agent()).unwrap().members().len(), 3);
}

#[test]
fn an_agent_in_the_group_of_a_shell_that_a_human_types_into_gets_no_signal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("typed"), "sleep 1000 & echo $! > pid; wait\n").unwrap();
    // A shell without arguments reads what is typed.
    let shell = DetachedProcess::start(path, "sh -c 'exec sh < typed'");
    let agent = agent_from_pid(numbers_in(&path.join("pid"), 1)[0]).unwrap();
    assert_eq!(refusal(&agent), GroupRefusal::ForeignMember { pid: shell.pid, name: "sh".to_owned() });
}

#[test]
fn an_agent_in_the_group_of_an_orchestrator_gets_no_signal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let code = "import subprocess\nchild = subprocess.Popen(['sleep', '1000'])\nprint(child.pid, file=open('pid', 'w'))\nchild.wait()\n";
    fs::write(path.join("orchestrate.py"), code).unwrap();
    let orchestrator = DetachedProcess::start(path, "python3 orchestrate.py");
    let agent = agent_from_pid(numbers_in(&path.join("pid"), 1)[0]).unwrap();
    assert!(matches!(refusal(&agent), GroupRefusal::ForeignMember { pid, .. } if pid == orchestrator.pid));
}

/// A group of which a terminal or `tmux` is a part is the group of many other things.
#[test]
fn a_group_with_a_terminal_gets_no_signal() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy("/bin/sleep", folder.path().join("tmux")).unwrap();
    let server = DetachedProcess::start(folder.path(), "./tmux 1000");
    assert_eq!(
        refusal(&server.agent()),
        GroupRefusal::ForeignMember { pid: server.pid, name: "tmux".to_owned() }
    );
}

/// A debugger holds the process, and would be confused by a signal that it did not send.
#[test]
fn an_agent_that_is_being_debugged_gets_no_signal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let code = "import ctypes, os, signal, time\n\
                child = os.fork()\n\
                if child == 0:\n    \
                    ctypes.CDLL(None).ptrace(0, 0, 0, 0)\n    \
                    os.kill(os.getpid(), signal.SIGSTOP)\n\
                with open('pid', 'w') as file:\n    \
                    print(child, file=file)\n\
                time.sleep(1000)\n";
    fs::write(path.join("debugger.py"), code).unwrap();
    let debugger = DetachedProcess::start(path, "python3 debugger.py");
    let pid = numbers_in(&path.join("pid"), 1)[0];
    crate::detached_process::wait_for(|| state_of(pid) == 't');
    let agent = agent_from_pid(pid).unwrap();
    assert_eq!(AgentGroup::verify(&agent).unwrap_err(), GroupRefusal::Debugged { pid });
    assert_eq!(state_of(pid), 't');
    drop(debugger);
}
