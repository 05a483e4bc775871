//! Decides whether a call only waits. Waiting is a state: `poll` judges it, and no other detector does.

use crate::fingerprint::{ActionKind, ActionTable, text_argument, words_of};
use crate::step::{Action, ActionArgs};

/// Length limit of a reply that reports the state of a job, in bytes. A longer one has content.
const LONGEST_STATE: usize = 400;

/// Phrases by which a job says that it is not done, in lower case.
const NOT_DONE: [&str; 20] = [
    "still running",
    "is running",
    "status: running",
    "state: running",
    "\"running\"",
    "[running]",
    "in_progress",
    "in progress",
    "\"pending\"",
    "status: pending",
    "is pending",
    "\"queued\"",
    "is queued",
    "not ready",
    "not finished",
    "not complete",
    "no new output",
    "waiting for",
    "\"processing\"",
    "still processing",
];

/// Words of which each phrase has one.
const STATE_WORDS: [&str; 10] = [
    "running",
    "progress",
    "pending",
    "queued",
    "ready",
    "finished",
    "complete",
    "output",
    "waiting",
    "processing",
];

/// Names of the argument that holds the input for a running program.
const INPUTS: [&str; 4] = ["chars", "stdin", "input", "text"];

impl ActionTable {
    /// Returns whether a call only waits: by its kind, because it gives a running program no input, or because its
    /// reply says that a job is not done.
    pub(crate) fn waits(
        &self,
        action: &Action<'_>,
        kind: ActionKind,
        runs: bool,
        reply: Option<&str>,
    ) -> bool {
        if self.gives_no_input(action, kind, runs) {
            return true;
        }
        match kind {
            ActionKind::Wait => true,
            ActionKind::Edit | ActionKind::Say | ActionKind::Page | ActionKind::Move => false,
            ActionKind::Read | ActionKind::Run | ActionKind::Search | ActionKind::Other => {
                action.is_structured() && reply.is_some_and(is_not_done) && !self.posts(action)
            }
        }
    }

    /// Returns whether a command sends something, so that its reply is not the state of a job.
    fn posts(&self, action: &Action<'_>) -> bool {
        let posts =
            |command: &str| ["POST", "PUT", " -d ", "--data"].iter().any(|word| command.contains(word));
        self.command(action).is_some_and(|command| posts(&command))
    }

    /// Returns whether a call sends an empty command, or no input to a running program.
    fn gives_no_input(&self, action: &Action<'_>, kind: ActionKind, runs: bool) -> bool {
        // Tools for input are called `write_stdin` and the like.
        if !runs && kind != ActionKind::Edit {
            return false;
        }
        let Some(args) = action.args.as_ref().map(ActionArgs::json) else { return false };
        if words_of(&action.name).any(|word| word.eq_ignore_ascii_case("stdin")) {
            return text_argument(args, &INPUTS).is_none_or(|input| input.trim().is_empty());
        }
        // Nearly every command begins with a letter.
        let begins = args.strip_prefix("{\"command\":\"").and_then(|command| command.bytes().next());
        let is_blank = || self.command(action).is_some_and(|command| command.trim().is_empty());
        runs && !begins.is_some_and(|byte| byte.is_ascii_alphanumeric()) && is_blank()
    }
}

/// Returns whether a reply says that a job is not done.
fn is_not_done(reply: &str) -> bool {
    if reply.len() > LONGEST_STATE {
        return false;
    }
    // Most replies have none of the words that these phrases consist of.
    let mut words = reply.as_bytes().split(|byte| !byte.is_ascii_alphabetic());
    if !words.any(|word| STATE_WORDS.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))) {
        return false;
    }
    let reply = reply.to_ascii_lowercase();
    NOT_DONE.iter().any(|phrase| reply.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::ActionSettings;

    fn waits(action: &str, reply: Option<&str>) -> bool {
        let table = ActionTable::from(ActionSettings::default());
        let action: Action<'_> = serde_json::from_str(action).unwrap();
        let class = table.classify(&action);
        table.waits(&action, class.kind, class.runs, reply)
    }

    #[test]
    fn empty_commands_and_unfinished_jobs_are_waiting() {
        for (action, reply) in [
            (r#"{"name":"execute_bash","args":{"command":""}}"#, "[still running]"),
            (r#"{"name":"write_stdin","args":{"session_id":3,"chars":""}}"#, ""),
            (r#"{"name":"get_job","args":{"id":7}}"#, r#"{"id":7,"state":"running"}"#),
            (r#"{"name":"bash","args":{"command":"gh run view 7"}}"#, "status: in_progress"),
            (r#"{"name":"sleep","args":{"seconds":5}}"#, ""),
            (
                r#"{"name":"Bash","args":{"command":"loopbreak wait --until 'test -f done' --every 20s"}}"#,
                "timed out",
            ),
            (
                r#"{"name":"Bash","args":{"command":"cd x && /usr/bin/loopbreak wait --until 'make > log && ls'"}}"#,
                "",
            ),
        ] {
            assert!(waits(action, Some(reply)), "{action}");
        }
    }

    #[test]
    fn other_calls_are_not_waiting() {
        for (action, reply) in [
            (r#"{"name":"bash","args":{"command":"cargo test"}}"#, "running 3 tests\n1 failed"),
            (r#"{"name":"write_stdin","args":{"session_id":3,"chars":"y\n"}}"#, "ok"),
            (r#"{"name":"Bash","args":{"command":"loopbreak analyze wait"}}"#, ""),
            (r#"{"name":"Bash","args":{"command":"echo loopbreak wait > notes"}}"#, ""),
            (r#""look at machine""#, "The machine is running."),
            (r#"{"name":"Edit","args":{"path":"a"}}"#, "the job is running"),
        ] {
            assert!(!waits(action, Some(reply)), "{action}");
        }
    }
}
