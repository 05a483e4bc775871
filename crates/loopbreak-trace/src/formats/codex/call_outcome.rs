//! The outcome of a call: its text, its exit code, and whether it failed or was denied.

use loopbreak::{
    Outcome,
    step::{Denial, StepText},
};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::entry::CodexItem;
use crate::message::{MessageContent, is_guard_reason};

/// Beginning of the result of a patch that does not apply.
const PATCH_FAILED: &str = "apply_patch verification failed";

/// Beginnings of the results of calls that Codex rejected before they were made. No hook reports the result.
pub(super) const REJECTIONS: [&str; 4] =
    ["unsupported call: ", "failed to parse function arguments", PATCH_FAILED, SCRIPT_ERROR];
/// Beginnings of other results that only failed calls have.
const FAILURES: [&str; 2] = [COMMAND_FAILED, "write_stdin failed: "];
/// Beginning of the error of a script.
const SCRIPT_ERROR: &str = "Script error:";
/// Beginning of the result of a command that was not started.
const COMMAND_FAILED: &str = "exec_command failed for `";

/// Beginnings of the reasons of denials by the user.
const BY_USER: [&str; 5] = [
    "exec command rejected by user",
    "patch rejected by user",
    "rejected by user",
    "user rejected MCP tool call",
    "user cancelled MCP tool call",
];
/// Beginnings of the results of calls that a hook denied.
const BY_HOOK: [&str; 2] = ["Command blocked by PreToolUse hook: ", "Tool call blocked by PreToolUse hook: "];
/// Beginnings of the reasons of denials by the rules.
const BY_RULE: [&str; 7] = [
    "patch rejected: ",
    "rejected by configuration",
    "approval policy is ",
    "approval required by policy",
    "automatic approval review denied",
    "This action was rejected due to unacceptable risk",
    "Execution forbidden by policy",
];
/// Beginnings of the results of commands that the sandbox stopped.
const BY_SANDBOX: [&str; 5] = [
    "failed in sandbox",
    "sandbox denied",
    "Command denied by sandbox",
    "execution error: Sandbox(Denied",
    "Codex(Sandbox(Denied",
];

/// A call that was denied or stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CodexDenial {
    pub(super) by: Denial,
    /// True if the call had been started.
    pub(super) was_started: bool,
}

impl CodexDenial {
    /// Returns what the user did to the call.
    pub(super) fn user_word(self) -> Option<&'static str> {
        match self {
            CodexDenial { by: Denial::User, was_started: false } => Some("refused the call"),
            CodexDenial { by: Denial::User, was_started: true } => Some("interrupted the call"),
            _ => None,
        }
    }
}

/// Returns why Codex rejected a call, given the text of its result. `None` if it did not.
pub(super) fn rejection(text: &str) -> Option<&str> {
    let reason = script_error(text);
    // A command that could not be started was reported, and so was a denial.
    let is_reported = || reason.starts_with(COMMAND_FAILED) || denial(text).is_some();
    (REJECTIONS.iter().any(|start| text.starts_with(start)) && !is_reported()).then_some(reason)
}

/// Returns the command that a hook denied: `Command blocked by PreToolUse hook: <reason>. Command: <command>`.
pub(super) fn denied_command(text: &str) -> Option<&str> {
    let reason = script_error(text).strip_prefix(BY_HOOK[0])?;
    reason.split_once(". Command: ").map(|(_, command)| command).filter(|command| !command.trim().is_empty())
}

/// Returns whether the error of a script says that a patch does not apply.
pub(super) fn is_failed_patch(text: &str) -> bool {
    script_error(text).starts_with(PATCH_FAILED)
}

/// Returns the error of a script without its heading, or any other text as it is.
fn script_error(text: &str) -> &str {
    let error = text.strip_prefix(SCRIPT_ERROR).map(str::trim_start);
    error.map_or(text, |error| error.strip_prefix("Rejected(\"").unwrap_or(error))
}

/// Returns who denied the call, if anyone did.
pub(super) fn denial(text: &str) -> Option<CodexDenial> {
    let text = script_error(text);
    let refused = |by| Some(CodexDenial { by, was_started: false });
    let stopped = |by| Some(CodexDenial { by, was_started: true });
    if let Some(reason) = BY_HOOK.iter().find_map(|start| text.strip_prefix(start)) {
        return refused(if is_guard_reason(reason) { Denial::Guard } else { Denial::Policy });
    }
    let reason = start_failure(text).unwrap_or(text);
    let begins_with = |starts: &[&str]| starts.iter().any(|start| reason.starts_with(start));
    if is_aborted(text) {
        stopped(Denial::User)
    } else if begins_with(&BY_SANDBOX) {
        stopped(Denial::Policy)
    } else if begins_with(&BY_RULE) || is_forbidden_command(reason) {
        refused(Denial::Policy)
    } else if begins_with(&BY_USER) {
        refused(Denial::User)
    } else {
        None
    }
}

/// Returns why a command was not started: ``exec_command failed for `ls`: CreateProcess { message: "Rejected(\"…\")" }``.
fn start_failure(text: &str) -> Option<&str> {
    let (_, message) = text.strip_prefix(COMMAND_FAILED)?.rsplit_once("`: CreateProcess { message: \"")?;
    Some(message.strip_prefix("Rejected(\\\"").unwrap_or(message))
}

/// Returns whether the user aborted the call.
fn is_aborted(text: &str) -> bool {
    let timed = || text.strip_prefix("Wall time: ")?.split_once('\n');
    text.starts_with("aborted by user")
        || timed().is_some_and(|(_, rest)| rest.starts_with("aborted by user"))
}

/// Returns whether a reason is one of the rules for commands: `` `rm -rf /` rejected: blocked by policy``.
fn is_forbidden_command(reason: &str) -> bool {
    reason.starts_with('`') && reason.contains("` rejected: ")
}

/// Parses the result of a call that the service made on its own. `None` if it is not logged.
pub(super) fn service_outcome<'a>(item: &CodexItem<'a>) -> Option<Outcome<'a>> {
    let text = |json: &'a RawValue| {
        let text = serde_json::from_str::<StepText<'a>>(json.get());
        text.unwrap_or_else(|_| StepText::from(json.get()))
    };
    let logged = |json: &&RawValue| !matches!(json.get(), "null" | "[]" | "\"\"");
    if let Some(error) = item.error.filter(logged) {
        return Some(Outcome::new(text(error)).with_error(true));
    }
    let is_failed = item.status.as_deref() == Some("failed");
    let result = item.output.or(item.results).filter(logged);
    match result {
        Some(result) => Some(Outcome::new(text(result)).with_error(is_failed)),
        None => is_failed.then(|| Outcome { error: Some(true), ..Outcome::default() }),
    }
}

/// The output of one command of a shell call.
#[derive(Deserialize)]
struct ShellOutput {
    stdout: String,
    stderr: String,
    outcome: ShellOutcome,
}

#[derive(Deserialize)]
struct ShellOutcome {
    exit_code: Option<i64>,
}

/// Parses the result of a shell call: the outputs of its commands.
fn shell_outcome(output: &RawValue) -> Option<Outcome<'static>> {
    let commands: Vec<ShellOutput> = serde_json::from_str(output.get()).ok()?;
    let exits = || commands.iter().filter_map(|command| command.outcome.exit_code);
    let exit = exits().find(|code| *code != 0).or_else(|| exits().next_back());
    let texts = commands.iter().flat_map(|command| [&*command.stdout, &*command.stderr]);
    let text = texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
    // A command that timed out has no code.
    let error = exit != Some(0);
    Some(Outcome { exit, ..Outcome::new(text).with_error(error) })
}

/// Parses a result: a text, blocks, outputs of commands, or an object with a success flag.
pub(super) fn outcome(output: &RawValue) -> Outcome<'_> {
    #[derive(Deserialize)]
    struct CodexOutput<'a> {
        #[serde(borrow)]
        content: StepText<'a>,
        success: Option<bool>,
    }
    if output.get().starts_with('[')
        && output.get().contains("\"stdout\"")
        && let Some(outcome) = shell_outcome(output)
    {
        return outcome;
    }
    let (text, success) = match serde_json::from_str::<CodexOutput<'_>>(output.get()) {
        Ok(told) => (Some(told.content), told.success),
        Err(_) => {
            (serde_json::from_str::<MessageContent<'_>>(output.get()).unwrap_or_default().into_text(), None)
        }
    };
    let failed = success.map(|success| !success);
    let Some(text) = text else {
        return Outcome { error: failed, ..Outcome::default() };
    };
    let script = ScriptState::from_text(&text);
    let (text, exit) = unwrapped(text);
    let mut marks = REJECTIONS.iter().chain(&FAILURES);
    let denied = exit.is_none() && denial(&text).is_some();
    let error = match (exit, script) {
        (Some(code), _) => Some(code != 0 || failed == Some(true)),
        (None, Some(ScriptState::Failed)) if !denied => Some(true),
        (None, Some(ScriptState::Completed)) if !denied => Some(false),
        (None, _) if marks.any(|start| text.starts_with(start)) && !denied => Some(true),
        (None, _) => failed,
    };
    Outcome { text: Some(text), error, exit, ..Outcome::default() }
}

/// Parses the output of a call in an event of telemetry: the text that the model got. `failed` is the mark of the event.
pub(in crate::formats) fn event_outcome(text: &str, failed: Option<bool>) -> Outcome<'static> {
    let Ok(output) = serde_json::value::to_raw_value(text) else { return Outcome::default() };
    let denied = denial(text).map(|denial| denial.by);
    let told = outcome(&output).into_owned();
    let error = if told.exit.is_some() { told.error } else { told.error.or(failed) };
    Outcome { error: error.filter(|_| denied.is_none()), denied, ..told }
}

/// The state of a script of code mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScriptState {
    /// It ended without an error. The calls that it made may have failed.
    Completed,
    /// It ended with an error.
    Failed,
    /// It goes on in the background.
    Running,
}

impl ScriptState {
    /// Returns the state that the result of a script begins with.
    fn from_text(text: &str) -> Option<Self> {
        let (first, rest) = text.split_once('\n')?;
        if !rest.starts_with("Wall time ") {
            return None;
        }
        match first {
            "Script completed" => Some(ScriptState::Completed),
            "Script failed" => Some(ScriptState::Failed),
            _ if first.starts_with("Script running") => Some(ScriptState::Running),
            _ => None,
        }
    }

    /// Returns the state that a result begins with: a text, or blocks.
    pub(super) fn from_output(output: &RawValue) -> Option<Self> {
        let content: MessageContent<'_> = serde_json::from_str(output.get()).ok()?;
        ScriptState::from_text(&content.into_text()?)
    }
}

/// Unwraps the output of a command, which is stored as JSON with an exit code, or below a few headings. The times in
/// the headings are dropped.
fn unwrapped(text: StepText<'_>) -> (StepText<'_>, Option<i64>) {
    #[derive(Deserialize)]
    struct CodexCommandOutput {
        output: String,
        metadata: CodexOutputMetadata,
    }
    #[derive(Deserialize)]
    struct CodexOutputMetadata {
        exit_code: Option<i64>,
    }
    if text.starts_with("{\"")
        && let Ok(wrapped) = serde_json::from_str::<CodexCommandOutput>(&text)
    {
        return (wrapped.output.into(), wrapped.metadata.exit_code);
    }
    if ScriptState::from_text(&text).is_some()
        && let Some((_, rest)) = text.split_once("Output:\n")
    {
        return (rest.trim_start_matches('\n').to_owned().into(), None);
    }
    let headed = ["Exit code: ", "Chunk ID: ", "Wall time: "].iter().any(|head| text.starts_with(head));
    if headed && let Some((head, rest)) = text.split_once("Output:\n") {
        let code = head.lines().find_map(|line| {
            line.strip_prefix("Exit code: ").or_else(|| line.strip_prefix("Process exited with code "))
        });
        return (rest.to_owned().into(), code.and_then(|code| code.trim().parse().ok()));
    }
    (text, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn denied(text: &str) -> Option<(Denial, bool)> {
        denial(text).map(|denial| (denial.by, denial.was_started))
    }

    #[test]
    fn distinguishes_denials_from_failures() {
        let (user, policy, guard) = (Denial::User, Denial::Policy, Denial::Guard);
        let not_started =
            |reason| format!("exec_command failed for `a `b``: CreateProcess {{ message: \"{reason}\" }}");
        for (text, expected) in [
            ("exec command rejected by user".to_owned(), Some((user, false))),
            ("patch rejected by user".to_owned(), Some((user, false))),
            (not_started("Rejected(\\\"rejected by user\\\")"), Some((user, false))),
            ("aborted by user after 3.1s".to_owned(), Some((user, true))),
            ("Wall time: 3.1 seconds\naborted by user".to_owned(), Some((user, true))),
            ("`rm -rf a` rejected: blocked by policy".to_owned(), Some((policy, false))),
            (not_started("Rejected(\\\"`rm a` rejected: blocked by policy\\\")"), Some((policy, false))),
            (
                "patch rejected: writing outside of the project; rejected by user approval settings"
                    .to_owned(),
                Some((policy, false)),
            ),
            ("Command blocked by PreToolUse hook: no. Command: ls".to_owned(), Some((policy, false))),
            (
                "Command blocked by PreToolUse hook: Loop guard: refused: ls. Command: ls".to_owned(),
                Some((guard, false)),
            ),
            (
                "Script error:\nCommand blocked by PreToolUse hook: Loop guard: no. Command: ls".to_owned(),
                Some((guard, false)),
            ),
            ("Script error:\nRejected(\"rejected by user\")".to_owned(), Some((user, false))),
            ("Script error:\nTypeError: x is not a function".to_owned(), None),
            ("failed in sandbox MacosSeatbelt with execution error: x".to_owned(), Some((policy, true))),
            (not_started("Codex(Sandbox(Denied { output"), Some((policy, true))),
            (not_started("No such file"), None),
            ("Operation not permitted".to_owned(), None),
            ("a line\naborted by user".to_owned(), None),
        ] {
            assert_eq!(denied(&text), expected, "{text}");
        }
    }

    #[test]
    fn failures_and_successes_are_those_that_the_log_marks() {
        let marks = |json: &str| {
            let raw = RawValue::from_string(json.to_owned()).unwrap();
            let outcome = outcome(&raw);
            (outcome.error, outcome.exit)
        };
        for (output, expected) in [
            (r#"{"content":"x","success":true}"#, (Some(false), None)),
            (r#"{"content":"x","success":false}"#, (Some(true), None)),
            (r#""{\"output\":\"x\",\"metadata\":{\"exit_code\":2}}""#, (Some(true), Some(2))),
            (r#""Exit code: 0\nWall time: 1 seconds\nOutput:\nerror""#, (Some(false), Some(0))),
            (r#""Chunk ID: a\nProcess exited with code 9\nOutput:\n""#, (Some(true), Some(9))),
            (r#""Wall time: 1 seconds\nProcess running with session ID 7\nOutput:\n""#, (None, None)),
            (r#""unsupported call: frob""#, (Some(true), None)),
            (
                r#""exec_command failed for `x`: CreateProcess { message: \"No such file\" }""#,
                (Some(true), None),
            ),
            (r#""exec command rejected by user""#, (None, None)),
            (r#""Script completed\nWall time 0.2 seconds\nOutput:\nerror""#, (Some(false), None)),
            (
                r#"[{"type":"input_text","text":"Script failed\nWall time 0.0 seconds\nOutput:\n"},{"type":"input_text","text":"Script error:\nboom"}]"#,
                (Some(true), None),
            ),
            (r#""Script running with cell ID 7\nWall time 10.0 seconds\nOutput:\n""#, (None, None)),
            (
                r#""Script completed\nWall time 0.2 seconds\nOutput:\nCommand blocked by PreToolUse hook: no. Command: ls""#,
                (None, None),
            ),
            (r#""Plan updated""#, (None, None)),
        ] {
            assert_eq!(marks(output), expected, "{output}");
        }
    }

    #[test]
    fn unwraps_command_outputs() {
        for (text, expected, code) in [
            (r#"{"output":"boom\n","metadata":{"exit_code":1,"duration_seconds":0.4}}"#, "boom\n", Some(1)),
            ("Exit code: 0\nWall time: 0.2 seconds\nOutput:\nfine", "fine", Some(0)),
            ("Chunk ID: ab\nWall time: 1 seconds\nProcess exited with code 2\nOutput:\nx", "x", Some(2)),
            ("Script failed\nWall time 0.1 seconds\nOutput:\n\nScript error:\nx", "Script error:\nx", None),
            ("Script completed\nOutput:\nx", "Script completed\nOutput:\nx", None),
            ("plain", "plain", None),
            (r#"{"output":"#, r#"{"output":"#, None),
        ] {
            let (got, exit) = unwrapped(text.into());
            assert_eq!((&*got, exit), (expected, code), "{text}");
        }
    }

    #[test]
    fn rejected_calls_are_those_that_no_hook_reports() {
        for (text, expected) in [
            (
                "apply_patch verification failed: no such lines",
                Some("apply_patch verification failed: no such lines"),
            ),
            ("Script error:\napply_patch verification failed: x", Some("apply_patch verification failed: x")),
            ("Script error:\nTypeError: x", Some("TypeError: x")),
            ("unsupported call: frob", Some("unsupported call: frob")),
            ("Script error:\nCommand blocked by PreToolUse hook: no. Command: ls", None),
            ("Script error:\nexec_command failed for `x`: CreateProcess { message: \"No such file\" }", None),
            ("1 failed", None),
        ] {
            assert_eq!(rejection(text), expected, "{text}");
        }
    }

    #[test]
    fn a_denial_by_a_hook_names_the_command() {
        let text = "Script error:\nCommand blocked by PreToolUse hook: Loop guard: refused.\nDo not. Command: ls -l\n";
        assert_eq!(denied_command(text), Some("ls -l\n"));
        assert_eq!(denied_command("Tool call blocked by PreToolUse hook: no. Tool: x"), None);
    }
}
