//! Separates calls that were denied or dropped from calls that failed.

use loopbreak::step::Denial;

use super::entry::ClaudeDenial;
use crate::message::is_guard_reason;

/// The fate of a call, in addition to its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallFate {
    /// It was executed, successfully or not.
    Done,
    /// It was denied, so it was not executed.
    Denied(Denial),
    /// The user stopped it while it was executed.
    Interrupted,
    /// It was not executed because a parallel call failed.
    Dropped,
}

impl CallFate {
    /// Returns whether the call was not executed.
    pub(super) fn is_refused(self) -> bool {
        matches!(self, CallFate::Denied(_) | CallFate::Dropped)
    }

    /// Returns who denied the call.
    pub(super) fn denied(self) -> Option<Denial> {
        match self {
            CallFate::Denied(denial) => Some(denial),
            CallFate::Interrupted => Some(Denial::User),
            CallFate::Done | CallFate::Dropped => None,
        }
    }

    /// Returns what the user did to the call.
    pub(super) fn user_word(self) -> Option<&'static str> {
        match self {
            CallFate::Denied(Denial::User) => Some("refused the call"),
            CallFate::Interrupted => Some("interrupted the call"),
            _ => None,
        }
    }
}

/// Beginning of the result of a call that Claude Code rejected before it was made.
pub(super) const REJECTION: &str = "<tool_use_error>";
/// Beginnings of such results if the call was not checked: a parallel call failed, or the user interrupted.
const NOT_CHECKED: [&str; 3] = ["Sibling tool call", "Cancelled", "Request cancelled"];

/// Beginnings of results of calls that were not executed because a parallel call failed.
const DROPPED: [&str; 2] = ["Sibling tool call errored", "Cancelled: parallel tool call"];
/// Beginning of the result of a call that the user stopped.
const INTERRUPTED: &str = "[Request interrupted by user";
/// Beginnings of results of calls that the user denied.
const BY_USER: [&str; 4] = [
    "The user doesn't want to",
    "User rejected",
    "User declined to answer",
    "The agent proposed a plan that was rejected by the user",
];
/// Beginnings of results of calls that a hook denied.
const BY_HOOK: [&str; 2] = ["Hook PreToolUse", "PreToolUse:"];
/// Beginnings of results of calls that the permissions denied.
const BY_RULE: [&str; 6] = [
    "Permission to use ",
    "Permission for this ",
    "Claude requested permissions",
    "This command requires approval",
    "This Bash command contains multiple operations. The following part",
    "File is in a directory that is denied by your permission settings",
];
/// Part of the first line of such a result, after the name of the command and the path.
const OUTSIDE: &str = " was blocked. For security, Claude Code may only";

/// Returns why Claude Code rejected a call, given the text of its failed result. `None` if it did not.
pub fn rejection_reason(text: &str) -> Option<&str> {
    let reason = text.trim().strip_prefix(REJECTION)?.trim_end_matches("</tool_use_error>");
    (!NOT_CHECKED.iter().any(|start| reason.starts_with(start))).then_some(reason)
}

/// Classifies a call by its failed result: by what the line of the result says about a denial, otherwise by the text.
pub(super) fn fate(text: &str, denial: &ClaudeDenial<'_>) -> CallFate {
    let text = text.trim_start();
    let text = text.strip_prefix(REJECTION).unwrap_or(text);
    let begins_with = |starts: &[&str]| starts.iter().any(|start| text.starts_with(start));
    let is_by_hook = begins_with(&BY_HOOK) || denial.is_by_hook();
    if begins_with(&DROPPED) {
        return CallFate::Dropped;
    }
    // A question that the guard asks is answered with no by itself if nobody is there to answer.
    if text.starts_with("Loop guard:") || is_by_hook && is_guard_reason(text) {
        return CallFate::Denied(Denial::Guard);
    }
    let after_code = exit_code(text).and(text.split_once('\n')).map_or(text, |(_, rest)| rest);
    if denial.kind() == "interrupted" || after_code.starts_with(INTERRUPTED) {
        return CallFate::Interrupted;
    }
    match denial.kind() {
        "user-rejected" if !denial.is_by_config() => return CallFate::Denied(Denial::User),
        "" | "cancelled" => {}
        _ => return CallFate::Denied(Denial::Policy),
    }
    let first_line = text.lines().next().unwrap_or_default();
    if begins_with(&BY_USER) {
        CallFate::Denied(Denial::User)
    } else if is_by_hook || begins_with(&BY_RULE) || first_line.contains(OUTSIDE) {
        CallFate::Denied(Denial::Policy)
    } else {
        CallFate::Done
    }
}

/// Returns the exit code that the failed result of a command begins with.
pub(super) fn exit_code(text: &str) -> Option<i64> {
    let text = text.trim_start();
    let code = text.strip_prefix("Error: ").unwrap_or(text).strip_prefix("Exit code ")?;
    code.lines().next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::claude_code::entry::ClaudePermission;
    use loopbreak::step::StepText;

    fn fate_of(text: &str) -> CallFate {
        fate(text, &ClaudeDenial::default())
    }

    #[test]
    fn distinguishes_denials_from_failures() {
        let user = CallFate::Denied(Denial::User);
        let policy = CallFate::Denied(Denial::Policy);
        let guard = CallFate::Denied(Denial::Guard);
        for (text, expected) in [
            ("The user doesn't want to proceed with this tool use. The tool use was rejected", user),
            ("The user doesn't want to take this action right now. STOP", user),
            ("[Request interrupted by user for tool use]", CallFate::Interrupted),
            ("Exit code 137\n[Request interrupted by user for tool use]", CallFate::Interrupted),
            ("Permission to use Bash has been auto-denied in dontAsk mode.", policy),
            ("Permission to use Bash with command rm has been denied.", policy),
            ("Permission for this action was denied by the Claude Code auto mode classifier.", policy),
            ("Claude requested permissions to write to a.txt, but you haven't granted it yet.", policy),
            ("PreToolUse:Bash hook error: [check.sh]: denied", policy),
            ("cd in '/x' was blocked. For security, Claude Code may only change to allowed folders", policy),
            ("PreToolUse:Bash hook error: Loop guard: refused: ls", guard),
            ("PreToolUse:Bash hook error: [loopbreak hook claude-code]: Loop guard: refused: ls", guard),
            ("Loop guard: the agent insists on a refused call: ls", guard),
            ("<tool_use_error>Sibling tool call errored</tool_use_error>", CallFate::Dropped),
            (
                "<tool_use_error>Cancelled: parallel tool call Bash(ls) errored</tool_use_error>",
                CallFate::Dropped,
            ),
            ("<tool_use_error>InputValidationError: Edit failed</tool_use_error>", CallFate::Done),
            ("Exit code 1\npermission denied", CallFate::Done),
            ("Exit code 1\nLoop guard: no such file", CallFate::Done),
        ] {
            assert_eq!(fate_of(text), expected, "{text}");
        }
    }

    #[test]
    fn the_line_knows_better_than_the_text() {
        let denial = |kind, source, code: Option<&'static str>| ClaudeDenial {
            kind: Some(StepText::from(kind)),
            permission: ClaudePermission {
                source: Some(StepText::from(source)),
                reason_code: code.map(StepText::from),
            },
        };
        let fate_with = |kind, source| fate("no", &denial(kind, source, None));
        assert_eq!(fate_with("user-rejected", "user"), CallFate::Denied(Denial::User));
        assert_eq!(fate_with("user-rejected", "config"), CallFate::Denied(Denial::Policy));
        assert_eq!(fate_with("permission-rule", "config"), CallFate::Denied(Denial::Policy));
        assert_eq!(fate_with("automode-blocked", ""), CallFate::Denied(Denial::Policy));
        assert_eq!(fate_with("interrupted", "user"), CallFate::Interrupted);
        assert_eq!(fate_with("cancelled", ""), CallFate::Done);
        let asked = denial("user-rejected", "config", Some("hook:PreToolUse"));
        let question = "[loopbreak hook claude-code]: Loop guard: the agent insists on a refused call: ls";
        assert_eq!(fate(question, &asked), CallFate::Denied(Denial::Guard));
        assert_eq!(fate("not in this folder", &asked), CallFate::Denied(Denial::Policy));
    }

    #[test]
    fn the_exit_code_is_the_first_line() {
        assert_eq!(exit_code("Exit code 101\nerror: boom"), Some(101));
        assert_eq!(exit_code("Exit code 1"), Some(1));
        assert_eq!(exit_code("Error: Exit code 2\nboom"), Some(2));
        for text in ["", "Exit code\n1", "Exit code one", "The command ended with Exit code 1"] {
            assert_eq!(exit_code(text), None, "{text}");
        }
    }

    #[test]
    fn only_calls_that_were_checked_are_rejected() {
        let invalid = "<tool_use_error>InputValidationError: Edit failed</tool_use_error>";
        assert_eq!(rejection_reason(invalid), Some("InputValidationError: Edit failed"));
        for text in ["<tool_use_error>Sibling tool call errored</tool_use_error>", "Exit code 1", ""] {
            assert_eq!(rejection_reason(text), None, "{text}");
        }
    }
}
