//! Before a tool call: it is refused if it would only continue a loop.

use loopbreak::agent::{CallObjection, RefusalText};
use loopbreak::settings::{AllowRule, OnLoop};
use loopbreak::step::Label;
use loopbreak::{Action, Intervention, Mode, Proposal, Step, Verdict};
use loopbreak_client::ServerRuling;
use loopbreak_store::{RunEvent, StepEvent, StoredRecovery, redact_and_truncate};

use crate::guard_config;
use crate::hook_response::HookResponse;
use crate::hook_transaction::HookTransaction;
use crate::server_decision::server_stop;

#[cfg(test)]
mod tests;

/// Asks the guard about the call, and refuses it if the guard objects.
pub(crate) fn before_tool(run: &mut HookTransaction<'_>) -> HookResponse {
    let event = run.request.event;
    let Some(action) = event.action() else { return HookResponse::Nothing };
    let call = event.call_id();
    if let Some(decision) = run.state.hook.events.decision(&call) {
        // The hooks are installed twice: the answer is the same.
        return HookResponse::from(decision);
    }
    let response = match refuse_call(run, &action, &call) {
        HookResponse::Nothing => match refuse_change_of_guard(run, &action, &call) {
            HookResponse::Nothing => give_held_advice(run, &action, &call),
            response => response,
        },
        response => response,
    };
    if response == HookResponse::Nothing && run.request.agent.hides_failures_of(&action.name) {
        let args = action.args.as_ref().map_or("null", |args| args.json());
        run.state.hook.events.add_pending(&call, &action.name, args);
        run.keep();
    }
    response
}

/// Gives advice about the call in place of the call, if the agent could not take it with the last result. This happens once:
/// the same call is allowed the next time, until the guard objects to it.
fn give_held_advice(run: &mut HookTransaction<'_>, action: &Action<'_>, call: &str) -> HookResponse {
    if !run.state.hook.events.holds_advice() {
        return HookResponse::Nothing;
    }
    let (line, turn) = (redact_and_truncate(&action.line()), run.guard.turn());
    let Some(text) = run.state.hook.events.take_advice(&line, turn) else { return HookResponse::Nothing };
    let response = HookResponse::Deny(format!(
        "{text}\nThis text stands in place of the call, which was not made. The same call is allowed again."
    ));
    run.state.hook.add_advice(turn);
    record_refusal(run, action, call, &response, &Verdict { turn, ..Verdict::default() });
    response
}

/// Refuses a call that would change the configuration, the store or the hooks of the guard. Only the user may do that, or allow
/// the call. A guard that only observes refuses nothing.
fn refuse_change_of_guard(run: &mut HookTransaction<'_>, action: &Action<'_>, call: &str) -> HookResponse {
    let request = run.request;
    let is_enforced = request.settings.mode == Mode::Enforce && !run.guard.is_held_out();
    let Some(reason) = request.change_of_guard(action).filter(|_| is_enforced) else {
        return HookResponse::Nothing;
    };
    let mut rules = request.settings.allow.iter().chain(&run.state.hook.allowed);
    if rules.any(|rule| rule.covers(action)) {
        return HookResponse::Nothing;
    }
    let response = HookResponse::Deny(format!(
        "Loop guard: refused: {reason}. Only the user may change that, in an editor or with `loopbreak` in a terminal of their \
         own; `loopbreak allow last` there allows this call. Reading is allowed, and so are all other calls."
    ));
    let step = Step { refused: true, ..request.step(Some(action.clone())) };
    let verdict = run.show(&step);
    record_refusal(run, action, call, &response, &verdict);
    response
}

/// Records the answer to a call that is not made, so that a second installation gives the same one and the user can allow it.
fn record_refusal(
    run: &mut HookTransaction<'_>,
    action: &Action<'_>,
    call: &str,
    response: &HookResponse,
    verdict: &Verdict,
) {
    let record = decide(run, action, call, response);
    run.record(RunEvent::Refused(record.with_action(action).with_verdict(response.summarize(verdict))));
}

/// Keeps the answer to a call, and returns the event about it.
fn decide(
    run: &mut HookTransaction<'_>,
    action: &Action<'_>,
    call: &str,
    response: &HookResponse,
) -> StepEvent {
    run.state.hook.events.add_decision(call, response.name(), &response.text().unwrap_or_default());
    // A call that a human is asked about is not refused yet.
    let is_question = matches!(response, HookResponse::Ask(_));
    if is_question {
        run.state.hook.add_question(call);
    } else {
        run.state.hook.add_call(call);
    }
    StepEvent {
        rule: Some(AllowRule::of_call(action)),
        refused: !is_question,
        ..StepEvent::from_hook(Some(run.request.event.name()))
    }
}

/// Refuses a call if the session has to end or the guard objects to the call. Otherwise the response is empty.
fn refuse_call(run: &mut HookTransaction<'_>, action: &Action<'_>, call: &str) -> HookResponse {
    let request = run.request;
    let due = run.stop_due().or_else(|| stop_of_server(run));
    let Some(reason) = due.as_ref().and_then(HookResponse::text).or_else(|| objection(run, action)) else {
        return HookResponse::Nothing;
    };
    // Calls of one message are one decision: the agent could not have read the refusal of the first.
    let first = run.state.hook.events.add_refusal(request.now, request.transcript_length());
    let batch = Some(Label::Number(first));
    let step = Step { refused: true, batch, ..request.step(Some(action.clone())) };
    let verdict = run.show(&step);
    let refusals = if first == request.now { run.state.hook.add_refusal(&verdict) } else { 1 };
    let ends = verdict.stop.is_some();
    let response = due.unwrap_or_else(|| refuse(run, action, &reason, refusals, ends));
    let record = decide(run, action, call, &response);
    let intervention = match &response {
        HookResponse::Ask(_) => Intervention::Escalate,
        HookResponse::Stop(_) => Intervention::Stop,
        _ => Intervention::Reject,
    };
    run.records.recoveries.push(StoredRecovery {
        at: request.now,
        turn: verdict.turn,
        intervention: intervention.to_string(),
        loop_id: verdict.sighted.first().map(ToString::to_string).unwrap_or_default(),
        task: None,
        reason,
    });
    let is_asked = !record.refused;
    let record = record.with_action(action).with_verdict(response.summarize(&verdict));
    run.record(if is_asked { RunEvent::Asked(record) } else { RunEvent::Refused(record) });
    response
}

/// Returns the response to a call that the agent has rejected by itself, if the session has to end or the guard objects to the
/// call. It cannot be refused any more. The same objection in [`insist`](loopbreak::settings::PolicySettings::insist) calls in
/// a row ends the session.
pub(crate) fn refuse_rejected_call(
    run: &mut HookTransaction<'_>,
    action: &Action<'_>,
) -> Option<HookResponse> {
    if let Some(stop) = run.stop_due() {
        return Some(stop);
    }
    let Some(reason) = objection(run, action) else {
        run.state.hook.events.rejected_repeats = 0;
        return None;
    };
    run.state.hook.events.rejected_repeats += 1;
    let repeats = run.state.hook.events.rejected_repeats;
    let policy = &run.request.settings.policy;
    let ends = policy.insist > 0 && repeats >= policy.insist && policy.ladder.stop;
    Some(refuse(run, action, &reason, repeats, ends))
}

/// Returns why the call is to be refused, or `None` if it may be made. Only detectors that object to the call itself
/// can refuse it, and some of them only after a warning.
fn objection(run: &HookTransaction<'_>, action: &Action<'_>) -> Option<String> {
    let has_warned = || run.state.guard.has_warned(&redact_and_truncate(&action.line()));
    if let Some(objection) = ruling(run).and_then(|ruling| ruling.objection(has_warned)) {
        return Some(objection);
    }
    // A service that has seen as much as the local guard may let a call pass that it objects to.
    if ruling(run).is_some_and(|ruling| ruling.turn() >= run.guard.turn()) {
        return None;
    }
    let config = guard_config::for_proposals(run.request.settings, &run.state.hook.allowed);
    let proposal = Proposal { action: action.clone(), ..Proposal::default() };
    CallObjection::weigh(&run.guard, &config, &proposal, has_warned).map(|objection| objection.reason)
}

/// Returns what the service says about the call, if it was asked and this run is not only observed.
fn ruling<'r>(run: &HookTransaction<'r>) -> Option<&'r ServerRuling> {
    let acts = run.request.settings.mode == Mode::Enforce && !run.guard.is_held_out();
    run.request.server.and_then(|server| server.ruling).filter(|_| acts)
}

/// Returns the end of the session if the service asks for it.
fn stop_of_server(run: &HookTransaction<'_>) -> Option<HookResponse> {
    ruling(run)?.stop_text().map(|reason| server_stop(&reason))
}

/// Returns the response to a call that the guard objects to. The first time, the call is refused. If the agent insists,
/// the settings decide. If it insists so often that the run has to end, the session is stopped.
fn refuse(
    run: &HookTransaction<'_>,
    action: &Action<'_>,
    reason: &str,
    refusals: u32,
    ends: bool,
) -> HookResponse {
    let line = redact_and_truncate(&action.line());
    let known = run.state.guard.loops.iter().rev().filter(|known| known.action == line);
    let text = RefusalText {
        action: &line,
        reason,
        result: known.map(|known| known.outcome.trim()).find(|result| !result.is_empty()),
        measures: run.state.hook.describe_measures(refusals.saturating_sub(1)),
    };
    let policy = &run.request.settings.policy;
    if ends {
        return HookResponse::Stop(text.insistence());
    }
    match policy.on_loop {
        OnLoop::Escalate if refusals > 1 && policy.ladder.escalate => HookResponse::Ask(text.insistence()),
        OnLoop::Stop if refusals > 1 && policy.ladder.stop => HookResponse::Stop(text.insistence()),
        _ => HookResponse::Deny(text.refusal()),
    }
}
