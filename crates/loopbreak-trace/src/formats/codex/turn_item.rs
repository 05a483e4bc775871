//! Completed items of a turn. In code mode the model writes scripts, and only these items tell what a script did.

use std::fmt::Write as _;

use loopbreak::{
    Action, Outcome,
    step::{Denial, StepText},
};
use memchr::{memchr, memmem, memrchr};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::call_outcome::denial;
use super::entry::CodexEntry;
use crate::message::{MessageContent, arguments};

/// An event that reports a completed item.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CodexItemEvent<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Option<StepText<'a>>,
    #[serde(borrow)]
    pub(super) item: Option<&'a RawValue>,
}

/// A completed item, with the keys of all kinds. Versions differ in how they spell them.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CodexTurnItem<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<StepText<'a>>,
    #[serde(borrow)]
    id: Option<StepText<'a>>,
    #[serde(borrow)]
    status: Option<StepText<'a>>,
    #[serde(borrow)]
    source: Option<StepText<'a>>,
    command: Option<Vec<String>>,
    #[serde(borrow, alias = "interactionInput")]
    interaction_input: Option<StepText<'a>>,
    #[serde(borrow, alias = "aggregatedOutput")]
    aggregated_output: Option<StepText<'a>>,
    #[serde(alias = "exitCode")]
    exit_code: Option<i64>,
    #[serde(borrow)]
    stdout: Option<StepText<'a>>,
    #[serde(borrow)]
    stderr: Option<StepText<'a>>,
    #[serde(borrow)]
    changes: Option<&'a RawValue>,
    #[serde(borrow)]
    server: Option<StepText<'a>>,
    #[serde(borrow)]
    tool: Option<StepText<'a>>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<CodexMcpResult<'a>>,
    #[serde(borrow)]
    error: Option<CodexMcpError<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CodexMcpResult<'a> {
    #[serde(borrow)]
    content: MessageContent<'a>,
    #[serde(rename = "isError")]
    is_error: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CodexMcpError<'a> {
    #[serde(borrow)]
    message: Option<StepText<'a>>,
}

/// A change of one file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CodexFileChange<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<StepText<'a>>,
    #[serde(borrow)]
    unified_diff: Option<StepText<'a>>,
    #[serde(borrow)]
    content: Option<StepText<'a>>,
}

/// Finds the exit code of a command in a part of a rollout. The item of the command is written before its result.
pub(super) fn exit_code(part: &[u8], call: &str) -> Option<i64> {
    // The last line comes first: the command has just ended.
    for at in memmem::rfind_iter(part, call) {
        let start = memrchr(b'\n', &part[..at]).map_or(0, |end| end + 1);
        let end = memchr(b'\n', &part[at..]).map_or(part.len(), |end| at + end);
        let code = (|| {
            let line: CodexEntry<'_> = serde_json::from_slice(&part[start..end]).ok()?;
            let event: CodexItemEvent<'_> = serde_json::from_str(line.payload?.get()).ok()?;
            let item: CodexTurnItem<'_> = serde_json::from_str(event.item?.get()).ok()?;
            item.exit_code.filter(|_| item.id.as_deref() == Some(call))
        })();
        if code.is_some() {
            return code;
        }
    }
    None
}

/// A call that a script made.
#[derive(Debug)]
pub(super) struct CodexScriptCall<'a> {
    pub(super) id: StepText<'a>,
    pub(super) action: Action<'static>,
    pub(super) outcome: Outcome<'a>,
    /// True if the error of the script, if it has one, repeats the failure of this call.
    pub(super) fails_script: bool,
}

impl<'a> CodexScriptCall<'a> {
    /// Reads an item. Returns `None` if it is not a call of the agent. The names and the arguments are those that hooks
    /// get to see.
    pub(super) fn parse(item: &'a RawValue) -> Option<Self> {
        let mut item: CodexTurnItem<'a> = serde_json::from_str(item.get()).ok()?;
        let status = item.status.take();
        let is_failed = status.as_deref() == Some("failed");
        let is_declined = status.as_deref() == Some("declined");
        let id = item.id.take().unwrap_or_default();
        let (action, outcome) = match item.kind.as_deref()? {
            "CommandExecution" => item.command()?,
            "FileChange" => item.file_change(is_failed)?,
            "McpToolCall" => item.mcp_call(is_failed)?,
            _ => return None,
        };
        let denied = is_declined.then(|| outcome.text.as_deref().and_then(denial).map(|denial| denial.by));
        let outcome = Outcome {
            denied: denied.map(|by| by.unwrap_or(Denial::Policy)),
            error: outcome.error.filter(|_| !is_declined),
            ..outcome
        };
        // A command that exits with an error does not end the script.
        let fails_script = is_declined || is_failed && item.kind.as_deref() != Some("CommandExecution");
        Some(CodexScriptCall { id, action, outcome, fails_script })
    }
}

impl<'a> CodexTurnItem<'a> {
    fn command(&mut self) -> Option<(Action<'static>, Outcome<'a>)> {
        // Commands that the user types with `!` are not the agent's.
        if self.source.as_deref().is_some_and(|source| source.starts_with("user")) {
            return None;
        }
        let action = if let Some(input) = self.interaction_input.take() {
            Action::new("write_stdin").with_args(&serde_json::json!({"chars": &*input}))
        } else {
            let command = script_of(self.command.take()?);
            Action::new("Bash").with_args(&serde_json::json!({ "command": command }))
        };
        let text = self.aggregated_output.take().or(self.stdout.take());
        let exit = self.exit_code;
        let error = exit.map(|code| code != 0);
        Some((action, Outcome { text, error, exit, ..Outcome::default() }))
    }

    fn file_change(&mut self, is_failed: bool) -> Option<(Action<'static>, Outcome<'a>)> {
        let patch = patch_of(self.changes?);
        let action = Action::new("apply_patch").with_args(&serde_json::json!({ "command": patch }));
        let [stdout, stderr] =
            [self.stdout.take(), self.stderr.take()].map(|text| text.filter(|text| !text.trim().is_empty()));
        let text = if is_failed { stderr.or(stdout) } else { stdout.or(stderr) };
        Some((action, Outcome { text, error: Some(is_failed), ..Outcome::default() }))
    }

    fn mcp_call(&mut self, is_failed: bool) -> Option<(Action<'static>, Outcome<'a>)> {
        let (server, tool) = (self.server.take()?, self.tool.take()?);
        let mut action = Action::new(format!("mcp__{server}__{tool}"));
        action.args = self.arguments.and_then(arguments);
        let result = self.result.take().unwrap_or_default();
        let message = self.error.take().and_then(|error| error.message);
        let error = Some(is_failed || result.is_error == Some(true));
        Some((action, Outcome { text: message.or(result.content.into_text()), error, ..Outcome::default() }))
    }
}

/// Returns the script that a shell was given, or the command itself.
fn script_of(mut command: Vec<String>) -> String {
    let is_shell = |program: &str| {
        let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
        matches!(
            name.trim_end_matches(".exe"),
            "bash" | "zsh" | "sh" | "dash" | "fish" | "pwsh" | "powershell"
        )
    };
    match &mut command[..] {
        [shell, flag, script] if is_shell(shell) && flag.starts_with('-') => std::mem::take(script),
        _ => command.join(" "),
    }
}

/// Returns changes of files as a patch, sorted by path.
fn patch_of(changes: &RawValue) -> String {
    let changes: std::collections::BTreeMap<String, CodexFileChange<'_>> =
        serde_json::from_str(changes.get()).unwrap_or_default();
    let mut patch = "*** Begin Patch\n".to_owned();
    for (path, change) in changes {
        let verb = match change.kind.as_deref() {
            Some("add") => "Add",
            Some("delete") => "Delete",
            _ => "Update",
        };
        let body = change.unified_diff.or(change.content.filter(|_| verb == "Add")).unwrap_or_default();
        _ = writeln!(patch, "*** {verb} File: {path}");
        if !body.is_empty() {
            _ = writeln!(patch, "{}", body.trim_end());
        }
    }
    patch.push_str("*** End Patch");
    patch
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(json: &str) -> Option<(String, String, bool)> {
        let raw = RawValue::from_string(json.to_owned()).unwrap();
        let call = CodexScriptCall::parse(&raw)?;
        let outcome = serde_json::to_string(&call.outcome).unwrap();
        Some((call.action.line().into_owned(), outcome, call.fails_script))
    }

    #[test]
    fn items_are_the_calls_that_hooks_see() {
        for (item, action, outcome) in [
            (
                r#"{"type":"CommandExecution","id":"e1","command":["/bin/bash","-lc","ls /x"],"exit_code":2,"status":"failed","aggregated_output":"no such file"}"#,
                r#"Bash {"command":"ls /x"}"#,
                r#"{"text":"no such file","error":true,"exit":2}"#,
            ),
            (
                r#"{"type":"CommandExecution","id":"e1","command":["git","status"],"exitCode":0,"status":"completed","aggregatedOutput":"clean"}"#,
                r#"Bash {"command":"git status"}"#,
                r#"{"text":"clean","error":false,"exit":0}"#,
            ),
            (
                r#"{"type":"FileChange","id":"p1","changes":{"a.rs":{"type":"update","unified_diff":"@@ -1 +1 @@\n-a\n+b\n"}},"status":"completed","stdout":"Success."}"#,
                r#"apply_patch {"command":"*** Begin Patch\n*** Update File: a.rs\n@@ -1 +1 @@\n-a\n+b\n*** End Patch"}"#,
                r#"{"text":"Success.","error":false}"#,
            ),
            (
                r#"{"type":"McpToolCall","id":"m1","server":"docs","tool":"find","arguments":{"q":"x"},"status":"failed","error":{"message":"timeout"}}"#,
                r#"mcp__docs__find {"q":"x"}"#,
                r#"{"text":"timeout","error":true}"#,
            ),
            (
                r#"{"type":"CommandExecution","id":"e1","command":["rm","a"],"status":"declined","aggregated_output":"exec command rejected by user"}"#,
                r#"Bash {"command":"rm a"}"#,
                r#"{"text":"exec command rejected by user","denied":"user"}"#,
            ),
        ] {
            let (found, result, _) = call(item).unwrap();
            assert_eq!((found.as_str(), result.as_str()), (action, outcome), "{item}");
        }
    }

    #[test]
    fn only_the_failure_of_a_patch_or_a_tool_ends_a_script() {
        let patch = r#"{"type":"FileChange","changes":{},"status":"failed","stderr":"no match"}"#;
        assert!(call(patch).unwrap().2);
        let command = r#"{"type":"CommandExecution","command":["ls"],"exit_code":1,"status":"failed"}"#;
        assert!(!call(command).unwrap().2);
    }

    #[test]
    fn messages_and_commands_of_the_user_are_no_calls() {
        for item in [
            r#"{"type":"UserMessage","id":"u1","content":[]}"#,
            r#"{"type":"CommandExecution","command":["ls"],"source":"user_shell","status":"completed"}"#,
            r#"{"type":"CommandExecution","command":3}"#,
            "3",
        ] {
            assert!(call(item).is_none(), "{item}");
        }
    }

    #[test]
    fn the_exit_code_of_a_command_is_found_before_its_result() {
        let line = |id: &str, code: u8| {
            format!(
                r#"{{"type":"event_msg","payload":{{"type":"item_completed","item":{{"type":"CommandExecution","id":"{id}","exit_code":{code}}}}}}}"#
            )
        };
        let call = r#"{"type":"response_item","payload":{"type":"function_call","call_id":"c1"}}"#;
        let part = ["nt\":1}", call, &line("c1", 2), &line("c2", 0), "{\"id\":\"c1\""].join("\n");
        assert_eq!(exit_code(part.as_bytes(), "c1"), Some(2));
        assert_eq!(exit_code(part.as_bytes(), "c2"), Some(0));
        assert_eq!(exit_code(part.as_bytes(), "c"), None, "another id that starts with it");
        assert_eq!(exit_code(b"", "c1"), None);
    }
}
