//! Everything the detectors of repetition know of a step.

use super::{ActionSettings, Kind, call_key, gist_key, outcome_key};
use crate::memory::{Key, key_of, key_of_parts};
use crate::step::{Outcome, Step};

/// The fingerprints of a step that has an action.
#[derive(Clone, Debug)]
pub(crate) struct Prints {
    pub(crate) kind: Kind,
    /// The tool, whatever its arguments.
    pub(crate) tool: Key,
    /// The action, however it was written down.
    pub(crate) call: Key,
    /// The outcome, volatile parts masked; for a failure, how it begins.
    pub(crate) outcome: Option<Key>,
    pub(crate) failed: bool,
    /// It changed something that no earlier step had changed in the same way.
    pub(crate) effect: bool,
    /// Action and outcome, and for what is run the state of the world it was run in: after a change, the same call is
    /// another experiment.
    pub(crate) pair: Key,
}

/// How much of an outcome is looked at to see whether it is a failure.
const HEAD: usize = 160;

/// Words by which a failure shows where the log does not mark it, in lower case.
const FAILURES: [&str; 14] = [
    "error:",
    "error ",
    "errno",
    "exception",
    "traceback",
    "fatal:",
    "no such file",
    "not found",
    "permission denied",
    "failed to",
    "could not",
    "cannot ",
    "no replacement",
    "unable to",
];

impl Prints {
    /// Fingerprints a step. `epoch` counts the changes so far; `is_new_edit` says whether an edit was never made before.
    pub(crate) fn of(
        step: &Step<'_>,
        table: &ActionSettings,
        epoch: u64,
        is_new_edit: impl FnOnce(Key) -> bool,
    ) -> Option<Self> {
        let action = step.action.as_ref()?;
        let kind = table.kind(action);
        let call = call_key(action);
        let text = step.outcome.as_ref().and_then(|outcome| outcome.text.as_deref()).map(str::trim);
        let failed = step.outcome.as_ref().is_some_and(failed);
        let outcome = text.map(|text| if failed { gist_key(text) } else { outcome_key(text) });
        let effect = kind == Kind::Edit && !failed && !step.refused && is_new_edit(call);
        // What is only looked at shows by its outcome whether anything changed.
        let world = if matches!(kind, Kind::Edit | Kind::Read | Kind::Search) { 0 } else { epoch };
        Some(Prints {
            kind,
            tool: key_of(&action.name),
            call,
            outcome,
            failed,
            effect,
            pair: key_of_parts(&[call, outcome.unwrap_or(1), world]),
        })
    }
}

/// Whether an outcome is a failure: marked as one, or beginning like one.
pub(crate) fn failed(outcome: &Outcome<'_>) -> bool {
    if outcome.error {
        return true;
    }
    let Some(text) = outcome.text.as_deref() else { return false };
    let head = crate::text::clip::clip(text.trim_start(), HEAD).as_bytes();
    let mut lower = [0_u8; HEAD];
    lower[..head.len()].copy_from_slice(head);
    lower.make_ascii_lowercase();
    let lower = std::str::from_utf8(&lower[..head.len()]).unwrap_or_default();
    FAILURES.iter().any(|word| lower.contains(word))
}
