//! Decides whether an action failed.
//!
//! A failure is what the log marks: a flag, an exit code, a denial. Words are read only if the log marks nothing, and
//! never in content that was read. A search without a match is not a failure, and neither is a denial by a human. An
//! error of the infrastructure (rate limit, quota, capacity) is a class of its own: the agent has to wait.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::result_reason::ResultReason;
use crate::fingerprint::{ActionKind, ActionTable, OutcomeOpening};
use crate::name_enum::name_enum;
use crate::step::{Action, Denial, Outcome};
use crate::text::clip::clip;

name_enum! {
    /// The result of an action.
    "result" pub enum ActionResult {
        /// It did not fail, as far as is known.
        Success = "success",
        /// It failed.
        Failure = "failure",
        /// A service that the agent has no influence on was not available.
        Unavailable = "unavailable",
    }
}

/// Length limit of a failure to read, in bytes. A longer text is the content that was read.
const LONGEST_READ_FAILURE: usize = 300;
/// Number of bytes in which the name of an infrastructure error is searched.
const INFRASTRUCTURE_BYTES: usize = 400;

/// Phrases of infrastructure errors, in lower case.
const UNAVAILABLE: [&str; 28] = [
    "rate limit",
    "rate_limit",
    "ratelimit",
    "too many requests",
    "quota exceeded",
    "exceeded your current quota",
    "exceeded your quota",
    "insufficient_quota",
    "resource_exhausted",
    "resource exhausted",
    "overloaded",
    "at capacity",
    "no capacity",
    "insufficient capacity",
    "service unavailable",
    "temporarily unavailable",
    "bad gateway",
    "gateway timeout",
    "server is busy",
    "http 429",
    "status 429",
    "code 429",
    "error 429",
    "429 too",
    "http 503",
    "status 503",
    "code 503",
    "error 503",
];

/// Programs that answer "no" by exit code 1 and no output.
const SEARCH_PROGRAMS: [&str; 14] =
    ["grep", "egrep", "fgrep", "rg", "ag", "ack", "find", "fd", "diff", "cmp", "test", "[", "pgrep", "which"];

/// The report of `loopbreak wait` about a condition that was not met in time.
const WAIT_TIMED_OUT: &str = "condition not met: timed out";

/// An outcome, with what is known about its action.
pub(crate) struct JudgedOutcome<'o> {
    pub(crate) outcome: &'o Outcome<'o>,
    pub(crate) action: &'o Action<'o>,
    pub(crate) kind: ActionKind,
    /// The beginning of the text.
    pub(crate) opening: Option<&'o OutcomeOpening<'o>>,
    /// True if the log marks failures: by this outcome or an earlier one.
    pub(crate) marked: bool,
}

/// Returns whether an outcome itself says that the action failed or succeeded.
pub(crate) fn is_marked(outcome: &Outcome<'_>) -> bool {
    outcome.error.is_some() || outcome.exit.is_some()
}

impl JudgedOutcome<'_> {
    /// Returns the result of the action, and the sign that decided about it.
    pub(crate) fn result(&self, table: &ActionTable) -> (ActionResult, ResultReason) {
        let reason = self.reason(table);
        let result = if !reason.is_failure() {
            ActionResult::Success
        } else if self.outcome.text.as_deref().is_some_and(names_infrastructure) {
            ActionResult::Unavailable
        } else {
            ActionResult::Failure
        };
        (result, reason)
    }

    fn reason(&self, table: &ActionTable) -> ResultReason {
        let sign = match (self.outcome.denied, self.outcome.error, self.outcome.exit) {
            (Some(Denial::User), ..) => return ResultReason::DeniedByUser,
            (Some(Denial::Guard), ..) => return ResultReason::DeniedByGuard,
            (Some(Denial::Policy), ..) => return ResultReason::DeniedByPolicy,
            (None, Some(true), _) => ResultReason::ErrorFlag,
            (None, _, Some(exit)) if exit != 0 => ResultReason::ExitCode,
            (None, Some(false), _) => ResultReason::SuccessFlag,
            (None, None, Some(_)) => ResultReason::ExitZero,
            (None, None, None) if self.marked => ResultReason::Unmarked,
            (None, None, None) if self.reads_like_failure(table) => ResultReason::Words,
            (None, None, None) => ResultReason::NoFailureWords,
        };
        if !sign.is_failure() {
            sign
        } else if self.is_search_without_match(table) {
            ResultReason::SearchWithoutMatch
        } else if self.is_wait_without_result() {
            ResultReason::WaitTimedOut
        } else {
            sign
        }
    }

    /// Returns whether a wait ended before its condition was met. That is the state of what is waited for, and not a mistake.
    fn is_wait_without_result(&self) -> bool {
        let text = self.outcome.text.as_deref().unwrap_or_default();
        self.kind == ActionKind::Wait && clip(text, INFRASTRUCTURE_BYTES).contains(WAIT_TIMED_OUT)
    }

    /// Returns whether the words of the reply report a failure.
    fn reads_like_failure(&self, table: &ActionTable) -> bool {
        let Some(opening) = self.opening else { return false };
        match self.kind {
            // Content that was read may contain any word. A failure to read is short and begins with its name.
            ActionKind::Read | ActionKind::Search => {
                let text = self.outcome.text.as_deref().unwrap_or_default();
                text.len() <= LONGEST_READ_FAILURE && opening.fails()
            }
            ActionKind::Edit => opening.fails() || opening.denies() && !table.runs(self.action),
            _ => opening.fails(),
        }
    }

    /// Returns whether a search command only says that nothing matched.
    fn is_search_without_match(&self, table: &ActionTable) -> bool {
        if self.outcome.exit != Some(1) || !table.runs(self.action) {
            return false;
        }
        let output = self.outcome.text.as_deref().unwrap_or_default().trim();
        // Some agents put the exit code into the text.
        let output = output.split_once('\n').map_or_else(
            || if is_exit_line(output) { "" } else { output },
            |(first, rest)| if is_exit_line(first) { rest.trim() } else { output },
        );
        output.is_empty() && table.command(self.action).is_some_and(|command| runs_search(&command))
    }
}

/// Matches `Exit code 1` and `Error: Exit code 1`.
fn is_exit_line(line: &str) -> bool {
    let line = line.trim().trim_start_matches("Error: ");
    let prefix = line.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("exit code"));
    prefix && line.len() <= 16
}

/// Returns whether any command of a shell line is a search.
fn runs_search(command: &str) -> bool {
    command.split(['|', ';', '&', '\n', '(']).any(|part| {
        let mut words = part.split_whitespace().filter(|word| !word.contains('='));
        let program = words.next().unwrap_or_default();
        let program = if program == "git" { words.next().unwrap_or_default() } else { program };
        let program = program.rsplit('/').next().unwrap_or_default();
        SEARCH_PROGRAMS.contains(&program)
    })
}

/// Returns whether an outcome without a call reports that a service was not available.
pub(crate) fn is_outage(outcome: &Outcome<'_>) -> bool {
    outcome.is_error() && outcome.text.as_deref().is_some_and(names_infrastructure)
}

/// Returns whether a failure is one of the infrastructure.
fn names_infrastructure(text: &str) -> bool {
    let head = clip(text.trim_start(), INFRASTRUCTURE_BYTES);
    // Most failures have none of the words that these phrases consist of.
    let has_stem = CODES.iter().any(|code| head.contains(code))
        || STEMS.iter().any(|stem| stem.find(head.as_bytes()).is_some());
    has_stem && {
        let head = head.to_ascii_lowercase();
        UNAVAILABLE.iter().any(|phrase| head.contains(phrase))
    }
}

/// A part of every phrase, without its first letter, which may be a capital. Codes in capitals are listed apart.
static STEMS: LazyLock<[Finder<'static>; 12]> = LazyLock::new(|| {
    [
        "imit",
        "any request",
        "any Request",
        "uota",
        "xhausted",
        "EXHAUSTED",
        "verload",
        "apacity",
        "vailable",
        "ateway",
        "usy",
        "QUOTA",
    ]
    .map(Finder::new)
});

/// Error codes of the infrastructure.
const CODES: [&str; 2] = ["429", "503"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::ActionSettings;
    use crate::step::Step;

    fn result(line: &str, marked_before: bool) -> ActionResult {
        let table = ActionTable::from(ActionSettings::default());
        let step = Step::from_json(line).unwrap();
        let (outcome, action) = (step.outcome.as_ref().unwrap(), step.action.as_ref().unwrap());
        let opening = outcome.text.as_deref().map(OutcomeOpening::new);
        let kind = table.kind(action);
        let marked = marked_before || is_marked(outcome);
        JudgedOutcome { outcome, action, kind, opening: opening.as_ref(), marked }.result(&table).0
    }

    #[test]
    fn marks_decide_and_words_only_without_marks() {
        let bash = |outcome: &str| {
            format!(r#"{{"action":{{"name":"bash","args":{{"command":"make"}}}},"outcome":{outcome}}}"#)
        };
        for (outcome, marked_before, failed) in [
            (r#""error: no rule""#, false, true),
            (r#""error: no rule""#, true, false),
            (r#"{"text":"error: no rule","error":false}"#, false, false),
            (r#"{"text":"fine","error":true}"#, false, true),
            (r#"{"text":"fine","exit":2}"#, false, true),
            (r#"{"text":"error: ignored","exit":0}"#, false, false),
            (r#"{"text":"no","error":true,"denied":"user"}"#, false, false),
            (r#"{"text":"no","error":true,"denied":"policy"}"#, false, true),
        ] {
            let expected = if failed { ActionResult::Failure } else { ActionResult::Success };
            assert_eq!(result(&bash(outcome), marked_before), expected, "{outcome}");
        }
    }

    #[test]
    fn a_wait_that_ran_out_of_time_is_not_a_failure() {
        let call = |command: &str, text: &str| {
            let (action, outcome) = (r#"{"name":"Bash","args":{"command":"#, r#""error":true}"#);
            format!(r#"{{"action":{action}"{command}"}}}},"outcome":{{"text":"{text}",{outcome}}}"#)
        };
        let timed_out = "Exit code 11\\ncondition not met: timed out after 9 min 0 s, 54 tries";
        assert_eq!(result(&call("loopbreak wait --until ./ready", timed_out), false), ActionResult::Success);
        assert_eq!(result(&call("make", timed_out), false), ActionResult::Failure);
        let broken = "Exit code 1\\nerror: cannot run";
        assert_eq!(result(&call("loopbreak wait -- ./ready", broken), false), ActionResult::Failure);
    }

    #[test]
    fn words_in_content_that_was_read_are_no_failure() {
        let content = "error handling\\n".repeat(40);
        let read =
            format!(r#"{{"action":{{"name":"Read","args":{{"path":"a"}}}},"outcome":"Error: {content}"}}"#);
        assert_eq!(result(&read, false), ActionResult::Success);
        let missing = r#"{"action":{"name":"Read","args":{"path":"a"}},"outcome":"Error: no such file"}"#;
        assert_eq!(result(missing, false), ActionResult::Failure);
    }

    #[test]
    fn a_search_without_a_match_does_not_fail() {
        let run = |command: &str, text: &str| {
            result(
                &format!(
                    r#"{{"action":{{"name":"Bash","args":{{"command":"{command}"}}}},"outcome":{{"text":"{text}","error":true,"exit":1}}}}"#
                ),
                false,
            )
        };
        assert_eq!(run("grep -rn foo src", ""), ActionResult::Success);
        assert_eq!(run("cd a && rg foo | head", "Exit code 1"), ActionResult::Success);
        assert_eq!(run("git grep foo", "Exit code 1\\n"), ActionResult::Success);
        assert_eq!(run("make", "Exit code 1"), ActionResult::Failure);
        assert_eq!(run("grep -rn foo src", "Exit code 1\\ngrep: src: No such file"), ActionResult::Failure);
    }

    #[test]
    fn a_rate_limit_is_an_error_of_the_infrastructure() {
        for text in ["429 Too Many Requests", "Error: model is overloaded", "RESOURCE_EXHAUSTED: quota"] {
            let line = format!(r#"{{"action":"fetch","outcome":{{"text":"{text}","error":true}}}}"#);
            assert_eq!(result(&line, false), ActionResult::Unavailable, "{text}");
        }
        let line = r#"{"action":"fetch","outcome":{"text":"rate limit docs","error":false}}"#;
        assert_eq!(result(line, false), ActionResult::Success);
    }
}
