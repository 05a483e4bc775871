//! The agent received a prompt.

use loopbreak::{Step, step::StepText};
use loopbreak_store::{RunEvent, StepEvent};

use crate::hook_response::HookResponse;
use crate::hook_transaction::HookTransaction;

/// Shows a message of the user to the guard: it unblocks refused calls. A prompt that the agent gave itself is ignored.
pub(crate) fn user_prompt(run: &mut HookTransaction<'_>) -> HookResponse {
    let request = run.request;
    let event = request.event;
    if !event.is_from_human() {
        return HookResponse::Nothing;
    }
    run.state.hook.reset();
    let prompt = event.prompt.as_deref().unwrap_or_default();
    let verdict = run.observe(&Step { user: Some(StepText::from(prompt)), ..request.step(None) });
    let record = StepEvent::from_hook(Some(event.name())).with_user(prompt);
    run.record(RunEvent::User(record.with_verdict((&verdict).into())));
    HookResponse::Nothing
}
