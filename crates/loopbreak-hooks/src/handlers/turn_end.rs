//! The agent ends its turn: too early, or again and again because another hook keeps it from stopping.

use loopbreak::step::HarnessEvent;
use loopbreak::text::quoted;
use loopbreak::{Mode, Step, Verdict};
use loopbreak_store::{RunEvent, TurnEndEvent, VerdictSummary, redact_and_truncate};

use crate::hook_response::HookResponse;
use crate::hook_transaction::HookTransaction;

/// Beginnings of sentences with which agents announce their next call.
const ANNOUNCEMENTS: [&str; 12] = [
    "let me ",
    "let's ",
    "i'll ",
    "i will ",
    "i am going to ",
    "i'm going to ",
    "now i ",
    "now let me ",
    "now let's ",
    "next, i ",
    "next i ",
    "first, i ",
];

/// Shows the last message to the guard. Stops an agent that cannot end its turn, and nudges one that ends it after
/// announcing a call.
pub(crate) fn turn_end(run: &mut HookTransaction<'_>) -> HookResponse {
    let event = run.request.event;
    let (message, held) = (event.last_message(), event.stop_hook_active == Some(true));
    if run.state.hook.events.is_known_turn_end(message, held, run.request.now) {
        run.keep();
        return HookResponse::Nothing;
    }
    let message = if event.message_grows() { run.state.hook.events.new_part(message) } else { message };
    let mut verdicts = Vec::new();
    if held && run.request.agent.retries_with_prompts() {
        run.state.hook.events.note_retry();
    } else if held {
        // A hook has sent the agent on. No other event reports that.
        let step = Step { harness: Some(HarnessEvent::Continuation), ..run.request.step(None) };
        verdicts.push(run.observe(&step));
    }
    if !message.is_empty() {
        verdicts.push(run.observe(&Step { say: Some(message.into()), ..run.request.step(None) }));
    }
    let response = respond(run, &verdicts, message, held);
    let mut summary = response.summarize(&Verdict { turn: run.guard.turn(), ..Verdict::default() });
    summary.findings = verdicts.iter().flat_map(|verdict| VerdictSummary::from(verdict).findings).collect();
    run.record(RunEvent::Stop(TurnEndEvent {
        event: Some(event.name().to_owned()),
        held,
        said: (!message.is_empty()).then(|| redact_and_truncate(message)),
        verdict: summary,
    }));
    response
}

fn respond(run: &mut HookTransaction<'_>, verdicts: &[Verdict], message: &str, held: bool) -> HookResponse {
    if let Some(stop) = run.stop_due() {
        return stop;
    }
    if let Some(stop) = held.then(|| stop_of_held_turn(verdicts)).flatten() {
        return stop;
    }
    let responses = verdicts.iter().map(HookResponse::from);
    match responses.fold(HookResponse::Nothing, |earlier, response| response.after(earlier)) {
        stop @ HookResponse::Stop(_) => return stop,
        // Advice to the agent would make it continue, so the user gets it.
        HookResponse::Advise { agent, user } => {
            return HookResponse::Advise { agent: None, user: user.or(agent) };
        }
        _ => {}
    }
    match announcement(message).filter(|_| !held && may_nudge(run)) {
        Some(announced) => {
            run.state.hook.nudged = true;
            HookResponse::Continue(format!(
                "Loop guard: the turn ended with the announcement {}, but no call followed.",
                quoted(announced)
            ))
        }
        None => HookResponse::Nothing,
    }
}

/// Returns the end of the session if another hook keeps the agent from ending its turn and the guard objects. The other hook will
/// not change its mind, so only a stop ends the loop.
pub(super) fn stop_of_held_turn<'v>(verdicts: impl IntoIterator<Item = &'v Verdict>) -> Option<HookResponse> {
    let mut decisions = verdicts.into_iter().flat_map(|verdict| &verdict.decisions);
    let decision = decisions.find(|decision| decision.enforced && decision.intervention.ends_run())?;
    Some(HookResponse::Stop(format!(
        "Loop guard: the agent wants to stop, another hook prevents it, and nothing new happens: {}",
        decision.reason
    )))
}

/// Returns whether the agent may be kept from ending its turn: once per message of the user, and not while it waits for
/// background tasks.
fn may_nudge(run: &HookTransaction<'_>) -> bool {
    let config = run.guard.applied_config(run.guard.config());
    let acts = config.mode == Mode::Enforce && config.policy.ladder.hint;
    acts && !run.state.hook.nudged && !run.request.event.has_background_tasks()
}

/// Returns the last sentence of a message if it announces a call and breaks off: it starts with what the agent is about
/// to do, and ends with a colon or an ellipsis.
fn announcement(message: &str) -> Option<&str> {
    let last = message.trim_end().lines().next_back()?.trim();
    let breaks_off = last.ends_with([':', '…']) || last.ends_with("...");
    let sentence = last.rsplit_once(". ").map_or(last, |(_, sentence)| sentence);
    let announces = |text: &str| {
        let text = text.trim_start().to_lowercase().replace('\u{2019}', "'");
        ANNOUNCEMENTS.iter().any(|start| text.starts_with(start))
    };
    (breaks_off && announces(sentence)).then_some(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_message_that_breaks_off_before_a_call_is_an_announcement() {
        for (message, expected) in [
            ("Let me run the tests:", true),
            ("The parser is wrong.\n\nNow I'll fix it. Let me look at the file:", true),
            ("I\u{2019}ll check the log…", true),
            ("I will write the file now...", true),
            ("All tests pass.", false),
            ("Let me know if you want more.", false),
            ("Here is what I found:\n- one\n- two", false),
            ("The steps are as follows:", false),
            ("Should I continue?", false),
            ("", false),
        ] {
            assert_eq!(announcement(message).is_some(), expected, "{message}");
        }
    }
}
