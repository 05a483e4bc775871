//! The part that a service has in the response to an event. If it answers in time, its ruling decides. The ladder of refusals, the
//! question to a human and the end of a session are those of the local guard.

use loopbreak_client::{ServerLink, ServerRuling, ServerVerdict};

use crate::hook_event_kind::HookEventKind;
use crate::hook_response::HookResponse;

/// A service that is told about the steps of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AskedServer<'s> {
    pub(crate) link: &'s ServerLink,
    /// Its opinion on the call that is proposed, if it was asked and has answered.
    pub(crate) ruling: Option<&'s ServerRuling>,
}

/// Returns the response that ends the session for a reason that the service gives.
pub(crate) fn server_stop(reason: &str) -> HookResponse {
    HookResponse::Stop(format!("Loop guard: stopped by the service: {reason}"))
}

/// Decides about the response to an event by what the service answered to its steps. `local` is the response of the local guard.
/// `may_loosen` tells whether the service may take back what the local guard says: it has seen as many steps, and the session was
/// not stopped before.
pub(crate) fn decide(
    kind: HookEventKind,
    local: &HookResponse,
    verdicts: &[&ServerVerdict],
    may_loosen: bool,
) -> HookResponse {
    let stop =
        verdicts.iter().rev().find_map(|verdict| Some((verdict.stop_text()?, verdict.is_stop_request())));
    let stop = stop.filter(|(_, is_request)| match kind {
        HookEventKind::Compaction | HookEventKind::SessionEnd => false,
        // The user has just answered: only a person can still stop the run.
        HookEventKind::UserPrompt => *is_request,
        _ => true,
    });
    match (stop, local) {
        (Some(_), HookResponse::Stop(_)) => return local.clone(),
        (Some((reason, _)), _) => return server_stop(&reason),
        (None, _) => {}
    }
    let judges_result = matches!(
        kind,
        HookEventKind::AfterTool
            | HookEventKind::ToolFailure
            | HookEventKind::ToolBatch
            | HookEventKind::TurnEnd
    );
    match local {
        _ if !judges_result => local.clone(),
        HookResponse::Nothing => advice(verdicts),
        HookResponse::Stop(_) if may_loosen => advice(verdicts),
        HookResponse::Advise { .. } if may_loosen && verdicts.iter().all(|verdict| verdict.is_silent()) => {
            HookResponse::Nothing
        }
        // Both have something to say. The texts of the local guard are made for hooks.
        _ => local.clone(),
    }
}

/// Returns the advice of the service, which says whose it is.
fn advice(verdicts: &[&ServerVerdict]) -> HookResponse {
    let with_origin = |text: String| format!("Loop guard: the service says: {text}");
    let texts = |text: fn(&ServerVerdict) -> Option<String>| {
        let texts: Vec<String> = verdicts.iter().filter_map(|verdict| text(verdict)).collect();
        (!texts.is_empty()).then(|| with_origin(texts.join("\n")))
    };
    match (texts(ServerVerdict::agent_text), texts(ServerVerdict::user_text)) {
        (None, None) => HookResponse::Nothing,
        (agent, user) => HookResponse::Advise { agent, user },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn decided(kind: HookEventKind, local: &HookResponse, verdict: Value, may_loosen: bool) -> HookResponse {
        decide(kind, local, &[&ServerVerdict::read(verdict).unwrap()], may_loosen)
    }

    #[test]
    fn the_service_takes_back_advice_and_stops_only_if_it_knows_as_much() {
        let (stop, advise) = (
            HookResponse::Stop("local".into()),
            HookResponse::Advise { agent: Some("local".into()), user: None },
        );
        for local in [&stop, &advise] {
            let clear = json!({"verdict": "clear"});
            assert_eq!(decided(HookEventKind::AfterTool, local, clear.clone(), true), HookResponse::Nothing);
            assert_eq!(decided(HookEventKind::AfterTool, local, clear.clone(), false), *local);
            assert_eq!(decided(HookEventKind::BeforeTool, local, clear, true), *local, "the ladder is local");
        }
        let warn = json!({"verdict": "warn", "advice": ["theirs"]});
        assert_eq!(decided(HookEventKind::AfterTool, &advise, warn.clone(), true), advise);
        let HookResponse::Advise { agent: Some(text), user: None } =
            decided(HookEventKind::AfterTool, &stop, warn.clone(), true)
        else {
            panic!("no advice")
        };
        assert_eq!(text, "Loop guard: the service says: theirs");
        let prompt = decided(HookEventKind::UserPrompt, &HookResponse::Nothing, warn, true);
        assert_eq!(prompt, HookResponse::Nothing);
    }

    #[test]
    fn a_person_can_stop_a_run_at_any_event_and_a_budget_not_at_a_prompt() {
        let asked = json!({"verdict": "stop", "stop": "stop_request", "advice": ["A person asked to stop."]});
        let spent = json!({"verdict": "stop", "stop": "max_cost"});
        for kind in [HookEventKind::BeforeTool, HookEventKind::AfterTool, HookEventKind::UserPrompt] {
            let response = decided(kind, &HookResponse::Nothing, asked.clone(), false);
            assert_eq!(response, server_stop("A person asked to stop."), "{kind:?}");
        }
        let prompt = decided(HookEventKind::UserPrompt, &HookResponse::Nothing, spent.clone(), true);
        assert_eq!(prompt, HookResponse::Nothing);
        let ended = decided(HookEventKind::AfterTool, &HookResponse::Nothing, spent, true);
        assert_eq!(ended, server_stop("max_cost"));
    }
}
