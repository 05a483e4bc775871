//! Roadmaps and small agents that work through them.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Duration;

use super::{FinishedProgram, done, loopbreak};

/// A time limit that no test reaches, even on a busy machine.
pub(crate) const LONG: Duration = Duration::from_mins(2);

/// The start of every agent: it keeps its prompt, records its task, and counts the attempts at it as `$N`.
/// `say WORDS REPORT` prints the words and writes the report to the result file.
const AGENT_START: &str = "\
cat > prompt.txt
cp prompt.txt \"prompt-$LOOPBREAK_TASK.txt\"
echo \"$LOOPBREAK_TASK\" >> order
N=$(grep -cx \"$LOOPBREAK_TASK\" order)
say() { echo \"$1\"; printf '%s' \"$2\" > \"$LOOPBREAK_RESULT_FILE\"; }
";

/// Writes a roadmap of these tasks with their dependencies.
pub(crate) fn write_roadmap(folder: &Path, tasks: &[(&str, &[&str])]) {
    let mut text = String::new();
    for (id, after) in tasks {
        writeln!(text, "[[task]]\nid = \"{id}\"\ntitle = \"The {id}\"\nafter = {after:?}\n").unwrap();
    }
    fs::write(folder.join("tasks.toml"), text).unwrap();
}

/// Writes an agent that runs this script for each task.
pub(crate) fn write_agent(folder: &Path, body: &str) {
    fs::write(folder.join("agent.sh"), format!("{AGENT_START}{body}\n")).unwrap();
}

/// Runs the roadmap.
pub(crate) fn run_roadmap(folder: &Path, args: &[&str]) -> FinishedProgram {
    let idle = ["--idle", "0"];
    let idle = if args.contains(&"--idle") { &[][..] } else { &idle[..] };
    done(
        program(folder)
            .timeout(LONG)
            .args(["run", "--roadmap", "tasks.toml"])
            .args(idle)
            .args(args)
            .args(["--", "sh", "agent.sh"]),
    )
}

/// Returns the program with its own store.
pub(crate) fn program(folder: &Path) -> assert_cmd::Command {
    let mut command = loopbreak(folder);
    command
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("XDG_STATE_HOME", folder.join("state"));
    command
}

/// Returns the output of a command.
pub(crate) fn run_command(folder: &Path, args: &[&str]) -> FinishedProgram {
    done(program(folder).args(args))
}

/// Returns the tasks that the agent was given, in order.
pub(crate) fn attempted_tasks(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("order")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Returns a task as JSON.
pub(crate) fn task(folder: &Path, id: &str) -> serde_json::Value {
    let list = run_command(folder, &["tasks", "list", "--json"]);
    let all: serde_json::Value = serde_json::from_str(&list.out).unwrap();
    let found = all["tasks"].as_array().unwrap().iter().find(|task| task["id"] == id);
    found.unwrap_or_else(|| panic!("{id}: {all}")).clone()
}

/// Returns the recoveries of a task, in order.
pub(crate) fn recoveries(folder: &Path, id: &str) -> Vec<String> {
    let details = run_command(folder, &["tasks", "show", id, "--json"]);
    let all: serde_json::Value = serde_json::from_str(&details.out).unwrap();
    let name = |recovery: &serde_json::Value| recovery["intervention"].as_str().unwrap().to_owned();
    all["recoveries"].as_array().unwrap().iter().map(name).collect()
}
