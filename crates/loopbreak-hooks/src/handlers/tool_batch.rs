//! All calls of a message have their results.

use crate::hook_response::HookResponse;
use crate::hook_transaction::HookTransaction;
use crate::part_reader::UnreportedCall;

/// Shows the guard the calls that the agent rejected by itself, which no other event reports. Ends the session if that
/// is due.
pub(crate) fn tool_batch(run: &mut HookTransaction<'_>) -> HookResponse {
    let mut response = HookResponse::Nothing;
    for call in &run.request.event.tool_calls {
        let id = call.id();
        if id.is_empty() || run.state.hook.has_call(id) {
            continue;
        }
        let Some((action, reason)) = call.action().zip(call.rejection()) else { continue };
        let rejected = UnreportedCall { id: id.to_owned(), action: action.into_owned(), reason };
        response = run.observe_rejected_call(&rejected).after(response);
    }
    if run.state.hook.events.end_message() {
        run.keep();
    }
    run.stop_due().unwrap_or(response)
}
