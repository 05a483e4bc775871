//! Everything the detectors of repetition know of a step.

use super::{
    ActionKind, ActionShape, ActionTable, CallNumbers, EditChange, NormalizedCall, OutcomeOpening, gist_key,
    outcome_key, tool_name,
};
use crate::memory::{Key, key_of, key_of_parts};
use crate::step::{Outcome, Step};
use crate::text::scan::trimmed;

/// The fingerprints of a step that has an action.
#[derive(Clone, Debug)]
pub(crate) struct Fingerprints<'a> {
    pub(crate) kind: ActionKind,
    /// The tool, whatever its arguments.
    pub(crate) tool: Key,
    /// The action, however it was written down.
    pub(crate) call: Key,
    /// The numbers among its arguments.
    pub(crate) numbers: CallNumbers,
    /// What an action that was logged without an outcome looks like, whatever the ids in it.
    pub(crate) shape: Option<ActionShape>,
    /// The outcome, volatile parts masked; for a failure, how it begins.
    pub(crate) outcome: Option<Key>,
    pub(crate) failed: bool,
    /// What an edit replaces, and where.
    pub(crate) change: Option<EditChange<'a>>,
    /// An edit that changes nothing, by its arguments or by its own words.
    pub(crate) idle: bool,
    /// It changed something that no earlier step had changed in the same way.
    pub(crate) effect: bool,
    /// Action and outcome, and for what is run the state of the world it was run in: after a change, the same call is
    /// another experiment.
    pub(crate) pair: Key,
}

impl<'a> Fingerprints<'a> {
    /// Fingerprints a step. `epoch` counts the changes so far; `is_new_edit` says whether an edit was never made before.
    pub(crate) fn from_step(
        step: &'a Step<'_>,
        table: &ActionTable,
        epoch: u64,
        is_new_edit: impl FnOnce(Key) -> bool,
    ) -> Option<Self> {
        let action = step.action.as_ref()?;
        let kind = table.kind(action);
        let call = NormalizedCall::from_action(action);
        let text = step.outcome.as_ref().and_then(|outcome| outcome.text.as_deref()).map(trimmed);
        let opening = text.map(OutcomeOpening::new);
        let failed = step.outcome.as_ref().is_some_and(|outcome| outcome.error)
            || opening.as_ref().is_some_and(|opening| {
                opening.fails() || kind == ActionKind::Edit && opening.denies() && !table.runs(action)
            });
        let outcome = text.map(|text| if failed { gist_key(text) } else { outcome_key(text) });
        let change = (kind == ActionKind::Edit).then(|| EditChange::from_action(action));
        let idle = change.as_ref().is_some_and(|change| change.is_none(opening.as_ref()));
        let effect = kind == ActionKind::Edit && !idle && !failed && !step.refused && is_new_edit(call.key);
        // What is only looked at shows by its outcome whether anything changed.
        let world =
            if matches!(kind, ActionKind::Edit | ActionKind::Read | ActionKind::Search) { 0 } else { epoch };
        Some(Fingerprints {
            kind,
            tool: key_of(tool_name(action)),
            call: call.key,
            numbers: call.args.numbers,
            shape: text.is_none().then(|| ActionShape::from_action(action)),
            outcome,
            failed,
            change,
            idle,
            effect,
            pair: key_of_parts(&[call.key, outcome.unwrap_or(1), world]),
        })
    }
}

/// Whether an outcome is a failure: marked as one, or beginning like one.
pub(crate) fn failed(outcome: &Outcome<'_>) -> bool {
    outcome.error || outcome.text.as_deref().is_some_and(|text| OutcomeOpening::new(text).fails())
}
