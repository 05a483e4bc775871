//! The agent received a prompt.

use loopbreak::event::SafetyGuard;
use loopbreak::step::{HarnessEvent, StepText};
use loopbreak::verdict::RunStop;
use loopbreak::{DetectorName, Step, Verdict};
use loopbreak_store::{RunEvent, StepEvent};

use super::turn_end::stop_of_held_turn;
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
    let prompt = event.prompt.as_deref().unwrap_or_default();
    let author = match event.prompt_author() {
        PromptAuthor::Human
            if request.agent.retries_with_prompts()
                && run.state.hook.events.is_retry(prompt, request.now) =>
        {
            PromptAuthor::Harness(HarnessEvent::Continuation)
        }
        author => author,
    };
    let record = StepEvent::from_hook(Some(event.name()));
    match author {
        PromptAuthor::Human => {
            run.state.hook.reset();
            let verdict = run.observe(&Step { user: Some(StepText::from(prompt)), ..request.step(None) });
            // A prompt is the first event of a session, so it is told here that a budget is used up. Another prompt continues it.
            let response = response_about_cost(&verdict);
            let summary = response.summarize(&verdict);
            run.record(RunEvent::User(record.with_user(prompt).with_verdict(summary)));
            response
        }
        PromptAuthor::Harness(harness) => {
            let verdict = run.observe(&Step { harness: Some(harness), ..request.step(None) });
            let held = request.agent.retries_with_prompts().then(|| stop_of_held_turn([&verdict])).flatten();
            let response = run.stop_due().or(held).unwrap_or_else(|| HookResponse::from(&verdict));
            run.record(RunEvent::Step(record.with_verdict(response.summarize(&verdict))));
            response
        }
        // For some agents, this is the only event at which they stop.
        PromptAuthor::Nobody => run.stop_due().unwrap_or(HookResponse::Nothing),
    }
}

/// Returns the response to findings about budgets of money. Everything else is about the agent, which the user has just answered.
fn response_about_cost(verdict: &Verdict) -> HookResponse {
    let is_about_cost =
        |pattern| SafetyGuard::of_finding(DetectorName::Budget, pattern) == SafetyGuard::MaxCost;
    let mut about_cost = verdict.clone();
    about_cost.decisions.retain(|decision| {
        decision.detector == DetectorName::Budget && is_about_cost(decision.pattern) && decision.enforced
    });
    if about_cost.decisions.is_empty() {
        return HookResponse::Nothing;
    }
    let end = about_cost.decisions.iter().find(|decision| decision.intervention.ends_run());
    about_cost.stop =
        end.map(|end| RunStop { reason: end.pattern, detector: end.detector, ending: RunStop::ENDING });
    about_cost.advice.retain(|advice| advice.detector == DetectorName::Budget);
    HookResponse::from(&about_cost)
}
