//! The contracts of the agents: what they call their events, and in what form they want to be answered.

use loopbreak::text::clip;
use serde_json::{Value, json};

use crate::hook_response::Answer;

/// Agents put longer texts into a file of their own.
const TEXT_BYTES: usize = 8_000;

/// An agent's contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Claude Code
    ClaudeCode,
    /// Codex CLI
    Codex,
    /// Gemini CLI
    Gemini,
}

/// What an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Happening {
    /// A call is about to be made.
    Proposed,
    /// A call was made.
    Done,
    /// A call was made and failed.
    Failed,
    /// Somebody speaks to the agent.
    Spoken,
    /// The agent ends its turn.
    Rests,
    /// A subagent is done, or the session is over.
    Ends,
    /// Nothing that matters here.
    Other,
}

impl Dialect {
    /// All agents.
    pub const ALL: [Dialect; 3] = [Dialect::ClaudeCode, Dialect::Codex, Dialect::Gemini];

    /// The name on the command line and in the store.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::ClaudeCode => "claude-code",
            Dialect::Codex => "codex",
            Dialect::Gemini => "gemini",
        }
    }

    /// Finds an agent by its name.
    pub fn named(name: &str) -> Option<Self> {
        Dialect::ALL.into_iter().find(|dialect| dialect.name() == name)
    }

    /// What an event of this name is about.
    pub(crate) fn happening(self, event: &str) -> Happening {
        match (self, event) {
            (Dialect::Gemini, "BeforeTool") => Happening::Proposed,
            (Dialect::Gemini, "AfterTool") => Happening::Done,
            (Dialect::Gemini, "BeforeAgent") => Happening::Spoken,
            (Dialect::Gemini, "AfterAgent") => Happening::Rests,
            (_, "SessionEnd") => Happening::Ends,
            (Dialect::Gemini, _) => Happening::Other,
            (_, "PreToolUse") => Happening::Proposed,
            (_, "PostToolUse") => Happening::Done,
            (_, "PostToolUseFailure") => Happening::Failed,
            (_, "UserPromptSubmit") => Happening::Spoken,
            (_, "Stop") => Happening::Rests,
            (_, "SubagentStop") => Happening::Ends,
            _ => Happening::Other,
        }
    }

    /// The answer to an event of this name, as the agent wants it; nothing where it wants nothing.
    pub(crate) fn put(self, event: &str, answer: &Answer) -> Option<Value> {
        let happening = self.happening(event);
        let said = |text: &str| clip(text, TEXT_BYTES).to_owned();
        let refused = |reason: &str| match self {
            Dialect::Gemini => json!({"decision": "deny", "reason": said(reason)}),
            _ => permission(event, "deny", &said(reason)),
        };
        // A refusal that the user is told of as well.
        let refused_aloud = |reason: &str| {
            let mut put = refused(reason);
            put["systemMessage"] = said(reason).into();
            put
        };
        match (self, answer) {
            (_, Answer::Nothing) => None,
            (_, Answer::Advise { agent, user }) => {
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
            (_, Answer::Deny(text)) => Some(refused(text)),
            (Dialect::ClaudeCode, Answer::Ask(text)) => Some(permission(event, "ask", &said(text))),
            // These know no way to ask: the call is refused, and the user is told.
            (_, Answer::Ask(text)) => Some(refused_aloud(text)),
            // Before a call this one knows no other answer than to refuse it.
            (Dialect::Codex, Answer::Stop(text)) if happening == Happening::Proposed => {
                Some(refused_aloud(text))
            }
            (_, Answer::Stop(text)) => Some(json!({"continue": false, "stopReason": said(text)})),
            (Dialect::Gemini, Answer::Continue(text)) => {
                Some(json!({"decision": "deny", "reason": said(text)}))
            }
            (_, Answer::Continue(text)) => Some(json!({"decision": "block", "reason": said(text)})),
        }
    }

    /// Whether a word to the agent is taken in answer to such an event, without more coming of it.
    fn takes_advice(self, happening: Happening) -> bool {
        match happening {
            Happening::Done | Happening::Failed | Happening::Spoken => true,
            Happening::Proposed => self != Dialect::Gemini,
            // Here it would make the agent go on.
            Happening::Rests | Happening::Ends | Happening::Other => false,
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

    fn put(dialect: Dialect, event: &str, answer: &Answer) -> Value {
        dialect.put(event, answer).unwrap_or_default()
    }

    #[test]
    fn each_agent_gets_only_what_it_understands() {
        let decision = |put: &Value| put["hookSpecificOutput"]["permissionDecision"].clone();
        let ask = Answer::Ask("why".into());
        assert_eq!(decision(&put(Dialect::ClaudeCode, "PreToolUse", &ask)), "ask");
        let codex = put(Dialect::Codex, "PreToolUse", &ask);
        assert_eq!((decision(&codex), &codex["systemMessage"]), ("deny".into(), &"why".into()));
        let gemini = json!({"decision": "deny", "reason": "why", "systemMessage": "why"});
        assert_eq!(put(Dialect::Gemini, "BeforeTool", &ask), gemini);

        let stop = Answer::Stop("why".into());
        let codex = put(Dialect::Codex, "PreToolUse", &stop);
        assert_eq!((decision(&codex), codex.get("continue")), ("deny".into(), None));
        assert_eq!(put(Dialect::Codex, "PostToolUse", &stop)["continue"], false);
        assert_eq!(put(Dialect::Gemini, "BeforeTool", &stop)["continue"], false);

        let go_on = Answer::Continue("why".into());
        assert_eq!(put(Dialect::Codex, "Stop", &go_on), json!({"decision": "block", "reason": "why"}));
        assert_eq!(put(Dialect::Gemini, "AfterAgent", &go_on), json!({"decision": "deny", "reason": "why"}));
    }

    #[test]
    fn advice_never_makes_an_agent_go_on_that_wants_to_stop() {
        let advice = Answer::Advise { agent: Some("fact".into()), user: None };
        for (dialect, event) in
            [(Dialect::ClaudeCode, "Stop"), (Dialect::Codex, "Stop"), (Dialect::Gemini, "AfterAgent")]
        {
            assert_eq!(dialect.put(event, &advice), None, "{event}");
        }
        let told = Answer::Advise { agent: Some("fact".into()), user: Some("look".into()) };
        assert_eq!(put(Dialect::Codex, "Stop", &told), json!({"systemMessage": "look"}));
    }

    #[test]
    fn a_long_text_is_cut() {
        let put = put(Dialect::ClaudeCode, "PreToolUse", &Answer::Deny("ä".repeat(9_000)));
        let reason = put["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap_or_default().len();
        assert!((1..=TEXT_BYTES).contains(&reason), "{reason}");
    }
}
