//! Records of a run in addition to its events: tasks, attempts at them, entries for the context that agents
//! share, and recoveries.

use loopbreak::Verdict;
use loopbreak::evidence::EVIDENCE_BYTES;
use loopbreak::text::clip_masked;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::tasks::RoadmapTask;

/// Status of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StoredTask {
    /// Id of the task.
    pub id: String,
    /// `pending`, `in_progress`, `blocked` or `done`.
    pub status: String,
    /// The agent was moved on from the task, which is not finished.
    pub forced: bool,
    /// Reason for the status.
    pub reason: String,
    /// Time of the last change, in milliseconds since 1970.
    pub changed: i64,
}

/// One attempt at a task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StoredAttempt {
    /// Id of the task.
    pub task: String,
    /// Number of the attempt, from 1. Assigned by the store.
    pub number: u64,
    /// Time, in milliseconds since 1970.
    pub at: i64,
    /// Status of the task after the attempt.
    pub status: String,
    /// Blockers of the task.
    pub blockers: Vec<String>,
    /// Work that was done.
    pub work: Vec<String>,
    /// Session of the attempt.
    pub session: String,
}

/// An entry for the context that agents share.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StoredContextEntry {
    /// Number of the entry in this store. Assigned by the store.
    pub id: i64,
    /// Time, in milliseconds since 1970.
    pub timestamp: i64,
    /// `decision`, `directive` or `escalation`.
    pub entry_type: String,
    /// Topic, such as `loop_recovery`.
    pub topic: String,
    /// Text of the entry.
    pub content: String,
    /// Ids of the tasks that the entry is about.
    pub related_tasks: Vec<String>,
    /// Confidence, from 0 to 1.
    pub confidence: f64,
    /// Further details.
    pub metadata: Value,
}

/// A measure that was taken against a loop. It is recorded so that nothing is granted twice.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StoredRecovery {
    /// Time, in milliseconds since 1970.
    pub at: i64,
    /// Turn of the run.
    pub turn: u64,
    /// The measure, such as `reject` or `escalate`.
    pub intervention: String,
    /// Id of the loop.
    #[serde(rename = "loop")]
    pub loop_id: String,
    /// Id of the task, if the loop is about one.
    pub task: Option<String>,
    /// Reason for the measure.
    pub reason: String,
}

/// Records of one change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunRecords {
    /// Tasks with a new status.
    pub tasks: Vec<StoredTask>,
    /// Tasks of the roadmap that are new or changed, each as a whole.
    pub roadmap: Vec<RoadmapTask>,
    /// New attempts.
    pub attempts: Vec<StoredAttempt>,
    /// New context entries.
    pub context: Vec<StoredContextEntry>,
    /// New recoveries.
    pub recoveries: Vec<StoredRecovery>,
}

impl RunRecords {
    /// Adds the records of a verdict: changed tasks, context entries, and the interventions that go beyond
    /// advice.
    pub fn add_verdict(&mut self, verdict: &Verdict, now: i64) {
        self.tasks.extend(verdict.tasks.iter().map(|task| StoredTask {
            id: task.id.clone(),
            status: task.status.to_string(),
            forced: task.forced,
            reason: task.reason.clone(),
            changed: now,
        }));
        self.context.extend(verdict.context.iter().map(|entry| StoredContextEntry {
            id: 0,
            timestamp: entry.timestamp.unwrap_or(now),
            entry_type: entry.entry_type.to_string(),
            topic: entry.topic.to_string(),
            content: entry.content.clone(),
            related_tasks: entry.related_tasks.clone(),
            confidence: entry.confidence,
            metadata: entry.metadata.clone(),
        }));
        let recoveries = verdict
            .decisions
            .iter()
            .filter(|decision| decision.enforced && decision.intervention.overrides_agent());
        self.recoveries.extend(recoveries.map(|decision| StoredRecovery {
            at: now,
            turn: verdict.turn,
            intervention: decision.intervention.as_str().to_owned(),
            loop_id: decision.loop_id.to_string(),
            task: decision.task.clone(),
            reason: decision.reason.clone(),
        }));
    }
}

/// Masks the secrets in a text and truncates it, so that it can be stored.
pub fn redact_and_truncate(text: &str) -> String {
    clip_masked(text, EVIDENCE_BYTES).into_owned()
}
