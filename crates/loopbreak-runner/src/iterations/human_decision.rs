//! Escalation to a human: the report, and the answer to it.

use loopbreak::{Verdict, verdict::Audience};

use crate::iterations::run_end::EndRequest;

/// The choice of the human.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HumanDecision {
    /// The agent continues with another approach. The text is a message to the agent, which may be empty.
    Continue(String),
    /// The run ends, and the human reviews it.
    Review,
    /// The run ends.
    Cancel,
}

/// Returns the report: the engine's advice for the user if there is one, otherwise a text of the same form.
pub(crate) fn render_report(request: &EndRequest, verdict: &Verdict, history: &[String]) -> String {
    let advice = verdict
        .advice
        .iter()
        .find(|advice| advice.audience == Audience::User && advice.detector == request.decision.detector);
    advice.map_or_else(
        || {
            let history = history.join("\n- ");
            format!(
                "Loop detected: {}\n\nLast iterations:\n- {history}\n\nOptions:\n\
                 1. Continue with another approach: the agent is told to try a new strategy.\n\
                 2. Review: find out why the same thing keeps failing.\n\
                 3. Cancel: stop the task.",
                request.decision.reason
            )
        },
        |advice| advice.text.clone(),
    )
}

impl HumanDecision {
    /// Parses an answer: a number, and after 1 an optional message to the agent.
    pub fn parse(line: &str) -> Option<Self> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match word.trim_end_matches(['.', ':']) {
            "1" => Some(HumanDecision::Continue(rest.trim().to_owned())),
            "2" => Some(HumanDecision::Review),
            "3" => Some(HumanDecision::Cancel),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_a_number_with_an_optional_message_to_the_agent() {
        assert_eq!(HumanDecision::parse("1\n"), Some(HumanDecision::Continue(String::new())));
        assert_eq!(
            HumanDecision::parse("1. use the cache\n"),
            Some(HumanDecision::Continue("use the cache".to_owned()))
        );
        assert_eq!(HumanDecision::parse(" 2 "), Some(HumanDecision::Review));
        assert_eq!(HumanDecision::parse("3"), Some(HumanDecision::Cancel));
        assert_eq!(HumanDecision::parse("yes"), None);
    }
}
