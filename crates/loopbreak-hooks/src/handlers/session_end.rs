//! A subagent has finished, or the session is over.

use loopbreak_store::{RunEndEvent, RunEvent};

use crate::hook_response::HookResponse;
use crate::hook_transaction::HookTransaction;

/// Records the end of the run.
pub(crate) fn session_end(run: &mut HookTransaction<'_>) -> HookResponse {
    let event = Some(run.request.event.name().to_owned());
    run.record(RunEvent::End(RunEndEvent { event, ..RunEndEvent::default() }));
    HookResponse::Nothing
}
