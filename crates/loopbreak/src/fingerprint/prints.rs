//! Everything the detectors of repetition know of a step.

use super::{ActionTable, Call, Kind, Numbers, Shape, changes_nothing, gist_key, outcome_key, tool_name};
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
    /// The numbers among its arguments.
    pub(crate) numbers: Numbers,
    /// What an action that was logged without an outcome looks like, whatever the ids in it.
    pub(crate) shape: Option<Shape>,
    /// The outcome, volatile parts masked; for a failure, how it begins.
    pub(crate) outcome: Option<Key>,
    pub(crate) failed: bool,
    /// An edit that changes nothing, by its arguments or by its own words.
    pub(crate) idle: bool,
    /// It changed something that no earlier step had changed in the same way.
    pub(crate) effect: bool,
    /// Action and outcome, and for what is run the state of the world it was run in: after a change, the same call is
    /// another experiment.
    pub(crate) pair: Key,
}

/// How much of an outcome is looked at to see whether it is a failure.
const HEAD: usize = 160;

/// Beginnings of words by which a failure shows where the log does not mark it, by their first letter.
fn beginnings(letter: u8) -> &'static [&'static str] {
    match letter {
        b'c' => &["could not", "cannot "],
        b'e' => &["errno"],
        b'f' => &["fatal:", "failed to"],
        b'n' => &["no such file", "not found", "no replacement"],
        b'p' => &["permission denied"],
        b't' => &["traceback"],
        b'u' => &["unable to"],
        _ => &[],
    }
}

/// Ends of words by which a failure shows: `TypeError: …`, `Error - …`.
const FAILING: [&str; 3] = ["error", "exception", "failure"];

impl Prints {
    /// Fingerprints a step. `epoch` counts the changes so far; `is_new_edit` says whether an edit was never made before.
    pub(crate) fn of(
        step: &Step<'_>,
        table: &ActionTable,
        epoch: u64,
        is_new_edit: impl FnOnce(Key) -> bool,
    ) -> Option<Self> {
        let action = step.action.as_ref()?;
        let kind = table.kind(action);
        let call = Call::of(action);
        let text = step.outcome.as_ref().and_then(|outcome| outcome.text.as_deref()).map(str::trim);
        let failed = step.outcome.as_ref().is_some_and(failed)
            || kind == Kind::Edit && text.is_some_and(is_denied) && !table.runs(action);
        let outcome = text.map(|text| if failed { gist_key(text) } else { outcome_key(text) });
        let idle = kind == Kind::Edit && changes_nothing(action, text);
        let effect = kind == Kind::Edit && !idle && !failed && !step.refused && is_new_edit(call.key);
        // What is only looked at shows by its outcome whether anything changed.
        let world = if matches!(kind, Kind::Edit | Kind::Read | Kind::Search) { 0 } else { epoch };
        Some(Prints {
            kind,
            tool: key_of(tool_name(action)),
            call: call.key,
            numbers: call.args.numbers,
            shape: text.is_none().then(|| Shape::of(action)),
            outcome,
            failed,
            idle,
            effect,
            pair: key_of_parts(&[call.key, outcome.unwrap_or(1), world]),
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
    let mut start = 0;
    for (at, byte) in head.iter().enumerate() {
        if WORD[*byte as usize] {
            continue;
        }
        if at > start && shows_failure(head, start, at) {
            return true;
        }
        start = at + 1;
    }
    start < head.len() && shows_failure(head, start, head.len())
}

/// Whether the reply to an edit says that nothing came of it. Only its first sentence counts: what follows can be the
/// edited text.
fn is_denied(text: &str) -> bool {
    let head = crate::text::clip::clip(text.trim_start(), HEAD);
    let sentence = head.find(". ").map_or(head, |end| &head[..end]);
    let denied = if sentence.is_ascii() {
        // Nearly always: to decode characters costs more than all the rest.
        sentence.as_bytes().split(|byte| !WORD[*byte as usize] && *byte != b'\'').find_map(denies)
    } else {
        sentence.split(|c: char| !c.is_alphanumeric() && c != '\'').map(str::as_bytes).find_map(denies)
    };
    denied.unwrap_or_default()
}

/// Whether a word of a reply denies that the edit was done, where it says anything about that.
fn denies(word: &[u8]) -> Option<bool> {
    let is = |list: &[&str]| list.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()));
    // Shorter ones say nothing.
    if word.len() < 2 {
        None
    } else if is(&DENYING) || word.len() > 3 && word.ends_with(b"n't") {
        Some(true)
    } else if is(&GRANTING) || word.get(..7).is_some_and(|start| start.eq_ignore_ascii_case(b"success")) {
        Some(false)
    } else {
        None
    }
}

/// Words by which a reply to an edit says that nothing came of it, and that it was done.
const DENYING: [&str; 7] = ["not", "no", "nothing", "cannot", "invalid", "unchanged", "rejected"];
const GRANTING: [&str; 6] = ["updated", "edited", "created", "written", "applied", "saved"];

/// Whether a byte is part of a word. A table, for this is asked of every byte of every outcome.
const WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    table
};

/// Whether the word from `start` to `end` shows a failure by how it goes on, or by how it ends.
fn shows_failure(head: &[u8], start: usize, end: usize) -> bool {
    let goes_on = |word: &str| {
        head[start..].get(..word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes()))
    };
    if beginnings(head[start] | 0x20).iter().any(|word| goes_on(word)) {
        return true;
    }
    let word = &head[start..end];
    matches!(head.get(end), Some(b':' | b' '))
        && matches!(word[word.len() - 1] | 0x20, b'r' | b'n' | b'e')
        && FAILING.iter().any(|ending| {
            word.len() >= ending.len()
                && word[word.len() - ending.len()..].eq_ignore_ascii_case(ending.as_bytes())
        })
}
