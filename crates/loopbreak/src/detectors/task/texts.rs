//! Texts about the findings of `task`.

use crate::advice::{Template, TemplateValues};
use crate::detectors::{DetectorTexts, Pattern};
use crate::tasks::{TaskHistory, TaskPattern};
use crate::text::{quoted, quoted_list};
use crate::verdict::{Audience, Intervention};

pub(super) const TEXTS: DetectorTexts = DetectorTexts {
    reads: "`task`, `at`",
    effect: "moves the agent on, or asks a human",
    catches: "{max_attempts} similar attempts at one task without progress; tasks attempted in turn without anything new",
    ignores: "growing work; changing status; attempts far apart",
    guide: include_str!("guide.md"),
    templates: &[RECOVERY, FORCE_NEXT, UNBLOCK, ESCALATE, CYCLE, CYCLE_ESCALATE],
    reason,
    advice,
};

const VALUES: &[&str] = &["task", "attempts", "pattern", "blockers", "granted", "reason"];

pub(crate) const RECOVERY: &Template = &Template {
    name: "task_recovery",
    audience: Audience::User,
    values: VALUES,
    neutral: "{pattern}: {reason}.",
    zork: None,
    hook: None,
};

pub(crate) const FORCE_NEXT: &Template = &Template {
    name: "task_force_next",
    audience: Audience::Agent,
    values: VALUES,
    neutral: "Task {task} is closed after {attempts} attempts ({reason}). Leave it and take the next task of the plan.",
    zork: Some(
        "LOOP DETECTED: Task {task} completed after {attempts} attempts.
DO NOT revisit this task. SELECT NEXT TASK from roadmap using plan_next().",
    ),
    hook: None,
};

pub(crate) const UNBLOCK: &Template = &Template {
    name: "task_unblock",
    audience: Audience::Agent,
    values: VALUES,
    neutral: "Task {task} met the same blockers in {attempts} attempts: {blockers}.
For this task and these blockers only, you may remove or work around them: change the design, skip a missing dependency,
or use a stub. Document what you left out, finish the task, and continue.",
    zork: Some(
        "UNBLOCK AUTHORITY GRANTED: Task {task} blocked by [{blockers}] after {attempts} attempts.

You have FULL AUTHORITY to:
1. Remove or work around these blockers
2. Make necessary architectural changes
3. Skip unavailable dependencies temporarily
4. Create stub implementations if needed
5. Document blockers as technical debt for later

COMPLETE the task by any means necessary, then mark it done and move on.",
    ),
    hook: None,
};

pub(crate) const ESCALATE: &Template = &Template {
    name: "task_escalate",
    audience: Audience::User,
    values: VALUES,
    neutral: "Task {task} needs a human after {attempts} attempts: {reason}.
Options: continue with another approach, review, or cancel.",
    zork: Some(
        "ESCALATION: Loop detected on task {task} after {attempts} attempts.
Human intervention required.
{?granted}Reason: No progress despite unblock authority.
{!granted}Reason: {reason}",
    ),
    hook: None,
};

const CYCLE_VALUES: &[&str] = &["tasks", "rounds", "send_backs", "pattern", "reason"];

pub(crate) const CYCLE: &Template = &Template {
    name: "task_cycle",
    audience: Audience::Agent,
    values: CYCLE_VALUES,
    neutral: "No progress: {reason}.
{?send_backs}Resolve the disagreement in this attempt instead of sending a task back.
{!send_backs}Do not start another round. Do in this attempt what the other task waits for, or report what blocks it.",
    zork: None,
    hook: None,
};

pub(crate) const CYCLE_ESCALATE: &Template = &Template {
    name: "task_cycle_escalate",
    audience: Audience::User,
    values: CYCLE_VALUES,
    neutral: "Tasks {tasks} need a human: {reason}.
Options: continue with another approach, review, or cancel.",
    zork: None,
    hook: None,
};

fn reason(pattern: Pattern, values: &TemplateValues) -> &'static str {
    match pattern {
        Pattern::TaskCycle if values.get("send_backs").is_some() => {
            "tasks keep sending each other back: {tasks}"
        }
        Pattern::TaskCycle => "tasks {tasks} were attempted in turn for {rounds} rounds without anything new",
        // The recovery writes the reason, because it knows the history of the task.
        _ => "{reason}",
    }
}

fn advice(_: Pattern, _: Intervention) -> &'static [&'static Template] {
    // The recovery writes the texts for tasks.
    &[]
}

/// Returns why a task counts as a loop, in one sentence without a full stop. `granted` says that the agent was already
/// allowed to remove these blockers.
pub(crate) fn task_loop_reason(
    pattern: TaskPattern,
    attempts: u32,
    granted: bool,
    history: &TaskHistory,
) -> String {
    let TaskHistory { id, blockers, .. } = history;
    let id = quoted(id);
    match pattern {
        TaskPattern::CompletedTaskRevisit => {
            format!("task {id} is done, yet it was attempted {attempts} times")
        }
        TaskPattern::BlockedTaskSpin => {
            let despite = if granted { ", although the agent was allowed to remove them" } else { "" };
            format!(
                "task {id} met the same blockers in {attempts} attempts{despite}: {}",
                quoted_list(blockers.iter().map(|blocker| &**blocker), ", ")
            )
        }
        TaskPattern::NoProgressRepeat | TaskPattern::TaskCycle => {
            format!("{attempts} attempts at task {id} did the same work")
        }
    }
}
