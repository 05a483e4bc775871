//! `cargo xtask extensions`: adds a detector and a hook agent as `CONTRIBUTING.md` says, in a copy of the tree, and tries
//! them out.
//!
//! The templates of `CONTRIBUTING.md` are what a contributor copies, so they have to work: the new files and one line in a
//! list must be enough. The copy is compiled, and the program is asked for everything that follows from the declaration.

mod template;
mod tree_copy;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::chore_failure::ChoreFailure;
use crate::process::root;
use template::{TemplateEdit, template_edits};
use tree_copy::TreeCopy;

/// The names that the templates use.
const DETECTOR: &str = "long_reply";
const PATTERN: &str = "long_replies";
const AGENT: &str = "example-agent";

/// A template of `CONTRIBUTING.md`.
struct ExtensionTemplate {
    /// The name as an argument.
    argument: &'static str,
    /// The name in the comments of the page.
    name: &'static str,
    /// Tries out the program that was built with the template.
    check: fn(&Path, &Path) -> Result<(), ChoreFailure>,
}

const TEMPLATES: [ExtensionTemplate; 2] = [
    ExtensionTemplate { argument: "detector", name: "detector", check: check_detector },
    ExtensionTemplate { argument: "hook-agent", name: "hook agent", check: check_hook_agent },
];

/// Tries the template that is named, or all of them.
pub(crate) fn run(arguments: &[String]) -> Result<(), ChoreFailure> {
    match arguments {
        [] => check_all(),
        [one] => match TEMPLATES.iter().find(|template| template.argument == one) {
            Some(template) => check_templates(&[template]),
            None => Err(ChoreFailure::Usage(format!("extensions: there is no template {one:?}"))),
        },
        [_, other, ..] => Err(ChoreFailure::Usage(format!("extensions: unexpected {other:?}"))),
    }
}

/// Tries all templates in one copy of the tree.
pub(crate) fn check_all() -> Result<(), ChoreFailure> {
    check_templates(&TEMPLATES.each_ref())
}

fn check_templates(templates: &[&ExtensionTemplate]) -> Result<(), ChoreFailure> {
    let page = fs::read_to_string(root().join("CONTRIBUTING.md"))
        .map_err(|error| ChoreFailure::io("read CONTRIBUTING.md", &error))?;
    let mut edits = Vec::new();
    for template in templates {
        let of_template = template_edits(&page, template.name);
        check_edits(template.name, &of_template)?;
        edits.extend(of_template);
    }
    let mut tree = TreeCopy::new("extensions")?;
    tree.apply(&edits)?;
    let copy = tree.write_to("tree")?;
    let program = copy.build_program()?;
    let folder = work_folder()?;
    templates.iter().try_for_each(|template| (template.check)(&program, &folder))
}

/// Makes an empty folder in which the program is run.
fn work_folder() -> Result<PathBuf, ChoreFailure> {
    let folder = root().join("target/extensions/work");
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .map_err(|error| ChoreFailure::io(format_args!("clear {}", folder.display()), &error))?;
    }
    fs::create_dir_all(&folder)
        .map_err(|error| ChoreFailure::io(format_args!("make {}", folder.display()), &error))?;
    Ok(folder)
}

/// A template adds to one list, and all its files lie in one folder.
fn check_edits(template: &str, edits: &[TemplateEdit]) -> Result<(), ChoreFailure> {
    let failed = |why: &str| Err(ChoreFailure::Failed(format!("the template for a {template} {why}")));
    let folders = edits.iter().filter_map(|edit| match edit {
        TemplateEdit::NewFile { path, .. } => Path::new(path).parent(),
        TemplateEdit::AddedLines { .. } => None,
    });
    let folders: std::collections::BTreeSet<_> = folders.collect();
    let added: Vec<_> = edits
        .iter()
        .filter_map(|edit| match edit {
            TemplateEdit::AddedLines { text, .. } => Some(text.lines().count()),
            TemplateEdit::NewFile { .. } => None,
        })
        .collect();
    match (folders.len(), added.as_slice()) {
        (1, [1]) => Ok(()),
        (0, _) => failed("has no files"),
        (1, _) => failed("has to add exactly one line to one list"),
        _ => failed("has files in more than one folder"),
    }
}

/// The detector has settings, shows in every reference, and fires.
fn check_detector(program: &Path, folder: &Path) -> Result<(), ChoreFailure> {
    let schema: Value = parse(&print(program, folder, &["config", "schema"])?)?;
    expect(schema["properties"].get(DETECTOR).is_some(), "`config schema` has the detector")?;
    let option = format!("{DETECTOR}.mode");
    expect(
        print(program, folder, &["config", "explain", &option])?.contains(&option),
        "`config explain` knows it",
    )?;
    let heading = format!("[{DETECTOR}]");
    expect(
        print(program, folder, &["config", "reference"])?.contains(&heading),
        "the reference has its table",
    )?;
    for profile in ["auto", "coding", "game", "tasks", "iterations", "documents"] {
        let mode = mode_in_profile(program, folder, profile, &option)?;
        let expected = if profile == "documents" { "off" } else { "enforce" };
        expect(mode == expected, &format!("the profile {profile} has the mode {expected} for it"))?;
    }
    let log = folder.join("long.jsonl");
    let step = json!({"run": "r", "say": "word ".repeat(2_000)}).to_string();
    fs::write(&log, format!("{step}\n").repeat(3))
        .map_err(|error| ChoreFailure::io(format_args!("write {}", log.display()), &error))?;
    let report: Value = parse(&print(program, folder, &["analyze", "--json", "long.jsonl"])?)?;
    let empty = Vec::new();
    let findings = report["runs"][0]["findings"].as_array().unwrap_or(&empty);
    let fired =
        findings.iter().any(|finding| finding["detector"] == DETECTOR && finding["pattern"] == PATTERN);
    expect(fired, &format!("`analyze` reports {PATTERN}"))
}

/// Returns the value of an option in a profile.
fn mode_in_profile(
    program: &Path,
    folder: &Path,
    profile: &str,
    option: &str,
) -> Result<String, ChoreFailure> {
    let settings: Value =
        parse(&print(program, folder, &["config", "check", "--json", "--profile", profile])?)?;
    let mut options = settings["options"].as_array().into_iter().flatten();
    let found = options.find(|entry| entry["option"] == option);
    let value = found.and_then(|entry| entry["value"].as_str()).unwrap_or_default();
    Ok(value.to_owned())
}

/// The agent is known to `hook`, `install`, and its loop is refused.
fn check_hook_agent(program: &Path, folder: &Path) -> Result<(), ChoreFailure> {
    expect(print(program, folder, &["hook", "--help"])?.contains(AGENT), "`hook --help` lists the agent")?;
    let installed = print(program, folder, &["hook", "install", AGENT, "--dry-run"])?;
    expect(installed.contains(&format!("hook {AGENT}")), "`hook install` writes its settings")?;
    let mut refused = false;
    for number in 0..12 {
        let call = |event: &str| {
            json!({"session_id": "s", "hook_event_name": event, "cwd": folder, "tool_name": "Bash",
                   "tool_input": {"command": "make"}, "tool_use_id": format!("t{number}"),
                   "tool_response": "1 check failed"})
        };
        if hook(program, folder, &call("PreToolUse"))?.contains("deny") {
            refused = true;
            break;
        }
        hook(program, folder, &call("PostToolUse"))?;
    }
    expect(refused, "`hook` refuses the loop of the agent")
}

fn expect(holds: bool, what: &str) -> Result<(), ChoreFailure> {
    if holds { Ok(()) } else { Err(ChoreFailure::Failed(format!("does not hold: {what}"))) }
}

fn parse(text: &str) -> Result<Value, ChoreFailure> {
    serde_json::from_str(text).map_err(|error| ChoreFailure::Failed(format!("not JSON ({error}): {text}")))
}

/// Runs the program of the copy and returns what it printed.
fn print(program: &Path, folder: &Path, args: &[&str]) -> Result<String, ChoreFailure> {
    answer(
        Command::new(program).args(args).current_dir(folder).env("XDG_STATE_HOME", folder.join("state")),
        "",
    )
}

fn hook(program: &Path, folder: &Path, event: &Value) -> Result<String, ChoreFailure> {
    let mut command = Command::new(program);
    command.args(["hook", AGENT]).current_dir(folder).env("XDG_STATE_HOME", folder.join("state"));
    answer(&mut command, &event.to_string())
}

fn answer(command: &mut Command, input: &str) -> Result<String, ChoreFailure> {
    let failed = |error: std::io::Error| ChoreFailure::io("run the program with the extensions", &error);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input.as_bytes()).map_err(failed)?;
    }
    let output = child.wait_with_output().map_err(failed)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(ChoreFailure::Failed(format!("{command:?} failed: {said}")));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
