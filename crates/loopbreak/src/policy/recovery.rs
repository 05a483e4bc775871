//! What is done about a task that goes round in circles: moved on from, given authority once, or handed to a human.

use serde_json::{Value, json};

use super::{ContextEntry, Ledger, TaskUpdate};
use crate::advice::{TemplateValues, text_of};
use crate::detectors::task::TaskSettings;
use crate::settings::Settings;
use crate::tasks::{TaskHistory, TaskPattern};
use crate::verdict::Intervention;

/// What a recovery does and leaves behind.
#[derive(Debug)]
pub(crate) struct Recovery {
    pub(crate) intervention: Intervention,
    pub(crate) reason: String,
    pub(crate) context: Vec<ContextEntry>,
    pub(crate) update: Option<TaskUpdate>,
}

/// Chooses the recovery for a looping task.
pub(crate) fn choose(
    pattern: TaskPattern,
    attempts: u32,
    history: &TaskHistory,
    ledger: &Ledger,
    settings: &Settings,
) -> Option<Intervention> {
    let TaskSettings { auto_unblock, force_next_after, .. } = settings.task;
    let blockers = history.attempts.last().map_or(0, |attempt| attempt.blockers);
    let requested_intervention = match pattern {
        TaskPattern::CompletedTaskRevisit => Intervention::ForceNext,
        TaskPattern::BlockedTaskSpin if auto_unblock && !ledger.granted(&history.id, blockers) => {
            Intervention::UnblockAuthority
        }
        TaskPattern::NoProgressRepeat if attempts >= force_next_after => Intervention::ForceNext,
        TaskPattern::BlockedTaskSpin | TaskPattern::NoProgressRepeat => Intervention::Escalate,
    };
    settings.policy.ladder.rung_or_milder(requested_intervention)
}

/// Spells out a recovery.
pub(crate) fn spell_out(
    intervention: Intervention,
    pattern: TaskPattern,
    attempts: u32,
    history: &TaskHistory,
    at: Option<i64>,
    settings: &Settings,
) -> Recovery {
    let task = history.id.clone();
    let blockers = history.blockers.join(", ");
    let mut values = TemplateValues::default();
    values
        .set("task", &task)
        .set("attempts", attempts)
        .set("pattern", pattern.as_str())
        .set("blockers", &blockers);
    let reason = reason(pattern, attempts, history);
    values.set("reason", &reason);
    let evidence = history.evidence(&settings.task);
    let entry = |entry_type, topic, template: &str, metadata: Value| ContextEntry {
        timestamp: at,
        entry_type,
        topic,
        content: text_of(template, &values, settings),
        related_tasks: vec![task.clone()],
        confidence: 1.0,
        metadata,
    };
    let audit = || {
        entry(
            "decision",
            "loop_recovery",
            "task_recovery",
            json!({"recovery": intervention.as_str(), "evidence": evidence}),
        )
    };
    let (context, update) = match intervention {
        Intervention::ForceNext => (
            vec![
                audit(),
                entry(
                    "directive",
                    "loop_recovery_directive",
                    "task_force_next",
                    json!({"evidence": evidence}),
                ),
            ],
            Some(TaskUpdate { id: task.clone(), status: "done", forced: true, reason: reason.clone() }),
        ),
        Intervention::UnblockAuthority => {
            let scope = json!({"scope": {"task": task, "blockers": history.blockers}, "evidence": evidence});
            (vec![audit(), entry("directive", "unblock_authority", "task_unblock", scope)], None)
        }
        Intervention::Escalate => (
            vec![
                audit(),
                entry("escalation", "loop_escalation", "task_escalate", json!({"evidence": evidence})),
            ],
            Some(TaskUpdate { id: task.clone(), status: "blocked", forced: false, reason: reason.clone() }),
        ),
        _ => (vec![audit()], None),
    };
    Recovery { intervention, reason, context, update }
}

/// Why a task is said to loop, in one sentence without an end.
pub(crate) fn reason(pattern: TaskPattern, attempts: u32, history: &TaskHistory) -> String {
    let TaskHistory { id, blockers, .. } = history;
    match pattern {
        TaskPattern::CompletedTaskRevisit => {
            format!("task {id} is done, yet it was attempted {attempts} times")
        }
        TaskPattern::BlockedTaskSpin => {
            format!("task {id} met the same blockers in {attempts} attempts: {}", blockers.join(", "))
        }
        TaskPattern::NoProgressRepeat => format!("{attempts} attempts at task {id} did the same work"),
    }
}
