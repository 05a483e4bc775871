//! Recoveries of a task that repeats itself: the agent is moved on, given authority once, or a human is asked.

use serde_json::{Value, json};

use super::LoopLedger;
use crate::advice::{Template, TemplateValues, text_of};
use crate::detectors::task::texts::{self, task_loop_reason};
use crate::memory::HashKey;
use crate::settings::{Settings, TaskSettings};
use crate::tasks::{TaskHistory, TaskPattern};
use crate::verdict::{
    ContextEntry, ContextEntryType, ContextTopic, Intervention, TaskUpdate, TaskUpdateStatus,
};

/// A recovery with its context entries and the changed task.
#[derive(Debug)]
pub(crate) struct TaskRecovery {
    pub(crate) intervention: Intervention,
    pub(crate) reason: String,
    pub(crate) context: Vec<ContextEntry>,
    pub(crate) update: Option<TaskUpdate>,
}

/// Chooses the recovery for a task that repeats itself.
pub(crate) fn choose_recovery(
    pattern: TaskPattern,
    attempts: u32,
    history: &TaskHistory,
    ledger: &LoopLedger,
    settings: &Settings,
) -> Option<Intervention> {
    let TaskSettings { auto_unblock, unblock_sensitive, force_next_after, .. } = settings.task;
    let may_unblock = auto_unblock && (unblock_sensitive || !history.has_sensitive_blocker);
    let wanted = match pattern {
        TaskPattern::CompletedTaskRevisit => Intervention::ForceNext,
        TaskPattern::BlockedTaskSpin if may_unblock && !was_granted(history, ledger) => {
            Intervention::UnblockAuthority
        }
        TaskPattern::NoProgressRepeat if attempts >= force_next_after => Intervention::ForceNext,
        TaskPattern::BlockedTaskSpin | TaskPattern::NoProgressRepeat | TaskPattern::TaskCycle => {
            Intervention::Escalate
        }
    };
    settings.policy.ladder.enabled_or_milder(wanted)
}

/// Returns whether the agent was already allowed to remove the blockers of the last attempt.
pub(crate) fn was_granted(history: &TaskHistory, ledger: &LoopLedger) -> bool {
    let blockers = history.attempts.last().map_or(HashKey::NONE, |attempt| attempt.blockers);
    ledger.is_granted(&history.id, blockers)
}

impl TaskRecovery {
    /// Creates the context entries and the task update of a recovery.
    pub(crate) fn new(
        intervention: Intervention,
        pattern: TaskPattern,
        attempts: u32,
        granted: bool,
        history: &TaskHistory,
        at: Option<i64>,
        settings: &Settings,
    ) -> Self {
        let reason = task_loop_reason(pattern, attempts, granted, history);
        let mut writer = EntryWriter::new(pattern, attempts, history, &reason, at, settings);
        if granted && pattern == TaskPattern::BlockedTaskSpin {
            writer.values.word("granted", "yes");
        }
        let evidence = &writer.evidence;
        let record = json!({"recovery": intervention.as_str(), "evidence": evidence});
        let mut context = vec![writer.entry(
            ContextEntryType::Decision,
            ContextTopic::LoopRecovery,
            texts::RECOVERY,
            record,
        )];
        context.extend(match intervention {
            Intervention::ForceNext => Some(writer.entry(
                ContextEntryType::Directive,
                ContextTopic::LoopRecoveryDirective,
                texts::FORCE_NEXT,
                json!({"evidence": evidence}),
            )),
            Intervention::UnblockAuthority => Some(writer.entry(
                ContextEntryType::Directive,
                ContextTopic::UnblockAuthority,
                texts::UNBLOCK,
                json!({"scope": {"task": history.id, "blockers": history.blockers}, "evidence": evidence}),
            )),
            Intervention::Escalate => Some(writer.entry(
                ContextEntryType::Escalation,
                ContextTopic::LoopEscalation,
                texts::ESCALATE,
                json!({"evidence": evidence}),
            )),
            _ => None,
        });
        let (id, update_reason) = (history.id.to_string(), reason.clone());
        let update = |status, forced| TaskUpdate { id, status, forced, reason: update_reason };
        let update = match intervention {
            Intervention::ForceNext => Some(update(TaskUpdateStatus::Done, true)),
            Intervention::Escalate => Some(update(TaskUpdateStatus::Blocked, false)),
            _ => None,
        };
        TaskRecovery { intervention, reason, context, update }
    }
}

/// Writes the context entries of one recovery.
struct EntryWriter<'w> {
    task: &'w str,
    at: Option<i64>,
    values: TemplateValues,
    evidence: Value,
    settings: &'w Settings,
}

impl<'w> EntryWriter<'w> {
    fn new(
        pattern: TaskPattern,
        attempts: u32,
        history: &'w TaskHistory,
        reason: &str,
        at: Option<i64>,
        settings: &'w Settings,
    ) -> Self {
        let mut values = TemplateValues::default();
        values
            .quote("task", &history.id)
            .number("attempts", attempts)
            .word("pattern", pattern.as_str())
            .quote_list("blockers", history.blockers.iter().map(|blocker| &**blocker), ", ")
            .sentence("reason", reason);
        EntryWriter { task: &history.id, at, values, evidence: history.evidence(&settings.task), settings }
    }

    fn entry(
        &self,
        entry_type: ContextEntryType,
        topic: ContextTopic,
        template: &Template,
        metadata: Value,
    ) -> ContextEntry {
        ContextEntry {
            timestamp: self.at,
            entry_type,
            topic,
            content: text_of(template, &self.values, self.settings),
            related_tasks: vec![self.task.to_owned()],
            confidence: 1.0,
            metadata,
        }
    }
}
