//! Agents that are paused, resumed and ended.

use std::fs;
use std::process::Command;

use loopbreak_process::{AgentGroup, GroupRefusal, ResumeResult, agent_from_pid};

use crate::detached_process::{DetachedProcess, numbers_in, state_of, wait_for};

#[test]
fn an_agent_is_paused_and_resumed_with_all_its_processes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    // The second one loses its parent and stays in the group.
    let script = "sleep 1000 & echo $! > pids; sh -c 'sleep 1001 & echo $! >> pids'; wait\n";
    fs::write(path.join("agent.sh"), script).unwrap();
    let agent = DetachedProcess::start(path, "sh agent.sh");
    let mut pids = numbers_in(&path.join("pids"), 2);
    pids.push(agent.pid);
    let group = AgentGroup::verify(&agent.agent()).unwrap();
    assert_eq!(group.members().len(), 3, "{group:?}");
    assert!(!group.is_stopped() && group.runner().is_none() && !group.is_job_of_shell());
    group.pause().unwrap();
    wait_for(|| pids.iter().all(|pid| state_of(*pid) == 'T'));
    // Verified again, as another process does later.
    let group = AgentGroup::verify(&agent.agent()).unwrap();
    assert!(group.is_stopped());
    assert_eq!(group.pause().unwrap_err(), GroupRefusal::AlreadyStopped { pid: agent.pid });
    assert_eq!(group.resume().unwrap(), ResumeResult::Runs);
    wait_for(|| pids.iter().all(|pid| state_of(*pid) == 'S'));
}

#[test]
fn a_paused_agent_can_be_ended() {
    let folder = tempfile::tempdir().unwrap();
    let agent = DetachedProcess::start(folder.path(), "sleep 1000");
    AgentGroup::verify(&agent.agent()).unwrap().pause().unwrap();
    AgentGroup::verify(&agent.agent()).unwrap().terminate().unwrap();
    wait_for(|| state_of(agent.pid) == 'Z');
}

/// A hook that is stopped while it writes would lock the store for every agent of the user.
#[test]
fn the_processes_of_loopbreak_in_the_group_continue() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::copy("/bin/sleep", path.join("loopbreak")).unwrap();
    fs::write(path.join("agent.sh"), "./loopbreak 1000 & echo $! > pid; wait\n").unwrap();
    let agent = DetachedProcess::start(path, "sh agent.sh");
    let hook = numbers_in(&path.join("pid"), 1)[0];
    wait_for(|| agent_from_pid(hook).is_some_and(|process| process.name == "loopbreak"));
    let group = AgentGroup::verify(&agent.agent()).unwrap();
    assert_eq!(group.members().len(), 1, "{group:?}");
    group.pause().unwrap();
    assert_eq!(state_of(agent.pid), 'T');
    wait_for(|| state_of(hook) == 'S');
}

/// The user continues what they stopped with Ctrl-Z.
#[test]
fn an_agent_that_the_user_stopped_is_not_taken_over() {
    let folder = tempfile::tempdir().unwrap();
    let agent = DetachedProcess::start(folder.path(), "sleep 1000");
    assert!(Command::new("kill").args(["-STOP", &agent.pid.to_string()]).status().unwrap().success());
    wait_for(|| state_of(agent.pid) == 'T');
    let group = AgentGroup::verify(&agent.agent()).unwrap();
    assert_eq!(group.pause().unwrap_err(), GroupRefusal::AlreadyStopped { pid: agent.pid });
}

/// Codex and Gemini CLI start themselves again as a child.
#[test]
fn a_launcher_of_the_same_program_is_part_of_the_agent() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::create_dir(path.join("vendor")).unwrap();
    fs::copy("/bin/sleep", path.join("vendor/codex")).unwrap();
    let code = "import subprocess\nchild = subprocess.Popen(['vendor/codex', '1000'])\nprint(child.pid, file=open('pid', 'w'))\nchild.wait()\n";
    fs::write(path.join("codex.py"), code).unwrap();
    let launcher = DetachedProcess::start(path, "python3 codex.py");
    let agent = agent_from_pid(numbers_in(&path.join("pid"), 1)[0]).unwrap();
    let group = AgentGroup::verify(&agent).unwrap();
    assert_eq!(group.members().iter().map(|member| member.pid).max(), Some(agent.pid.max(launcher.pid)));
    group.pause().unwrap();
    wait_for(|| state_of(launcher.pid) == 'T');
    group.resume().unwrap();
}

/// A server that the agent started for later, in a session of its own, is not the agent.
#[test]
fn a_process_of_the_agent_that_left_its_group_is_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let script = "setsid sh -c 'echo $$ > outside; exec sleep 1000' & sleep 1001 & echo $! > inside; wait\n";
    fs::write(path.join("agent.sh"), script).unwrap();
    let agent = DetachedProcess::start(path, "sh agent.sh");
    let (inside, outside) = (numbers_in(&path.join("inside"), 1)[0], numbers_in(&path.join("outside"), 1)[0]);
    wait_for(|| state_of(outside) == 'S');
    let group = AgentGroup::verify(&agent.agent()).unwrap();
    assert!(group.members().iter().all(|member| member.pid != outside), "{group:?}");
    group.pause().unwrap();
    wait_for(|| state_of(inside) == 'T');
    assert_eq!(state_of(outside), 'S');
    AgentGroup::verify(&agent.agent()).unwrap().terminate().unwrap();
    wait_for(|| state_of(inside) == 'Z' && state_of(agent.pid) == 'Z');
    assert_eq!(state_of(outside), 'S');
    assert!(Command::new("kill").args(["-9", &outside.to_string()]).status().unwrap().success());
}
