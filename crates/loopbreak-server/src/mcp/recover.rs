//! `apply_recovery`: what the engine recommends for a task that goes round in circles is done, once.

use loopbreak::series::TaskCheck;
use loopbreak::{Audience, Decision, Mode, Verdict};
use loopbreak_store::tasks::{RoadmapTask, TaskRemedy};
use loopbreak_store::{RecoveryEvent, RunEvent, VerdictSummary};

use super::fault::Fault;
use super::output::RecoveryOutput;
use super::place::{About, Course, Place};
use super::tasks::{asked_at, told, unknown};
use super::{limits, verdicts};

/// What came of it, before it is told.
struct Done {
    task: RoadmapTask,
    check: TaskCheck,
    recovery: Option<&'static str>,
    reason: String,
    advice: Vec<String>,
}

impl Place {
    /// Gets a task out of its loop in the way that `detect_loop` recommends. The ledger of the series sees to it that
    /// nothing is granted twice.
    pub(crate) fn apply_recovery(&mut self, name: &str, id: &str) -> Result<RecoveryOutput, Fault> {
        let run = self.find_ours(name)?;
        let id = limits::task(id)?;
        let observes = self.config.mode != Mode::Enforce || self.config.task.mode != Mode::Enforce;
        let (done, tasks) = self.change(&run.session, About::Tasks, |course| {
            let mut tasks = std::mem::take(&mut course.tasks);
            let known = tasks.iter_mut().find(|task| task.id == id);
            let Some(task) = known else { return Err(unknown(&run.session, id, &tasks)) };
            let done = recover(course, &run.session, task.clone(), observes);
            task.clone_from(&done.task);
            Ok((done, tasks))
        })?;
        Ok(RecoveryOutput {
            applied: done.recovery.is_some(),
            recovery: done.recovery.map(str::to_owned),
            loop_type: done.check.loop_type.map(|pattern| pattern.to_string()),
            attempt_count: done.check.attempt_count,
            reason: done.reason,
            advice: done.advice,
            task: told(&done.task, &tasks, &self.count(&run, id)?),
            run: run.session,
        })
    }
}

fn recover(course: &mut Course, run: &str, task: RoadmapTask, observes: bool) -> Done {
    let at = asked_at(&course.state, course.now);
    let check = course.series.check(&task.id, at);
    let idle = |task, check: TaskCheck, reason: String| Done {
        task,
        check,
        recovery: None,
        reason,
        advice: Vec::new(),
    };
    if !check.is_looping {
        let reason = format!("task {} does not go round in circles", task.id);
        return idle(task, check, reason);
    }
    if observes {
        let reason = format!(
            "{}; nothing is done about it, for the settings say that the guard only observes",
            check.reason.clone().unwrap_or_default()
        );
        return idle(task, check, reason);
    }
    let verdict = course.series.recover(run, &task.id, at);
    let Some(act) = verdict.decisions.iter().find(|act| act.enforced) else {
        let reason = format!(
            "{}; this was dealt with before, and nothing new was tried since",
            check.reason.clone().unwrap_or_default()
        );
        return idle(task, check, reason);
    };
    let (recovery, reason) = (act.intervention.as_str(), act.reason.clone());
    let task = changed(course, task, &verdict, act);
    Done { task, check, recovery: Some(recovery), reason, advice: words(&verdict) }
}

/// Does to the task what was decided, and writes it down.
fn changed(course: &mut Course, mut task: RoadmapTask, verdict: &Verdict, act: &Decision) -> RoadmapTask {
    course.records.add_verdict(verdict, course.now);
    if let Some(remedy) = TaskRemedy::new(act.intervention, act.pattern) {
        remedy.apply(&mut task, &act.reason, course.now);
        // The roadmap has the last word on how it stands.
        course.records.tasks.retain(|changed| changed.id != task.id);
        course.records.roadmap.push(task.clone());
    }
    course.attempted();
    let recovery = act.intervention.as_str();
    course.write(RunEvent::Recovery(RecoveryEvent {
        action: format!("task {}: {recovery}", task.id),
        task: task.id.clone(),
        recovery: Some(recovery.to_owned()),
        pattern: Some(act.pattern.to_string()),
        verdict: VerdictSummary::default().with_answer(recovery, act.reason.as_str()),
    }));
    task
}

/// What the agent has to know from now on.
fn words(verdict: &Verdict) -> Vec<String> {
    let mut words = verdicts::texts(verdict, Audience::Agent);
    let entries = verdict
        .context
        .iter()
        .filter(|entry| entry.entry_type != loopbreak::verdict::ContextEntryType::Decision);
    for entry in entries {
        if !words.contains(&entry.content) {
            words.push(entry.content.clone());
        }
    }
    words
}
