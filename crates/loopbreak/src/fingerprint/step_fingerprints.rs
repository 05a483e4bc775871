//! The fingerprints of a step, for the detectors of repetition.

use super::{
    ActionKind, ActionShape, ActionTable, CallNumbers, EditChange, NormalizedCall, OutcomeOpening, gist_key,
    outcome_key, tool_name,
};
use crate::memory::{HashKey, key_of, key_of_parts};
use crate::step::{Outcome, Step};
use crate::text::scan::trimmed;

/// The fingerprints of a step that has an action.
#[derive(Clone, Debug)]
pub(crate) struct StepFingerprints<'a> {
    pub(crate) kind: ActionKind,
    /// Key of the tool without its arguments.
    pub(crate) tool: HashKey,
    /// Key of the normalized action.
    pub(crate) call: HashKey,
    /// Numbers among its arguments.
    pub(crate) numbers: CallNumbers,
    /// Shape of an action that was logged without an outcome, without ids.
    pub(crate) shape: Option<ActionShape>,
    /// Key of the outcome with volatile parts masked. For a failure, key of its beginning.
    pub(crate) outcome: Option<HashKey>,
    pub(crate) failed: bool,
    /// Content of an edit.
    pub(crate) change: Option<EditChange<'a>>,
    /// True for an edit that changes nothing, by its arguments or its reply.
    pub(crate) idle: bool,
    /// True if the step made a change that no earlier step made.
    pub(crate) effect: bool,
    /// Key of action and outcome. For a command that is run it includes the number of changes so far: after a change,
    /// the same call is a new experiment.
    pub(crate) pair: HashKey,
}

impl<'a> StepFingerprints<'a> {
    /// Fingerprints a step. `epoch` counts the changes so far; `is_new_edit` returns whether an edit is new.
    pub(crate) fn from_step(
        step: &'a Step<'_>,
        table: &ActionTable,
        epoch: u64,
        is_new_edit: impl FnOnce(HashKey) -> bool,
    ) -> Option<Self> {
        let action = step.action.as_ref()?;
        let kind = table.kind(action);
        let call = NormalizedCall::from_action(action);
        let text = step.outcome.as_ref().and_then(|outcome| outcome.text.as_deref()).map(trimmed);
        let opening = text.map(OutcomeOpening::new);
        let failed = step.outcome.as_ref().is_some_and(Outcome::is_error)
            || opening.as_ref().is_some_and(|opening| {
                opening.fails() || kind == ActionKind::Edit && opening.denies() && !table.runs(action)
            });
        let outcome = text.map(|text| if failed { gist_key(text) } else { outcome_key(text) });
        let change = (kind == ActionKind::Edit).then(|| EditChange::from_action(action));
        let idle = change.as_ref().is_some_and(|change| change.is_none(opening.as_ref()));
        let effect = kind == ActionKind::Edit && !idle && !failed && !step.refused && is_new_edit(call.key);
        // The outcome of a read shows whether anything changed.
        let world =
            if matches!(kind, ActionKind::Edit | ActionKind::Read | ActionKind::Search) { 0 } else { epoch };
        Some(StepFingerprints {
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
            pair: key_of_parts(&[call.key, outcome.unwrap_or(HashKey(1)), HashKey(world)]),
        })
    }
}

/// Returns whether an outcome is a failure: marked as one, or beginning like one.
pub(crate) fn failed(outcome: &Outcome<'_>) -> bool {
    outcome.is_error() || outcome.text.as_deref().is_some_and(|text| OutcomeOpening::new(text).fails())
}
