//! The fingerprints of a step, for the detectors of repetition.

use super::{
    ActionClass, ActionKind, ActionShape, CallNumbers, EditChange, NormalizedCall, OutcomeOpening,
    VocabularyTables, gist_key, outcome_key_without,
};
use crate::facts::{ActionResult, JudgedOutcome, ResultReason, is_marked};
use crate::memory::{HashKey, key_of_parts};
use crate::step::{Action, Outcome, Step};
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
    /// The sign that decided whether it failed, if it has an outcome.
    pub(crate) reason: Option<ResultReason>,
    /// True if a service that the agent has no influence on was not available.
    pub(crate) unavailable: bool,
    /// True if every call has a side effect outside, such as a sent message.
    pub(crate) mutates: bool,
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
    /// Fingerprints a step, whose action is in its canonical form. `epoch` counts the changes so far; `marked` says
    /// that the log marks failures; `is_new_edit` returns whether an edit is new, `was_made` whether a call was made
    /// recently.
    pub(crate) fn from_step(
        step: &'a Step<'_>,
        action: &'a Action<'_>,
        tables: &VocabularyTables,
        epoch: u64,
        marked: bool,
        is_new_edit: impl FnOnce(HashKey) -> bool,
        was_made: impl FnOnce(HashKey) -> bool,
    ) -> Self {
        let (table, volatile) = (&tables.actions, tables.volatile_names(action));
        let ActionClass { kind, runs, mutates } = tables.classify(action);
        let call = NormalizedCall::from_action(action, volatile);
        let text = step.outcome.as_ref().and_then(|outcome| outcome.text.as_deref()).map(trimmed);
        // The words of a reply matter if the log marks no failures, and to edits, whose reply may say that nothing changed.
        let marked = marked || step.outcome.as_ref().is_some_and(is_marked);
        let opening = text.filter(|_| !marked || kind == ActionKind::Edit).map(OutcomeOpening::new);
        let judged = step.outcome.as_ref().map(|outcome| {
            JudgedOutcome { outcome, action, kind, opening: opening.as_ref(), marked }.result(table)
        });
        let (result, reason) = judged.unzip();
        let result = result.unwrap_or(ActionResult::Success);
        let failed = result == ActionResult::Failure;
        let unavailable = result == ActionResult::Unavailable;
        // The reply shows whether a job is not done. That matters only if the call is made again.
        let reply = text.filter(|_| !mutates && was_made(call.key));
        let waits = unavailable || table.waits(action, kind, runs, reply);
        let kind = if waits { ActionKind::Wait } else { kind };
        let outcome = text.map(|text| {
            if result == ActionResult::Success { outcome_key_without(text, volatile) } else { gist_key(text) }
        });
        let change = (kind == ActionKind::Edit).then(|| EditChange::from_action(action));
        let idle = change.as_ref().is_some_and(|change| change.is_none(opening.as_ref()));
        let effect = kind == ActionKind::Edit
            && !idle
            && result == ActionResult::Success
            && !step.refused
            && step.outcome.as_ref().is_none_or(|outcome| outcome.denied.is_none())
            && is_new_edit(call.key);
        // The outcome of a read shows whether anything changed.
        let world =
            if matches!(kind, ActionKind::Edit | ActionKind::Read | ActionKind::Search) { 0 } else { epoch };
        StepFingerprints {
            kind,
            tool: call.tool,
            call: call.key,
            numbers: call.args.numbers,
            shape: text.is_none().then(|| ActionShape::from_action(action)),
            outcome,
            failed,
            reason,
            unavailable,
            mutates,
            change,
            idle,
            effect,
            pair: key_of_parts(&[call.key, outcome.unwrap_or(HashKey(1)), HashKey(world)]),
        }
    }
}

/// Returns whether an outcome is a failure: marked as one, or, if it is not marked at all, beginning like one.
pub(crate) fn failed(outcome: &Outcome<'_>) -> bool {
    if is_marked(outcome) {
        return outcome.is_error() || outcome.exit.is_some_and(|exit| exit != 0);
    }
    outcome.text.as_deref().is_some_and(|text| OutcomeOpening::new(text).fails())
}
