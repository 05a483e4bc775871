//! Separates the words of a human from the other messages under the role `user`.

use loopbreak::step::HarnessEvent;

/// Beginnings of texts that Codex writes under the role `user`.
const MACHINE: [&str; 9] = [
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions",
    "<turn_aborted>",
    "<permissions instructions>",
    "<skill>",
    "<collaboration_mode>",
    "<INSTRUCTIONS>",
    // The summary of a conversation. The compaction has a line of its own.
    "Another language model started to solve this problem and produced a summary",
];

/// Beginnings of texts that report an event.
const EVENTS: [(&str, HarnessEvent); 4] = [
    ("<goal_context>", HarnessEvent::Continuation),
    ("<codex_internal_context source=\"goal\">", HarnessEvent::Continuation),
    ("<hook_prompt ", HarnessEvent::Continuation),
    ("<subagent_notification>", HarnessEvent::Notification),
];

/// Beginning of texts that extensions write for the model.
const INTERNAL: &str = "<codex_internal_context";
/// Sentence in the text that reports a goal which the user has changed.
const GOAL_EDITED: &str = "goal objective was edited by the user";

/// The meaning of a message under the role `user`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CodexUserMessage {
    /// Words of a human.
    Human,
    /// Something that Codex did.
    Event(HarnessEvent),
    /// Nothing that matters.
    Nothing,
}

impl CodexUserMessage {
    /// Classifies a text.
    pub(super) fn new(text: &str) -> Self {
        let text = text.trim_start();
        match EVENTS.iter().find(|(start, _)| text.starts_with(start)) {
            Some((_, HarnessEvent::Continuation)) if is_edited_goal(text) => CodexUserMessage::Human,
            Some((_, event)) => CodexUserMessage::Event(*event),
            None if text.starts_with(INTERNAL) => CodexUserMessage::Nothing,
            None if MACHINE.iter().any(|start| text.starts_with(start)) => CodexUserMessage::Nothing,
            None => CodexUserMessage::Human,
        }
    }
}

/// Returns whether a text reports a goal that the user has changed. The goal itself may contain any words.
fn is_edited_goal(text: &str) -> bool {
    let body = text.split_once('>').map_or(text, |(_, body)| body);
    body.trim_start().lines().next().is_some_and(|line| line.contains(GOAL_EDITED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_humans_say_something() {
        let continuation = CodexUserMessage::Event(HarnessEvent::Continuation);
        let goal = "Continue working toward the active thread goal.";
        for (text, expected) in [
            ("fix the build".to_owned(), CodexUserMessage::Human),
            (goal.to_owned(), CodexUserMessage::Human),
            ("<environment_context>\n</environment_context>".to_owned(), CodexUserMessage::Nothing),
            (format!("<goal_context>\n{goal}\n</goal_context>"), continuation),
            (format!("<codex_internal_context source=\"goal\">\n{goal}"), continuation),
            ("<codex_internal_context source=\"memory\">\nx".to_owned(), CodexUserMessage::Nothing),
            ("<hook_prompt hook_run_id=\"1\">Run the tests.</hook_prompt>".to_owned(), continuation),
            ("<subagent_notification>\n{}".to_owned(), CodexUserMessage::Event(HarnessEvent::Notification)),
            (
                "<goal_context>\nThe active thread goal objective was edited by the user.\n".to_owned(),
                CodexUserMessage::Human,
            ),
            (format!("<goal_context>\n{goal}\nThe goal objective was edited by the user"), continuation),
        ] {
            assert_eq!(CodexUserMessage::new(&text), expected, "{text}");
        }
    }
}
