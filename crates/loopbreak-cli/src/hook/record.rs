//! What is written down of an event: the line of the log, and the ledger of what was done.

use loopbreak::text::{clip::clip, secret::mask};
use loopbreak::{Action, EVIDENCE_BYTES, Intervention, Outcome, Verdict};
use loopbreak_store::{ContextEntry, Records, Recovery, Task};
use serde_json::{Map, Value};

use super::answer::Answer;

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

/// What a verdict leaves behind: changed tasks, entries for the context, and the acts that were more than words.
pub(crate) fn keep(records: &mut Records, verdict: &Verdict, now: i64) {
    let tasks = verdict.tasks.iter().map(|task| Task {
        id: task.id.clone(),
        status: task.status.to_owned(),
        forced: task.forced,
        reason: task.reason.clone(),
        changed: now,
    });
    records.tasks.extend(tasks);
    let context = verdict.context.iter().map(|entry| ContextEntry {
        id: 0,
        timestamp: entry.timestamp.unwrap_or(now),
        entry_type: entry.entry_type.to_owned(),
        topic: entry.topic.to_owned(),
        content: entry.content.clone(),
        related_tasks: entry.related_tasks.clone(),
        confidence: entry.confidence,
        metadata: entry.metadata.clone(),
    });
    records.context.extend(context);
    let grave = verdict.acts.iter().filter(|act| act.acted && act.intervention > Intervention::Penalize);
    records.recoveries.extend(grave.map(|act| Recovery {
        at: now,
        turn: verdict.turn,
        intervention: act.intervention.as_str().to_owned(),
        loop_id: act.loop_id.to_string(),
        task: act.task.clone(),
        reason: act.reason.clone(),
    }));
}

/// A text fit to be kept: secrets masked, then cut.
pub(crate) fn quoted(text: &str) -> String {
    // Masking looks at a little more than is kept, so that a secret that straddles the cut is seen whole.
    clip(&mask(clip(text, 4 * EVIDENCE_BYTES)), EVIDENCE_BYTES).to_owned()
}
