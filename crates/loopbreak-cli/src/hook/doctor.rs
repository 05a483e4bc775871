//! `loopbreak hook doctor`: a made-up session through the installed command, to see that it answers.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use clap::Args;
use loopbreak_store::{default_path, now};
use serde_json::{Value, json};

use super::install::{Place, command, user_file};
use super::settings::installed;
use super::{Dialect, fault};
use crate::error::UserError;
use crate::{exit, output};

/// How often the made-up agent makes the same call.
const CALLS: u32 = 9;
/// How many of the last faults are shown.
const FAULTS: usize = 3;

/// Run a made-up session through the installed hook and show each answer.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak hook doctor claude-code            What is installed here, else for the user
  loopbreak hook doctor codex --user           What is installed for the user

The session is kept in a folder of its own, which is removed at the end.
Exit codes:
  0 it answers as it should, 1 it does not or is not installed")]
pub(crate) struct DoctorArgs {
    /// Which agent
    #[arg(value_name = "AGENT")]
    agent: Dialect,
    #[command(flatten)]
    place: Place,
}

pub(crate) fn run(args: &DoctorArgs) -> Result<u8, UserError> {
    let agent = args.agent;
    let mut files = vec![args.place.file(agent)?];
    if !args.place.is_named() {
        files.extend(user_file(agent).ok());
    }
    let found =
        files.iter().find_map(|file| Some((file, installed(agent, &fs::read_to_string(file).ok()?)?)));
    let own = command(agent)?;
    if let Some((file, line)) = &found {
        output::print(&format!("{}: {}\n", file.display(), output::printable(line)))?;
        if !is_this_program(line, agent) {
            // Whoever wrote the settings chose this command, and a cloned repository brings settings along.
            return Err(UserError::failed("the installed command is not run: it is not this program alone")
                .hint(format!(
                    "this program would install: {own}\nif the line above is yours, replace it with `loopbreak hook install {}`",
                    agent.name()
                )));
        }
    } else {
        output::print(&format!("not installed; trying {own}\n"))?;
    }
    let folder = Folder::make()?;
    let good = Patient { agent, state: &folder.0 }.session()?;
    let name = agent.name();
    let verdict = match (good, found.is_some()) {
        (true, true) => "the hook answers as it should".to_owned(),
        (true, false) => {
            format!("the hook would answer as it should: install it with `loopbreak hook install {name}`")
        }
        (false, _) => {
            "the hook does not answer as it should: see above, and `loopbreak config check`".to_owned()
        }
    };
    output::print(&format!("{verdict}\n"))?;
    show_faults()?;
    Ok(if good && found.is_some() { exit::DONE } else { exit::FAILED })
}

/// Whether an installed command is `PROGRAM hook AGENT` and nothing else, where PROGRAM leads to this program.
fn is_this_program(line: &str, agent: Dialect) -> bool {
    let ending = format!(" hook {}", agent.name());
    let Some(program) = line.trim().strip_suffix(&ending) else { return false };
    let program = unquoted(program.trim_end());
    let this = std::env::current_exe().and_then(fs::canonicalize);
    let named = if program.contains(std::path::is_separator) {
        Some(PathBuf::from(&program))
    } else {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&folders).map(|folder| folder.join(&program)).find(|path| path.is_file())
    };
    let named = named.and_then(|path| fs::canonicalize(path).ok());
    this.is_ok_and(|this| named.is_some_and(|named| named == this))
}

/// A word as [`command`] quotes it for a shell. Anything else stays as it is, and then names no file of this program.
fn unquoted(word: &str) -> String {
    match word.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        Some(inner) => inner.replace(r"'\''", "'"),
        None => word.to_owned(),
    }
}

/// What went wrong in hooks of late.
fn show_faults() -> Result<(), UserError> {
    let Some(store) = default_path(|name| std::env::var_os(name)) else { return Ok(()) };
    let last = fault::last(&store, FAULTS);
    if last.is_empty() {
        return Ok(());
    }
    output::print(&format!("the last faults, in {}:\n", fault::file(&store).display()))?;
    last.iter().try_for_each(|line| output::print(&format!("  {}\n", crate::output::printable(line))))
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

/// The hook that is tried.
struct Patient<'p> {
    agent: Dialect,
    state: &'p Path,
}

impl Patient<'_> {
    /// Says whether the agent was advised, then refused, and then left to do something else.
    fn session(&self) -> Result<bool, UserError> {
        let (before, after, spoken) = match self.agent {
            Dialect::Gemini => ("BeforeTool", "AfterTool", "BeforeAgent"),
            _ => ("PreToolUse", "PostToolUse", "UserPromptSubmit"),
        };
        let (mut advised, mut denied) = (false, false);
        self.tell("the user speaks", &json!({"hook_event_name": spoken, "prompt": "make it work"}))?;
        for call in 1..=CALLS {
            let answer =
                self.tell(&format!("call {call} is proposed"), &self.tool(before, call, "make check"))?;
            if is_denied(&answer) {
                denied = true;
                break;
            }
            let mut done = self.tool(after, call, "make check");
            done["tool_response"] = match self.agent {
                Dialect::ClaudeCode => json!({"stdout": "1 of 20 checks failed", "stderr": ""}),
                Dialect::Codex => json!("1 of 20 checks failed"),
                Dialect::Gemini => json!({"llmContent": "1 of 20 checks failed"}),
            };
            let answer = self.tell(&format!("call {call} is done"), &done)?;
            advised |= answer["hookSpecificOutput"]["additionalContext"].is_string();
        }
        let other = self.tell("another call is proposed", &self.tool(before, 99, "cat Makefile"))?;
        Ok(advised && denied && other.is_null())
    }

    fn tool(&self, event: &str, call: u32, command: &str) -> Value {
        let name = if self.agent == Dialect::Gemini { "run_shell_command" } else { "Bash" };
        json!({"hook_event_name": event, "tool_name": name, "tool_input": {"command": command},
               "tool_use_id": format!("call-{call}")})
    }

    /// Tells the hook of an event, as the agent would, and shows the answer.
    fn tell(&self, what: &str, event: &Value) -> Result<Value, UserError> {
        let mut event = event.clone();
        event["session_id"] = "loopbreak-doctor".into();
        event["cwd"] = std::env::current_dir().unwrap_or_default().to_string_lossy().into();
        let failed = |error: std::io::Error| UserError::failed(format!("cannot run this program: {error}"));
        let program = std::env::current_exe().map_err(failed)?;
        let started = Instant::now();
        // Never through a shell, and never the program that the settings name.
        let mut child = Command::new(program)
            .args(["hook", self.agent.name()])
            .env("XDG_STATE_HOME", self.state)
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
        let shown =
            if answer.is_null() { "goes on".to_owned() } else { output::printable(&answer.to_string()) };
        output::print(&format!("  {what:<26} {took:5.1} ms  {shown}\n"))?;
        let said = String::from_utf8_lossy(&done.stderr);
        if !done.status.success() || !said.trim().is_empty() {
            output::print(&format!("    {}: {}\n", done.status, output::printable(said.trim())))?;
        }
        Ok(answer)
    }
}

/// Whether a call was refused, in whatever words.
fn is_denied(answer: &Value) -> bool {
    answer["hookSpecificOutput"]["permissionDecision"] == "deny" || answer["decision"] == "deny"
}
