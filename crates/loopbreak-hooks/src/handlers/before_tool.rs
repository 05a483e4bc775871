//! A call that is proposed, and refused where it would only go on with a loop.

use loopbreak::settings::{AllowRule, OnLoop};
use loopbreak::text::{clip, mask_secrets};
use loopbreak::{Action, DetectorName, Guard, Intervention, Proposal, Ruling, Step};
use loopbreak_store::{RunEvent, StepEvent, StoredGuard, StoredRecovery, redact_and_truncate};

use crate::guard_config;
use crate::hook_response::HookResponse;
use crate::hook_transaction::{HookTransaction, summary};

/// The detectors whose word is about the very call that is proposed. Others speak of what it is done to, and another
/// way to do it may be the right one.
const OF_THE_CALL: [DetectorName; 2] = [DetectorName::Cycle, DetectorName::Recurrence];
/// How much of the arguments a rule takes that allows a call.
const RULE_BYTES: usize = 400;

/// What speaks against a proposal, if it is to be refused. That a call keeps coming back, whatever lies between, speaks
/// against it only where the agent was told so: over a long session, much that is healthy comes back at times.
pub(crate) fn objection(guard: &Guard, known: &StoredGuard, action: Action<'_>) -> Option<String> {
    let line = redact_and_truncate(&action.line());
    let ruling: Ruling = guard.weigh(&Proposal { action, ..Proposal::default() });
    let rejects = ruling.intervention == Some(Intervention::Reject);
    let against = ruling.adjustments.into_iter().find(|adjustment| {
        rejects
            && adjustment.enforced
            && adjustment.amount < 0.0
            && OF_THE_CALL.contains(&adjustment.detector)
    })?;
    let warned = against.detector != DetectorName::Recurrence || known.has_warned(&line);
    warned.then_some(against.reason)
}

impl HookTransaction<'_> {
    pub(crate) fn proposed(&mut self) -> Result<HookResponse, String> {
        let event = self.session.event;
        let Some(action) = event.action() else { return Ok(HookResponse::Nothing) };
        let config = guard_config::for_proposals(self.session.config, &self.state.hook.allowed);
        let judge = Guard::restore(config, self.guard.snapshot()).map_err(|error| error.to_string())?;
        let Some(reason) = objection(&judge, &self.state.guard, action.clone()) else {
            return Ok(HookResponse::Nothing);
        };

        let line = redact_and_truncate(&action.line());
        let rule = rule_for(&action);
        let verdict = self.guard.observe(&Step { refused: true, ..self.session.step(Some(action.clone())) });
        let refusals = self.state.hook.add_refusal(&verdict);
        let facts = self.facts(&line, &reason, refusals);
        let answer = self.refusal(&facts, refusals);
        // Whoever is asked about has not been refused yet.
        let asked = matches!(answer, HookResponse::Ask(_));
        if asked {
            self.state.hook.add_question(event.tool_use_id.as_deref().unwrap_or_default());
        }
        let done = match &answer {
            HookResponse::Ask(_) => "escalate",
            HookResponse::Stop(_) => "stop",
            _ => "reject",
        };
        self.records.recoveries.push(StoredRecovery {
            at: self.session.now,
            turn: verdict.turn,
            intervention: done.to_owned(),
            loop_id: verdict.sighted.first().map(ToString::to_string).unwrap_or_default(),
            task: None,
            reason,
        });
        let event = StepEvent {
            rule: Some(rule),
            refused: !asked,
            ..StepEvent::from_hook(event.hook_event_name.as_deref())
        };
        let event = event.with_action(&action).with_verdict(summary(&verdict, &answer));
        self.write(if asked { RunEvent::Asked(event) } else { RunEvent::Refused(event) });
        Ok(answer)
    }

    /// What the call is, what came of it, and what was tried.
    fn facts(&self, line: &str, reason: &str, refusals: u32) -> String {
        let seen = self.state.guard.loops.iter().rev().filter(|seen| seen.action == line);
        let outcome = seen.map(|seen| seen.outcome.trim()).find(|outcome| !outcome.is_empty());
        let outcome = outcome.map_or_else(String::new, |outcome| format!("\nThe outcome: {outcome}"));
        let tried = self.state.hook.describe_measures(refusals - 1);
        let tried = tried.map_or_else(String::new, |tried| format!("\nTried so far: {tried}."));
        format!("{line}\nThis call {reason}.{outcome}{tried}")
    }

    /// The first time the call is refused; then what the user wants to be done with an agent that insists.
    fn refusal(&self, facts: &str, refusals: u32) -> HookResponse {
        let policy = &self.session.config.policy;
        let insists = || format!("Loop guard: the agent insists on a call that was refused: {facts}");
        match policy.on_loop {
            OnLoop::Escalate if refusals > 1 && policy.ladder.escalate => HookResponse::Ask(insists()),
            OnLoop::Stop if refusals > 1 && policy.ladder.stop => HookResponse::Stop(insists()),
            _ => HookResponse::Deny(format!(
                "Loop guard: refused: {facts}\nOnly this call is refused. Any other call is free; an edit that \
                 takes effect or a word of the user opens this one again."
            )),
        }
    }
}

/// The rule that would allow this call, and little else. What was cut or is secret may be anything.
pub(crate) fn rule_for(action: &Action<'_>) -> AllowRule {
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
    use crate::HookAgent;
    use crate::hook_transaction::HookRequest;

    /// A run of which the agent tells through its hooks.
    #[derive(Default)]
    struct HookedRun(Option<String>);

    impl HookedRun {
        fn tell(&mut self, event: &str, command: &str) -> HookResponse {
            let text = json!({"hook_event_name": event, "tool_name": "Bash", "tool_input": {"command": command},
                              "tool_response": {"stdout": format!("what {command} says")}});
            let (text, config) = (text.to_string(), Settings::default());
            let happening = HookAgent::ClaudeCode.happening(event);
            let event = serde_json::from_str(&text).unwrap();
            let session = HookRequest {
                config: &config,
                dialect: HookAgent::ClaudeCode,
                event: &event,
                happening,
                run: "r",
                now: 1,
                warn: &|_| {},
            };
            let Some((change, answer)) = session.take(self.0.as_deref()).unwrap() else {
                return HookResponse::Nothing;
            };
            self.0 = change.state.or(self.0.take());
            answer
        }

        /// Makes a call, unless it is refused.
        fn call(&mut self, command: &str) -> bool {
            if self.tell("PreToolUse", command) != HookResponse::Nothing {
                return false;
            }
            self.tell("PostToolUse", command);
            true
        }
    }

    #[test]
    fn what_comes_back_at_times_in_a_long_session_is_never_refused() {
        let mut run = HookedRun::default();
        for number in 0..600 {
            let command =
                if number % 40 == 0 { "git status".to_owned() } else { format!("cat file{number}") };
            assert!(run.call(&command), "{number}");
        }
    }

    #[test]
    fn what_keeps_coming_back_is_refused_after_a_warning_whatever_lies_between() {
        let mut run = HookedRun::default();
        let refused = (1..=12).find(|number| {
            run.call(&format!("cat file{number}"));
            !run.call("git status")
        });
        assert_eq!(refused, Some(8));
        assert!(run.call("git status -s"));
    }

    #[test]
    fn the_rule_for_a_call_covers_it_and_no_other_and_keeps_no_secret() {
        let call = |command: &str| Action::new("Bash").with_args(&json!({ "command": command }));
        let rule = rule_for(&call("make test"));
        assert_eq!(rule.args.as_deref(), Some(r#"{"command":"make test"}"#));
        assert!(rule.covers(&call("make test")) && !rule.covers(&call("make tests")));
        for command in [format!("echo {}", "x".repeat(900)), "login --password hunter22hunter".to_owned()] {
            let rule = rule_for(&call(&command));
            assert!(rule.covers(&call(&command)) && !rule.covers(&call("ls")), "{rule:?}");
            assert!(!rule.args.unwrap().contains("hunter22"));
        }
        assert_eq!(rule_for(&Action::new("List")).args, None);
    }
}
