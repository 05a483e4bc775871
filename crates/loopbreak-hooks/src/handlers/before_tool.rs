//! Before a tool call: it is refused if it would only continue a loop.

use loopbreak::settings::{AllowRule, OnLoop};
use loopbreak::text::{clip, mask_secrets};
use loopbreak::{Action, Intervention, Proposal, Step};
use loopbreak_store::{RunEvent, StepEvent, StoredRecovery, redact_and_truncate};

use crate::guard_config;
use crate::hook_response::HookResponse;
use crate::hook_transaction::HookTransaction;

/// Longest part of the arguments in a rule that allows a call, in bytes.
const RULE_BYTES: usize = 400;

/// Asks the guard about the call, and refuses it if the guard objects.
pub(crate) fn before_tool(run: &mut HookTransaction<'_>) -> HookResponse {
    let request = run.request;
    let event = request.event;
    let Some(action) = event.action() else { return HookResponse::Nothing };
    let Some(reason) = objection(run, &action) else { return HookResponse::Nothing };

    let verdict = run.guard.observe(&Step { refused: true, ..request.step(Some(action.clone())) });
    let refusals = run.state.hook.add_refusal(&verdict);
    let ends = verdict.stop.is_some();
    let response = refuse(run, &action, &reason, refusals, ends);
    // A call that a human is asked about is not refused yet.
    let is_question = matches!(response, HookResponse::Ask(_));
    if is_question {
        run.state.hook.add_question(event.call_id());
    }
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
    let record = StepEvent {
        rule: Some(allow_rule(&action)),
        refused: !is_question,
        ..StepEvent::from_hook(Some(event.name()))
    };
    let record = record.with_action(&action).with_verdict(response.summarize(&verdict));
    run.record(if is_question { RunEvent::Asked(record) } else { RunEvent::Refused(record) });
    response
}

/// Returns why the call is to be refused, or `None` if it may be made. Only detectors that object to the call itself
/// can refuse it, and some of them only after a warning.
fn objection(run: &HookTransaction<'_>, action: &Action<'_>) -> Option<String> {
    let config = guard_config::for_proposals(run.request.settings, &run.state.hook.allowed);
    let proposal = Proposal { action: action.clone(), ..Proposal::default() };
    let ruling = run.guard.weigh_with(&config, &proposal);
    if ruling.intervention != Some(Intervention::Reject) {
        return None;
    }
    let objection = ruling.adjustments.into_iter().find(|adjustment| {
        adjustment.enforced && adjustment.amount < 0.0 && adjustment.detector.may_refuse_calls()
    })?;
    let has_warned = || run.state.guard.has_warned(&redact_and_truncate(&action.line()));
    (!objection.detector.warns_before_refusing() || has_warned()).then_some(objection.reason)
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
    let facts = describe_loop(run, action, reason, refusals);
    let policy = &run.request.settings.policy;
    let insists = || format!("Loop guard: the agent insists on a refused call: {facts}");
    if ends {
        return HookResponse::Stop(insists());
    }
    match policy.on_loop {
        OnLoop::Escalate if refusals > 1 && policy.ladder.escalate => HookResponse::Ask(insists()),
        OnLoop::Stop if refusals > 1 && policy.ladder.stop => HookResponse::Stop(insists()),
        _ => HookResponse::Deny(format!(
            "Loop guard: refused: {facts}\nOther calls are allowed. This call is unblocked after an effective edit or a \
             message from the user."
        )),
    }
}

/// Describes the call, its last result, and the measures so far.
fn describe_loop(run: &HookTransaction<'_>, action: &Action<'_>, reason: &str, refusals: u32) -> String {
    let line = redact_and_truncate(&action.line());
    let mut facts = vec![line.clone(), format!("This call {reason}.")];
    let known = run.state.guard.loops.iter().rev().filter(|known| known.action == line);
    let result = known.map(|known| known.outcome.trim()).find(|result| !result.is_empty());
    facts.extend(result.map(|result| format!("Last result: {result}")));
    let measures = run.state.hook.describe_measures(refusals.saturating_sub(1));
    facts.extend(measures.map(|measures| format!("Measures so far: {measures}.")));
    facts.join("\n")
}

/// Returns a rule that allows this call and as few others as possible. A part that was truncated or is secret matches
/// anything.
fn allow_rule(action: &Action<'_>) -> AllowRule {
    let args = action.args.as_ref().map(|args| {
        let json = args.json();
        let kept = clip(json, RULE_BYTES);
        let masked = mask_secrets(kept);
        let same = kept.bytes().zip(masked.bytes()).take_while(|(one, other)| one == other).count();
        let same = if *masked == *kept { kept.len() } else { kept.floor_char_boundary(same) };
        if same == json.len() { json.to_owned() } else { format!("{}*", &kept[..same]) }
    });
    AllowRule { tool: Some(action.name.to_string()), args }
}

#[cfg(test)]
mod tests {
    use loopbreak::Settings;
    use serde_json::json;

    use super::*;
    use crate::hook_agent::HookAgent;
    use crate::hook_request::HookRequest;

    /// A run whose events are handled one by one, with its stored state.
    #[derive(Default)]
    struct HookedRun(Option<String>);

    impl HookedRun {
        fn handle(&mut self, event: &str, command: &str) -> HookResponse {
            let text = json!({"hook_event_name": event, "tool_name": "Bash", "tool_input": {"command": command},
                              "tool_response": {"stdout": format!("output of {command}")}});
            let (text, settings) = (text.to_string(), Settings::default());
            let agent: &dyn HookAgent = "claude-code".parse().unwrap();
            let request = HookRequest {
                agent,
                settings: &settings,
                event: &serde_json::from_str(&text).unwrap(),
                kind: agent.event_kind(event).unwrap(),
                run: "r",
                now: 1,
                warn: &|_| {},
            };
            let Some((change, response)) = request.handle(self.0.as_deref()).unwrap() else {
                return HookResponse::Nothing;
            };
            self.0 = change.state.or(self.0.take());
            response
        }

        /// Makes a call. Returns whether it was allowed.
        fn call(&mut self, command: &str) -> bool {
            if self.handle("PreToolUse", command) != HookResponse::Nothing {
                return false;
            }
            self.handle("PostToolUse", command);
            true
        }
    }

    #[test]
    fn a_call_that_returns_from_time_to_time_in_a_long_session_is_never_refused() {
        let mut run = HookedRun::default();
        for number in 0..600 {
            let command =
                if number % 40 == 0 { "git status".to_owned() } else { format!("cat file{number}") };
            assert!(run.call(&command), "{number}");
        }
    }

    #[test]
    fn a_call_that_keeps_returning_between_other_calls_is_refused_after_a_warning() {
        let mut run = HookedRun::default();
        let refused = (1..=12).find(|number| {
            run.call(&format!("cat file{number}"));
            !run.call("git status")
        });
        assert_eq!(refused, Some(8));
        assert!(run.call("git status -s"));
    }

    #[test]
    fn a_refusal_names_the_call_its_result_and_what_unblocks_it() {
        let mut run = HookedRun::default();
        while run.call("make") {}
        let HookResponse::Ask(insists) = run.handle("PreToolUse", "make") else { panic!("not asked") };
        for part in ["insists on a refused call: Bash", "Last result: output of make", "one refusal."] {
            assert!(insists.contains(part), "{part}: {insists}");
        }
    }

    #[test]
    fn an_agent_that_insists_five_times_is_stopped() {
        let mut run = HookedRun::default();
        while run.call("make") {}
        let responses: Vec<HookResponse> = (0..4).map(|_| run.handle("PreToolUse", "make")).collect();
        assert!(
            responses[..3].iter().all(|response| matches!(response, HookResponse::Ask(_))),
            "{responses:?}"
        );
        assert!(matches!(responses[3], HookResponse::Stop(_)), "{responses:?}");
    }

    #[test]
    fn the_rule_for_a_call_covers_no_other_call_and_has_no_secret() {
        let call = |command: &str| Action::new("Bash").with_args(&json!({ "command": command }));
        let rule = allow_rule(&call("make test"));
        assert_eq!(rule.args.as_deref(), Some(r#"{"command":"make test"}"#));
        assert!(rule.covers(&call("make test")) && !rule.covers(&call("make tests")));
        for command in [format!("echo {}", "x".repeat(900)), "login --password hunter22hunter".to_owned()] {
            let rule = allow_rule(&call(&command));
            assert!(rule.covers(&call(&command)) && !rule.covers(&call("ls")), "{rule:?}");
            assert!(!rule.args.unwrap().contains("hunter22"));
        }
        assert_eq!(allow_rule(&Action::new("List")).args, None);
    }
}
