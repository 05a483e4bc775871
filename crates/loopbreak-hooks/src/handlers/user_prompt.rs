//! The agent received a prompt.

use loopbreak::Step;
use loopbreak::step::{HarnessEvent, StepText};
use loopbreak_store::{RunEvent, StepEvent};

use crate::hook_event::PromptAuthor;
use crate::hook_response::HookResponse;
use crate::hook_transaction::HookTransaction;

/// Shows a message of the user to the guard: it unblocks refused calls. A prompt that the agent gave itself unblocks
/// nothing.
pub(crate) fn user_prompt(run: &mut HookTransaction<'_>) -> HookResponse {
    let request = run.request;
    let event = request.event;
    if run.state.hook.events.is_known_prompt(&event.prompt_id()) {
        run.keep();
        return HookResponse::Nothing;
    }
    let author = match event.prompt_author() {
        PromptAuthor::Human
            if request.agent.retries_with_prompts()
                && run.state.hook.events.is_too_fast_for_a_human(request.now) =>
        {
            PromptAuthor::Harness(HarnessEvent::Continuation)
        }
        author => author,
    };
    let prompt = event.prompt.as_deref().unwrap_or_default();
    let record = StepEvent::from_hook(Some(event.name()));
    match author {
        PromptAuthor::Human => {
            run.state.hook.reset();
            let verdict = run.observe(&Step { user: Some(StepText::from(prompt)), ..request.step(None) });
            run.record(RunEvent::User(record.with_user(prompt).with_verdict((&verdict).into())));
            HookResponse::Nothing
        }
        PromptAuthor::Harness(harness) => {
            let verdict = run.observe(&Step { harness: Some(harness), ..request.step(None) });
            let response = run.stop_due().unwrap_or_else(|| HookResponse::from(&verdict));
            run.record(RunEvent::Step(record.with_verdict(response.summarize(&verdict))));
            response
        }
        // For some agents, this is the only event at which they stop.
        PromptAuthor::Nobody => run.stop_due().unwrap_or(HookResponse::Nothing),
    }
}
