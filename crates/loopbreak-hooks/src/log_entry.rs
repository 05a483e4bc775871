//! What is written down of an event: the line of the log.

use loopbreak::{Action, Outcome, Verdict};
use loopbreak_store::quoted;
use serde_json::{Map, Value};

use crate::hook_response::Answer;

/// One line of the log, as it is put together.
#[derive(Debug, Default)]
pub(crate) struct Line(Map<String, Value>);

impl Line {
    /// A line about an event of the agent's of this name.
    pub(crate) fn of(event: Option<&str>) -> Self {
        Line::default().with("event", event)
    }

    /// The same with one thing more.
    pub(crate) fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.insert(key.to_owned(), value.into());
        self
    }

    /// The same with a text that is not ours: secrets masked, and cut.
    pub(crate) fn quote(self, key: &str, text: &str) -> Self {
        self.with(key, quoted(text))
    }

    pub(crate) fn action(self, action: &Action<'_>) -> Self {
        self.quote("tool", &action.name).quote("action", &action.line())
    }

    pub(crate) fn outcome(self, outcome: &Outcome<'_>) -> Self {
        self.with("error", outcome.error).quote("outcome", outcome.text.as_deref().unwrap_or_default())
    }

    /// The same with what the guard and the hook say.
    pub(crate) fn verdict(mut self, verdict: &Verdict, answer: &Answer) -> Self {
        self = self.with("turn", verdict.turn);
        if !verdict.findings.is_empty() {
            self = self.with("findings", serde_json::to_value(&verdict.findings).unwrap_or_default());
        }
        match answer.text() {
            Some(text) => self.with("answer", answer.name()).with("text", text),
            None => self,
        }
    }

    pub(crate) fn written(self) -> String {
        Value::Object(self.0).to_string()
    }
}
