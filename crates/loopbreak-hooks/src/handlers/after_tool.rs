//! After a tool call, successful or not.

use loopbreak::Step;
use loopbreak::step::Label;
use loopbreak_store::{RunEvent, StepEvent};

use crate::hook_response::HookResponse;
use crate::hook_transaction::HookTransaction;

/// Shows the call and its outcome to the guard, and passes its advice on.
pub(crate) fn after_tool(run: &mut HookTransaction<'_>) -> HookResponse {
    let request = run.request;
    let event = request.event;
    let Some(action) = event.action() else { return HookResponse::Nothing };
    let call = event.call_id();
    if run.state.hook.has_taken(&call) {
        // The hooks are installed twice: the first one has taken the event.
        run.state.hook.events.note_double();
        run.keep();
        return HookResponse::Nothing;
    }
    run.state.hook.add_call(&call);
    run.state.hook.events.end_pending(&call);
    run.state.hook.events.rejected_repeats = 0;
    let batch = run.state.hook.events.end_call().map(|message| Label::Number(message.cast_signed()));
    if run.state.hook.take_question(&call) {
        // A human was asked about the call. It was made, so the answer was yes.
        run.state.hook.reset();
        run.show(&Step { user: Some("allowed the call".into()), ..request.step(None) });
    }
    let outcome = request.outcome();
    let record = StepEvent::from_hook(Some(event.name())).with_action(&action).with_outcome(&outcome);
    let interrupted = event.is_interrupt == Some(true);
    let verdict = run.observe(&Step {
        outcome: Some(outcome),
        user: interrupted.then(|| "interrupted the call".into()),
        batch,
        ..request.step(Some(action))
    });
    let response = HookResponse::from(&verdict);
    run.record(RunEvent::Step(record.with_verdict(response.summarize(&verdict))));
    response
}
