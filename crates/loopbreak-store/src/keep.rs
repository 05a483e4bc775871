//! What a verdict leaves behind.

use loopbreak::text::{clip::clip, secret::mask};
use loopbreak::{EVIDENCE_BYTES, Verdict};

use crate::{ContextEntry, Records, Recovery, Task};

/// What a verdict leaves behind: changed tasks, entries for the context, and the acts that were more than words.
pub fn keep(records: &mut Records, verdict: &Verdict, now: i64) {
    let tasks = verdict.tasks.iter().map(|task| Task {
        id: task.id.clone(),
        status: task.status.to_string(),
        forced: task.forced,
        reason: task.reason.clone(),
        changed: now,
    });
    records.tasks.extend(tasks);
    let context = verdict.context.iter().map(|entry| ContextEntry {
        id: 0,
        timestamp: entry.timestamp.unwrap_or(now),
        entry_type: entry.entry_type.to_string(),
        topic: entry.topic.to_string(),
        content: entry.content.clone(),
        related_tasks: entry.related_tasks.clone(),
        confidence: entry.confidence,
        metadata: entry.metadata.clone(),
    });
    records.context.extend(context);
    let grave = verdict.decisions.iter().filter(|act| act.enforced && act.intervention.overrides_agent());
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
pub fn quoted(text: &str) -> String {
    // Masking looks at a little more than is kept, so that a secret that straddles the cut is seen whole.
    clip(&mask(clip(text, 4 * EVIDENCE_BYTES)), EVIDENCE_BYTES).to_owned()
}
