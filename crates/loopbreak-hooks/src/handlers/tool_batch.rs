//! All calls of a message have their results.

use serde_json::value::RawValue;

use crate::hook_response::HookResponse;
use crate::hook_transaction::HookTransaction;
use crate::transcript::UnreportedCall;

/// Shows the guard the calls that the agent rejected by itself, which no other event reports. Ends the session if that
/// is due.
pub(crate) fn tool_batch(run: &mut HookTransaction<'_>) -> HookResponse {
    if run.state.hook.events.end_message() {
        run.keep();
    }
    let mut response = HookResponse::Nothing;
    for call in &run.request.event.tool_calls {
        let id = call.tool_use_id.as_deref().unwrap_or_default();
        let result: Option<String> =
            call.tool_response.and_then(|result| serde_json::from_str(RawValue::get(result)).ok());
        let reason = result.as_deref().and_then(loopbreak_trace::rejection_reason);
        let (Some(action), Some(reason)) = (call.action(), reason) else { continue };
        if id.is_empty() || run.state.hook.has_call(id) {
            continue;
        }
        let (id, reason) = (id.to_owned(), reason.to_owned());
        let rejected = UnreportedCall { id, action: action.into_owned(), reason };
        response = run.observe_rejected_call(&rejected).after(response);
    }
    run.stop_due().unwrap_or(response)
}
