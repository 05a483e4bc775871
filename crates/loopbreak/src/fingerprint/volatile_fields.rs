//! Recognizes fields whose values change from call to call without a meaning, by their names.

use super::words_of;

/// Names of arguments that number or date a call, without `_` and `-`, in lower case.
const VOLATILE_ARGUMENTS: [&str; 20] = [
    "attempt",
    "attempts",
    "attemptnumber",
    "callid",
    "clienttoken",
    "correlationid",
    "counter",
    "idempotencykey",
    "iteration",
    "nonce",
    "requestid",
    "retry",
    "retries",
    "retrycount",
    "seq",
    "sequence",
    "timestamp",
    "toolcallid",
    "traceid",
    "ts",
];

/// Names of arguments that only explain a call, in the same form.
const EXPLANATIONS: [&str; 9] = [
    "displayname",
    "explanation",
    "intent",
    "justification",
    "rationale",
    "reasoning",
    "thought",
    "toolcalldescription",
    "why",
];

/// Names of arguments that explain a call only if it also has a command.
const COMMAND_LABELS: [&str; 5] = ["description", "label", "name", "reason", "title"];

/// Names of the argument that holds the command.
const COMMANDS: [&str; 4] = ["cmd", "code", "command", "script"];

/// Words that end the name of a volatile field in a reply.
const VOLATILE_ENDINGS: [&str; 26] = [
    "age",
    "at",
    "attempt",
    "attempts",
    "checksum",
    "counter",
    "duration",
    "elapsed",
    "etag",
    "guid",
    "hash",
    "id",
    "latency",
    "millis",
    "ms",
    "nonce",
    "ns",
    "pid",
    "retries",
    "secs",
    "seconds",
    "sha",
    "time",
    "timestamp",
    "ts",
    "uuid",
];

/// Words anywhere in the name of a volatile field in a reply.
const VOLATILE_WORDS: [&str; 4] = ["elapsed", "expires", "idle", "uptime"];

/// The role of an argument in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArgumentRole {
    /// It says what the call does.
    Content,
    /// It is the command.
    Command,
    /// It explains the call, if the call has a command.
    CommandLabel,
    /// It explains the call.
    Explanation,
    /// It numbers or dates the call.
    Volatile,
}

/// Longest name that can have a role.
const LONGEST: usize = 24;

/// Returns the role of an argument by its name.
pub(super) fn role_of_argument(name: &[u8]) -> ArgumentRole {
    // Most names begin with a letter that no such name begins with.
    if name.len() > LONGEST
        || !matches!(
            name.first().map(|byte| byte | 0x20),
            Some(b'a' | b'c'..=b'e' | b'i'..=b'j' | b'l' | b'n' | b'r'..=b't' | b'w')
        )
    {
        return ArgumentRole::Content;
    }
    let mut buffer = [0; LONGEST];
    let mut length = 0;
    for byte in name.iter().filter(|byte| !matches!(byte, b'_' | b'-')) {
        buffer[length] = byte.to_ascii_lowercase();
        length += 1;
    }
    let Ok(name) = std::str::from_utf8(&buffer[..length]) else { return ArgumentRole::Content };
    if COMMANDS.contains(&name) {
        ArgumentRole::Command
    } else if COMMAND_LABELS.contains(&name) {
        ArgumentRole::CommandLabel
    } else if VOLATILE_ARGUMENTS.contains(&name) {
        ArgumentRole::Volatile
    } else if EXPLANATIONS.contains(&name) {
        ArgumentRole::Explanation
    } else {
        ArgumentRole::Content
    }
}

/// Returns whether an argument only numbers, dates or explains a call.
pub(crate) fn is_volatile_argument(name: &str) -> bool {
    matches!(role_of_argument(name.as_bytes()), ArgumentRole::Volatile | ArgumentRole::Explanation)
}

/// Returns whether a field of a reply changes by itself: fresh ids, times, durations, counters of calls.
pub(super) fn is_volatile_field(name: &str) -> bool {
    let mut last = "";
    for word in words_of(name) {
        if VOLATILE_WORDS.iter().any(|known| known.eq_ignore_ascii_case(word)) {
            return true;
        }
        last = word;
    }
    VOLATILE_ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_move_by_themselves_are_volatile() {
        for name in [
            "id",
            "messageId",
            "message_id",
            "elapsed_seconds",
            "idle_for_seconds",
            "createdAt",
            "ts",
            "runID",
        ] {
            assert!(is_volatile_field(name), "{name}");
        }
        for name in
            ["total", "page", "offset", "bytes", "percent", "passed", "failed", "state", "items", "idea"]
        {
            assert!(!is_volatile_field(name), "{name}");
        }
    }

    #[test]
    fn arguments_have_roles() {
        for (name, role) in [
            ("request_id", ArgumentRole::Volatile),
            ("idempotencyKey", ArgumentRole::Volatile),
            ("explanation", ArgumentRole::Explanation),
            ("description", ArgumentRole::CommandLabel),
            ("command", ArgumentRole::Command),
            ("path", ArgumentRole::Content),
            ("session_id", ArgumentRole::Content),
            ("", ArgumentRole::Content),
        ] {
            assert_eq!(role_of_argument(name.as_bytes()), role, "{name}");
        }
    }
}
