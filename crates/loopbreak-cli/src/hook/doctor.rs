//! `loopbreak hook doctor`: a made-up session through the installed command, to see that it answers.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use clap::Args;
use serde_json::{Value, json};

use super::install::{Installable, Place, command, user_file};
use super::respond::now;
use super::settings::installed;
use crate::error::UserError;
use crate::{exit, output};

/// How often the made-up agent makes the same call.
const CALLS: u32 = 9;

/// Run a made-up session through the installed hook and show each answer.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak hook doctor claude-code            What is installed here, else for the user
  loopbreak hook doctor claude-code --user     What is installed for the user

The session is kept in a folder of its own, which is removed at the end.
Exit codes:
  0 it answers as it should, 1 it does not or is not installed")]
pub(crate) struct DoctorArgs {
    /// Which agent
    #[arg(value_name = "AGENT")]
    agent: Installable,
    #[command(flatten)]
    place: Place,
}

pub(crate) fn run(args: &DoctorArgs) -> Result<u8, UserError> {
    let Installable::ClaudeCode = args.agent;
    let files =
        if args.place.is_named() { vec![args.place.file()?] } else { vec![args.place.file()?, user_file()?] };
    let found = files.iter().find_map(|file| Some((file, installed(&fs::read_to_string(file).ok()?)?)));
    let line = if let Some((file, line)) = &found {
        output::print(&format!("{}: {line}\n", file.display()))?;
        line.clone()
    } else {
        let line = command()?;
        output::print(&format!("not installed; trying {line}\n"))?;
        line
    };
    let folder = Folder::make()?;
    let good = session(&line, &folder.0)?;
    let verdict = match (good, found.is_some()) {
        (true, true) => "the hook answers as it should",
        (true, false) => {
            "the hook would answer as it should: install it with `loopbreak hook install claude-code`"
        }
        (false, _) => "the hook does not answer as it should: see above, and `loopbreak config check`",
    };
    output::print(&format!("{verdict}\n"))?;
    Ok(if good && found.is_some() { exit::DONE } else { exit::FAILED })
}

/// A folder that goes when it is not needed any more.
struct Folder(PathBuf);

impl Folder {
    fn make() -> Result<Self, UserError> {
        let path = std::env::temp_dir().join(format!("loopbreak-doctor-{}-{}", std::process::id(), now()));
        fs::create_dir_all(&path)
            .map_err(|error| UserError::failed(format!("cannot make {}: {error}", path.display())))?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder for passing things that is left behind does no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Says whether the agent was advised, then refused, and then left to do something else.
fn session(line: &str, folder: &Path) -> Result<bool, UserError> {
    let tool = |event: &str, call: u32, command: &str| {
        json!({"hook_event_name": event, "tool_name": "Bash", "tool_input": {"command": command},
               "tool_use_id": format!("call-{call}")})
    };
    let (mut advised, mut denied) = (false, false);
    tell(
        line,
        folder,
        "the user speaks",
        &json!({"hook_event_name": "UserPromptSubmit", "prompt": "make it work"}),
    )?;
    for call in 1..=CALLS {
        let answer =
            tell(line, folder, &format!("call {call} is proposed"), &tool("PreToolUse", call, "make check"))?;
        if answer["hookSpecificOutput"]["permissionDecision"] == "deny" {
            denied = true;
            break;
        }
        let mut done = tool("PostToolUse", call, "make check");
        done["tool_response"] = json!({"stdout": "1 of 20 checks failed", "stderr": ""});
        let answer = tell(line, folder, &format!("call {call} is done"), &done)?;
        advised |= answer["hookSpecificOutput"]["additionalContext"].is_string();
    }
    let other = tell(line, folder, "another call is proposed", &tool("PreToolUse", 99, "cat Makefile"))?;
    Ok(advised && denied && other.is_null())
}

/// Tells the hook of an event, as the agent would, and shows the answer.
fn tell(line: &str, folder: &Path, what: &str, event: &Value) -> Result<Value, UserError> {
    let mut event = event.clone();
    event["session_id"] = "loopbreak-doctor".into();
    event["cwd"] = std::env::current_dir().unwrap_or_default().to_string_lossy().into();
    let failed = |error: std::io::Error| UserError::failed(format!("cannot run {line}: {error}"));
    let (shell, option) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let started = Instant::now();
    let mut child = Command::new(shell)
        .args([option, line])
        .env("XDG_STATE_HOME", folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read its input says why on standard error.
        let _ = stdin.write_all(event.to_string().as_bytes());
    }
    let done = child.wait_with_output().map_err(failed)?;
    let took = started.elapsed().as_secs_f64() * 1000.0;
    let answer: Value = serde_json::from_slice(&done.stdout).unwrap_or_default();
    let shown = if answer.is_null() { "goes on".to_owned() } else { answer.to_string() };
    output::print(&format!("  {what:<26} {took:5.1} ms  {shown}\n"))?;
    let said = String::from_utf8_lossy(&done.stderr);
    if !done.status.success() || !said.trim().is_empty() {
        output::print(&format!("    {}: {}\n", done.status, said.trim()))?;
    }
    Ok(answer)
}
