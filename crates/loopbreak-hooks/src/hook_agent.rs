//! The contracts of the agents: what they call their events, and in what form they want to be answered.

use loopbreak::text::clip;
use serde_json::{Value, json};

use crate::hook_response::HookResponse;

/// Agents put longer texts into a file of their own.
const TEXT_BYTES: usize = 8_000;

/// An agent's contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookAgent {
    /// Claude Code
    ClaudeCode,
    /// Codex CLI
    Codex,
    /// Gemini CLI
    Gemini,
}

/// What an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HookEventKind {
    /// A call is about to be made.
    Proposed,
    /// A call was made.
    Done,
    /// A call was made and failed.
    Failed,
    /// Somebody speaks to the agent.
    UserPrompt,
    /// The agent ends its turn.
    TurnEnd,
    /// A subagent is done, or the session is over.
    SessionEnd,
    /// Nothing that matters here.
    Other,
}

impl HookAgent {
    /// All agents.
    pub const ALL: [HookAgent; 3] = [HookAgent::ClaudeCode, HookAgent::Codex, HookAgent::Gemini];

    /// The name on the command line and in the store.
    pub fn name(self) -> &'static str {
        match self {
            HookAgent::ClaudeCode => "claude-code",
            HookAgent::Codex => "codex",
            HookAgent::Gemini => "gemini",
        }
    }

    /// Returns the name that people use.
    pub fn title(self) -> &'static str {
        match self {
            HookAgent::ClaudeCode => "Claude Code",
            HookAgent::Codex => "Codex CLI",
            HookAgent::Gemini => "Gemini CLI",
        }
    }

    /// Finds an agent by its name.
    pub fn named(name: &str) -> Option<Self> {
        HookAgent::ALL.into_iter().find(|dialect| dialect.name() == name)
    }

    /// What an event of this name is about.
    pub(crate) fn happening(self, event: &str) -> HookEventKind {
        match (self, event) {
            (HookAgent::Gemini, "BeforeTool") => HookEventKind::Proposed,
            (HookAgent::Gemini, "AfterTool") => HookEventKind::Done,
            (HookAgent::Gemini, "BeforeAgent") => HookEventKind::UserPrompt,
            (HookAgent::Gemini, "AfterAgent") => HookEventKind::TurnEnd,
            (_, "SessionEnd") => HookEventKind::SessionEnd,
            (HookAgent::Gemini, _) => HookEventKind::Other,
            (_, "PreToolUse") => HookEventKind::Proposed,
            (_, "PostToolUse") => HookEventKind::Done,
            (_, "PostToolUseFailure") => HookEventKind::Failed,
            (_, "UserPromptSubmit") => HookEventKind::UserPrompt,
            (_, "Stop") => HookEventKind::TurnEnd,
            (_, "SubagentStop") => HookEventKind::SessionEnd,
            _ => HookEventKind::Other,
        }
    }

    /// The answer to an event of this name, as the agent wants it; nothing where it wants nothing.
    pub(crate) fn put(self, event: &str, answer: &HookResponse) -> Option<Value> {
        let happening = self.happening(event);
        let said = |text: &str| clip(text, TEXT_BYTES).to_owned();
        let refused = |reason: &str| match self {
            HookAgent::Gemini => json!({"decision": "deny", "reason": said(reason)}),
            _ => permission(event, "deny", &said(reason)),
        };
        // A refusal that the user is told of as well.
        let refused_aloud = |reason: &str| {
            let mut put = refused(reason);
            put["systemMessage"] = said(reason).into();
            put
        };
        match (self, answer) {
            (_, HookResponse::Nothing) => None,
            (_, HookResponse::Advise { agent, user }) => {
                let mut put = json!({});
                if let Some(text) = agent.as_ref().filter(|_| self.takes_advice(happening)) {
                    put["hookSpecificOutput"] =
                        json!({"hookEventName": event, "additionalContext": said(text)});
                }
                if let Some(text) = user {
                    put["systemMessage"] = said(text).into();
                }
                put.as_object().is_some_and(|put| !put.is_empty()).then_some(put)
            }
            (_, HookResponse::Deny(text)) => Some(refused(text)),
            (HookAgent::ClaudeCode, HookResponse::Ask(text)) => Some(permission(event, "ask", &said(text))),
            // These know no way to ask: the call is refused, and the user is told.
            (_, HookResponse::Ask(text)) => Some(refused_aloud(text)),
            // Before a call this one knows no other answer than to refuse it.
            (HookAgent::Codex, HookResponse::Stop(text)) if happening == HookEventKind::Proposed => {
                Some(refused_aloud(text))
            }
            (_, HookResponse::Stop(text)) => Some(json!({"continue": false, "stopReason": said(text)})),
            (HookAgent::Gemini, HookResponse::Continue(text)) => {
                Some(json!({"decision": "deny", "reason": said(text)}))
            }
            (_, HookResponse::Continue(text)) => Some(json!({"decision": "block", "reason": said(text)})),
        }
    }

    /// Whether a word to the agent is taken in answer to such an event, without more coming of it.
    fn takes_advice(self, happening: HookEventKind) -> bool {
        match happening {
            HookEventKind::Done | HookEventKind::Failed | HookEventKind::UserPrompt => true,
            HookEventKind::Proposed => self != HookAgent::Gemini,
            // Here it would make the agent go on.
            HookEventKind::TurnEnd | HookEventKind::SessionEnd | HookEventKind::Other => false,
        }
    }
}

fn permission(event: &str, decision: &str, reason: &str) -> Value {
    json!({"hookSpecificOutput": {
        "hookEventName": event, "permissionDecision": decision, "permissionDecisionReason": reason,
    }})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(dialect: HookAgent, event: &str, answer: &HookResponse) -> Value {
        dialect.put(event, answer).unwrap_or_default()
    }

    #[test]
    fn each_agent_gets_only_what_it_understands() {
        let decision = |put: &Value| put["hookSpecificOutput"]["permissionDecision"].clone();
        let ask = HookResponse::Ask("why".into());
        assert_eq!(decision(&put(HookAgent::ClaudeCode, "PreToolUse", &ask)), "ask");
        let codex = put(HookAgent::Codex, "PreToolUse", &ask);
        assert_eq!((decision(&codex), &codex["systemMessage"]), ("deny".into(), &"why".into()));
        let gemini = json!({"decision": "deny", "reason": "why", "systemMessage": "why"});
        assert_eq!(put(HookAgent::Gemini, "BeforeTool", &ask), gemini);

        let stop = HookResponse::Stop("why".into());
        let codex = put(HookAgent::Codex, "PreToolUse", &stop);
        assert_eq!((decision(&codex), codex.get("continue")), ("deny".into(), None));
        assert_eq!(put(HookAgent::Codex, "PostToolUse", &stop)["continue"], false);
        assert_eq!(put(HookAgent::Gemini, "BeforeTool", &stop)["continue"], false);

        let go_on = HookResponse::Continue("why".into());
        assert_eq!(put(HookAgent::Codex, "Stop", &go_on), json!({"decision": "block", "reason": "why"}));
        assert_eq!(
            put(HookAgent::Gemini, "AfterAgent", &go_on),
            json!({"decision": "deny", "reason": "why"})
        );
    }

    #[test]
    fn advice_never_makes_an_agent_go_on_that_wants_to_stop() {
        let advice = HookResponse::Advise { agent: Some("fact".into()), user: None };
        for (dialect, event) in
            [(HookAgent::ClaudeCode, "Stop"), (HookAgent::Codex, "Stop"), (HookAgent::Gemini, "AfterAgent")]
        {
            assert_eq!(dialect.put(event, &advice), None, "{event}");
        }
        let told = HookResponse::Advise { agent: Some("fact".into()), user: Some("look".into()) };
        assert_eq!(put(HookAgent::Codex, "Stop", &told), json!({"systemMessage": "look"}));
    }

    #[test]
    fn a_long_text_is_cut() {
        let put = put(HookAgent::ClaudeCode, "PreToolUse", &HookResponse::Deny("ä".repeat(9_000)));
        let reason = put["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap_or_default().len();
        assert!((1..=TEXT_BYTES).contains(&reason), "{reason}");
    }
}
