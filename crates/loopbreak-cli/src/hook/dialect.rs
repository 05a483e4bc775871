//! The contracts of the agents: what they call their events, and in what form they want to be answered.

use loopbreak::text::clip::clip;
use serde_json::{Value, json};

use super::answer::Answer;

/// Agents put longer texts into a file of their own.
const TEXT_BYTES: usize = 8_000;

/// An agent's contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    ClaudeCode,
    Codex,
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
    /// The agent, or a subagent, ends its turn.
    Rests,
    /// A subagent is done, or the session is over.
    Ends,
    /// Nothing that matters here.
    Other,
}

impl Dialect {
    pub(crate) const ALL: [Dialect; 3] = [Dialect::ClaudeCode, Dialect::Codex, Dialect::Gemini];

    /// The name on the command line and in the store.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Dialect::ClaudeCode => "claude-code",
            Dialect::Codex => "codex",
            Dialect::Gemini => "gemini",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
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
        let before = self.happening(event) == Happening::Proposed;
        let said = |text: &str| clip(text, TEXT_BYTES).to_owned();
        match (self, answer) {
            (_, Answer::Nothing) => None,
            (_, Answer::Advise { agent, user }) => {
                let mut put = json!({});
                if let Some(text) = agent {
                    put["hookSpecificOutput"] =
                        json!({"hookEventName": event, "additionalContext": said(text)});
                }
                if let Some(text) = user {
                    put["systemMessage"] = said(text).into();
                }
                Some(put)
            }
            // It knows no other answer before a call than to refuse it.
            (Dialect::Codex, Answer::Deny(text) | Answer::Ask(text) | Answer::Stop(text)) if before => {
                Some(permission(event, "deny", &said(text)))
            }
            (Dialect::Gemini, Answer::Deny(text) | Answer::Ask(text)) => {
                Some(json!({"decision": "deny", "reason": said(text)}))
            }
            (_, Answer::Deny(text)) => Some(permission(event, "deny", &said(text))),
            (_, Answer::Ask(text)) => Some(permission(event, "ask", &said(text))),
            (_, Answer::Stop(text)) => Some(json!({"continue": false, "stopReason": said(text)})),
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

    #[test]
    fn each_agent_gets_only_what_it_understands() {
        let ask = Answer::Ask("why".into());
        let put = |dialect: Dialect, event| dialect.put(event, &ask).unwrap();
        let decision = |put: &Value| put["hookSpecificOutput"]["permissionDecision"].clone();
        assert_eq!(decision(&put(Dialect::ClaudeCode, "PreToolUse")), "ask");
        assert_eq!(decision(&put(Dialect::Codex, "PreToolUse")), "deny");
        assert_eq!(put(Dialect::Gemini, "BeforeTool"), json!({"decision": "deny", "reason": "why"}));
        let stop = Answer::Stop("why".into());
        assert_eq!(decision(&Dialect::Codex.put("PreToolUse", &stop).unwrap()), "deny");
        assert_eq!(Dialect::Codex.put("PostToolUse", &stop).unwrap()["continue"], false);
        assert_eq!(Dialect::Gemini.put("BeforeTool", &stop).unwrap()["continue"], false);
    }

    #[test]
    fn a_long_text_is_cut() {
        let put = Dialect::ClaudeCode.put("PreToolUse", &Answer::Deny("ä".repeat(9_000))).unwrap();
        let reason = put["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap().to_owned();
        assert!(reason.len() <= TEXT_BYTES, "{}", reason.len());
    }
}
