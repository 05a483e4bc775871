//! The agent has compacted its conversation.

use loopbreak::Step;
use loopbreak::step::HarnessEvent;
use loopbreak_store::{RunEvent, StepEvent};

use crate::hook_response::HookResponse;
use crate::hook_transaction::HookTransaction;

/// Shows the compaction to the guard: an agent may do again what it no longer remembers. Agents take no advice here.
pub(crate) fn compaction(run: &mut HookTransaction<'_>) -> HookResponse {
    let request = run.request;
    if run.state.hook.events.compacted_at == Some(run.guard.turn()) {
        // The hooks are installed twice.
        return HookResponse::Nothing;
    }
    let verdict = run.observe(&Step { harness: Some(HarnessEvent::Compaction), ..request.step(None) });
    run.state.hook.events.compacted_at = Some(verdict.turn);
    let record = StepEvent::from_hook(Some(request.event.name()));
    run.record(RunEvent::Step(record.with_verdict((&verdict).into())));
    HookResponse::Nothing
}
