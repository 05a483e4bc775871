//! The system calls of a hook, and faults at them, by means of `strace`.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};

use super::fault_lab::FaultLab;
use super::fault_trial::{ExpectedEnd, FaultTrial};
use super::hook_process::HookConditions;
use crate::chore_failure::ChoreFailure;
use crate::trial::TrialHome;

/// A system call of a hook: the n-th of its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CallPoint {
    pub(super) name: String,
    /// The number of the call among those of its name, from 1.
    pub(super) number: u32,
    /// True if the hook has not read the event yet.
    pub(super) is_before_event: bool,
    /// True for the last call of this name.
    pub(super) is_last: bool,
    /// True if the call only asks for a value, which cannot fail.
    pub(super) is_question: bool,
}

/// Returns the words that start a program under `strace` with a fault at some system calls.
pub(super) fn inject(fault: &str) -> HookConditions {
    let names = fault.split(':').next().unwrap_or_default();
    let (trace, inject) = (format!("trace={names}"), format!("inject={fault}"));
    HookConditions::with_wrapper(["strace", "-f", "-qq", "-o", "/dev/null", "-e", &trace, "-e", &inject])
}

/// Checks that programs can be traced here. A machine on which they cannot must not pass.
pub(super) fn check_tracer() -> Result<(), ChoreFailure> {
    let output = Command::new("strace")
        .args([
            "-f",
            "-qq",
            "-o",
            "/dev/null",
            "-e",
            "trace=openat",
            "-e",
            "inject=openat:signal=KILL:when=1",
            "true",
        ])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| ChoreFailure::io("start strace; `cargo xtask setup` installs it", &error))?;
    if output.status.signal() == Some(9) {
        return Ok(());
    }
    Err(ChoreFailure::Failed(format!(
        "faults cannot be injected here: strace did not kill a process at a system call ({}): {}. \
         Does this machine forbid ptrace? In a container, allow it with `--cap-add=SYS_PTRACE`",
        output.status,
        String::from_utf8_lossy(&output.stderr).trim()
    )))
}

/// Lists the system calls of a hook that records a step in a copy of a home.
pub(super) fn list_calls(
    lab: &FaultLab,
    home: &TrialHome,
    session: &str,
) -> Result<Vec<CallPoint>, ChoreFailure> {
    let mut trial = FaultTrial::new(lab, "a traced hook", lab.copy_home(home)?);
    let file = trial.home.path().join("trace");
    let words = ["strace", "-f", "-qq", "-o", &*file.to_string_lossy()].map(str::to_owned);
    let reply = trial.hook(session, &HookConditions::with_wrapper(words), ExpectedEnd::Success)?;
    let text = fs::read(&file).map_err(|error| ChoreFailure::io("read the trace of a hook", &error))?;
    let calls = parse_trace(&String::from_utf8_lossy(&text));
    if calls.len() < 50 {
        let reason = format!("a hook has only {} system calls: {}", calls.len(), reply.describe());
        return Err(ChoreFailure::Failed(reason));
    }
    Ok(calls)
}

/// Parses the output of `strace -f -o`: the process, the name of the call, its arguments. Calls are counted by thread.
fn parse_trace(text: &str) -> Vec<CallPoint> {
    let mut counts: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    let mut calls: Vec<CallPoint> = Vec::new();
    let mut has_read = false;
    for line in text.lines() {
        let Some((process, call)) = line.split_once(' ') else { continue };
        let Some((name, arguments)) = call.trim_start().split_once('(') else { continue };
        let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if name.is_empty() || !is_name(name) {
            continue;
        }
        has_read |= name == "read" && arguments.starts_with("0,");
        let number = counts.entry((process, name)).or_default();
        *number += 1;
        if !calls.iter().any(|call| call.name == name && call.number == *number) {
            calls.push(CallPoint {
                name: name.to_owned(),
                number: *number,
                is_before_event: !has_read,
                is_last: false,
                is_question: name == "brk" && arguments.starts_with("NULL"),
            });
        }
    }
    let mut last = BTreeMap::new();
    for (index, call) in calls.iter().enumerate() {
        let entry = last.entry(call.name.clone()).or_insert(index);
        if calls[*entry].number < call.number {
            *entry = index;
        }
    }
    for index in last.into_values() {
        calls[index].is_last = true;
    }
    calls
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_numbered_by_name_and_thread() {
        let trace = "7 execve(\"/p\", [\"p\"]) = 0\n7 openat(AT_FDCWD, \"lib\") = 3\n7 read(0, \"{}\", 8) = 2\n\
                     7 openat(AT_FDCWD, \"db\" <unfinished ...>\n8 openat(AT_FDCWD, \"x\") = 4\n\
                     7 <... openat resumed>) = 3\n8 fcntl(4, F_SETLK) = 0\n7 --- SIGCHLD {si_signo=SIGCHLD} ---\n\
                     7 brk(NULL) = 0x1000\n7 brk(0x2000) = 0x2000\n7 +++ exited with 0 +++\n";
        let calls = parse_trace(trace);
        let shown: Vec<_> =
            calls.iter().map(|call| (&*call.name, call.number, call.is_before_event, call.is_last)).collect();
        let expected = [
            ("execve", 1, true, true),
            ("openat", 1, true, false),
            ("read", 1, false, true),
            ("openat", 2, false, true),
            ("fcntl", 1, false, true),
            ("brk", 1, false, false),
            ("brk", 2, false, true),
        ];
        assert_eq!(shown, expected);
        assert_eq!(calls.iter().map(|call| call.is_question).collect::<Vec<_>>().split_off(5), [true, false]);
    }
}
