//! The end of an attempt at a task: reports its outcome to the engine and carries out the engine's decisions.

use loopbreak::settings::OnLoop;
use loopbreak::text::signature;
use loopbreak::verdict::LoopId;
use loopbreak::{
    Action, Audience, Decision, DetectorName, Intervention, Outcome, Pattern, Step, Task, Verdict,
};
use loopbreak_store::tasks::{
    NextTask, RoadmapTask, TaskRemedy, TaskReport, TaskState, apply_report, next_task,
};
use loopbreak_store::{
    RunEvent, RunRecords, StepEvent, StoredAttempt, StoredContextEntry, TaskRecoveryNote, VerdictSummary,
    now, redact_and_truncate,
};

use super::task_autopilot::TaskAutopilot;
use super::task_check::{self, TaskCheckResult};
use super::task_report::{changed, printed, recorded};
use crate::iterations::iteration_result::IterationResult;
use crate::iterations::run_end::{self, EndRequest, RunEndReason};
use crate::iterations::run_loop::{RunEnd, interrupted};
use crate::process::command_run::CommandRun;
use crate::prompt::run_prompt::keeps_promise;
use crate::recording::run_recorder::{AttemptCounts, RecordedEvent};

/// The records and decisions of an attempt, while they are collected.
#[derive(Debug, Default)]
struct AttemptOutcome {
    records: RunRecords,
    /// The decisions about tasks that were carried out.
    acts: Vec<Decision>,
    /// Set if the agent keeps returning to a task that was closed by `force_next`: no recovery of tasks
    /// helps.
    in_vain: Option<EndRequest>,
}

impl TaskAutopilot<'_, '_> {
    /// Processes an attempt and carries out the decisions of the engine.
    pub(crate) fn take(
        &mut self,
        id: &str,
        ran: &CommandRun,
        iteration: &IterationResult,
        counted: &AttemptCounts,
    ) -> Option<RunEnd> {
        // Notes and advice were in the prompt of this attempt.
        self.state.notes.clear();
        self.state.advice.remove(id);
        let before = self.tasks.clone();
        self.refresh();
        let known = self.tasks.clone();
        let mut reports = self.reports(id, ran, iteration, (&before, counted));
        if self.check(&mut reports) {
            return Some(interrupted());
        }
        let human = self.course.human.take();
        let outcome = Outcome { text: Some(iteration.outcome.as_str().into()), error: iteration.failed };
        let step = Step {
            // The id in the name distinguishes two attempts at one task from attempts at two tasks.
            action: Some(Action::new(format!("task {id}"))),
            outcome: Some(outcome),
            usage: iteration.usage,
            user: human.as_deref().map(Into::into),
            ..self.course.step()
        };
        let verdict = self.course.guard.observe(&step);
        self.course.keeper.note(&verdict, now());
        self.course.remember(format!("{} (task {id})", iteration.line()));
        self.course.kept.advice = self.course.advice(&verdict);
        let mut desk = AttemptOutcome::default();
        for report in &reports {
            self.tell_engine(report, &mut desk);
        }
        self.note_deferred(&known, &mut desk.records);
        let over = self.over(&verdict, &step, desk.in_vain.as_ref());
        if over.is_none() {
            self.course.tell_user(iteration, &verdict);
            self.second_opinion(id, &verdict, &desk.acts);
        }
        if let Some(advice) = &self.course.kept.advice {
            self.state.advice.insert(id.to_owned(), advice.clone());
        }
        let changed = self.tasks.iter().filter(|task| !known.contains(task)).cloned();
        desk.records.roadmap.extend(changed);
        let all_done = next_task(&self.tasks) == NextTask::Closed;
        let is_kept = self.record(id, iteration, &verdict, &known, desk);
        // If a task was reopened in the meantime, the roadmap is not finished.
        over.filter(|_| is_kept || !all_done)
    }

    /// Returns the reports of the command: from the result file, its output, the store or `loopbreak tasks`.
    /// There is always a report on the task, unless the command reports that it worked on another one.
    fn reports(
        &mut self,
        id: &str,
        ran: &CommandRun,
        iteration: &IterationResult,
        (before, counted): (&[RoadmapTask], &AttemptCounts),
    ) -> Vec<TaskReport> {
        let mut reports = Vec::new();
        for read in [self.file.read(id), printed(&ran.out, id, self.course.prompt.last())] {
            match read {
                Ok(read) if reports.is_empty() => reports = read,
                Ok(_) => {}
                Err(why) => self.complain(&format!("ignored the report on task {id}: {why}")),
            }
        }
        if reports.is_empty() {
            reports = recorded(self.course.keeper.attempts_beyond(counted));
        }
        let known = before.iter().find(|task| task.id == id);
        let now = self.tasks.iter_mut().find(|task| task.id == id);
        if let (true, Some(known), Some(now)) = (reports.is_empty(), known, now)
            && known != now
        {
            // It is judged and checked like any other report before it counts.
            reports.push(changed(now));
            now.clone_from(known);
        }
        let promise = self.course.options.completion_promise.as_deref();
        let kept = promise.is_some_and(|text| keeps_promise(&ran.out, text, self.course.prompt.last()));
        if reports.is_empty() && kept {
            reports.push(TaskReport {
                task: id.to_owned(),
                status: Some(TaskState::Done),
                ..TaskReport::default()
            });
        }
        let unknown = |report: &TaskReport| !self.tasks.iter().any(|task| task.id == report.task);
        let (strange, mut reports): (Vec<TaskReport>, Vec<TaskReport>) =
            reports.into_iter().partition(unknown);
        for report in strange {
            let why = format!(
                "ignored a report on task {:?}: there is no such task",
                redact_and_truncate(&report.task)
            );
            self.complain(&why);
        }
        if reports.is_empty() {
            reports.push(silent(id, iteration));
        }
        for report in
            reports.iter_mut().filter(|report| iteration.failed && report.status == Some(TaskState::Done))
        {
            report.status = Some(TaskState::InProgress);
            report.reason = format!("reported as done, but the command {}", iteration.status);
        }
        reports
    }

    /// Reports a problem with a report to the user, and to the agent with its next task.
    fn complain(&mut self, why: &str) {
        self.course.observer.warning(why);
        self.state.notes.push(why.to_owned());
    }

    /// Runs the checks of the tasks that are reported as done. Returns true if it was interrupted.
    fn check(&mut self, reports: &mut [TaskReport]) -> bool {
        for report in reports.iter_mut().filter(|report| report.status == Some(TaskState::Done)) {
            let task = self.tasks.iter_mut().find(|task| task.id == report.task);
            let Some(task) = task.filter(|task| task.is_open() && !task.check.is_empty()) else { continue };
            let checked = task_check::make(self.course, task);
            if checked == TaskCheckResult::Interrupted {
                return true;
            }
            task_check::judge(&checked, report, task, self.course.observer);
        }
        false
    }

    /// Applies a report to the tasks, reports the attempt to the engine, and carries out its decisions.
    fn tell_engine(&mut self, report: &TaskReport, desk: &mut AttemptOutcome) {
        let now = now();
        let Some(effect) = apply_report(&mut self.tasks, report, now) else { return };
        let session = format!("{}-{}", self.course.keeper.session(), self.course.guard.turn());
        let task = Task {
            id: report.task.as_str().into(),
            status: Some(effect.status.as_str().into()),
            blockers: report.blockers.iter().map(|text| text.as_str().into()).collect(),
            work: report.work.iter().map(|text| text.as_str().into()).collect(),
            session: Some(session.as_str().into()),
        };
        let step = Step { task: Some(task), ..self.course.step() };
        // Tasks that send each other back are judged by `SendBackTracker`, not as attempts: a review that
        // finds faults three times has done its work three times.
        let verdict = match effect.returned.as_slice() {
            [] => self.series.observe(self.course.keeper.session(), &step),
            _ => Verdict::default(),
        };
        let quote = |texts: &[String]| texts.iter().map(|text| redact_and_truncate(text)).collect();
        desk.records.attempts.push(StoredAttempt {
            task: report.task.clone(),
            number: 0,
            at: now,
            status: effect.status.as_str().to_owned(),
            blockers: quote(&report.blockers),
            work: quote(&report.work),
            session: session.clone(),
        });
        desk.records.add_verdict(&verdict, now);
        self.course.keeper.note(&verdict, now);
        for act in verdict.decisions.iter().filter(|act| act.enforced) {
            if let Some(ending) = self.is_in_vain(act) {
                desk.in_vain = Some(EndRequest { ending, act: act.clone() });
            }
            self.recover(act, &verdict, &step);
            desk.acts.push(act.clone());
        }
        for id in &effect.refused {
            self.complain(&format!(
                "task {:?} cannot be sent back: it is closed or does not exist",
                redact_and_truncate(id)
            ));
        }
        for id in &effect.returned {
            self.course.observer.message(&format!("task {id} was sent back by {}", report.task));
            self.begin_anew(id);
            self.sent_back(&report.task, id, desk);
        }
    }

    /// Returns the end of the run if the engine moves the agent away from a task that was already closed by
    /// `force_next`.
    fn is_in_vain(&self, act: &Decision) -> Option<RunEndReason> {
        let closed = |task: &RoadmapTask| task.forced && act.task.as_ref() == Some(&task.id);
        let again = act.intervention == Intervention::ForceNext && self.tasks.iter().any(closed);
        match self.course.config.policy.on_loop {
            OnLoop::Stop => again.then_some(RunEndReason::Loop),
            OnLoop::Escalate => again.then_some(RunEndReason::Human),
            _ => None,
        }
    }

    /// Carries out a decision about a task.
    fn recover(&mut self, act: &Decision, verdict: &Verdict, step: &Step<'_>) {
        let Some(id) = &act.task else { return };
        let Some(remedy) = TaskRemedy::new(act.intervention, act.pattern) else { return };
        if let Some(task) = self.tasks.iter_mut().find(|task| task.id == *id) {
            remedy.apply(task, &act.reason, now());
        }
        self.course.observer.message(&format!("task {id}: {}: {}", act.intervention.as_str(), act.reason));
        let texts = verdict.advice.iter().filter(|advice| advice.audience == Audience::Agent);
        let text = texts.map(|advice| advice.text.as_str()).collect::<Vec<_>>().join("\n\n");
        match remedy {
            TaskRemedy::ForceNext => {
                self.state.grants.remove(id);
                self.state.notes.push(text);
            }
            TaskRemedy::UnblockAuthority => {
                self.state.grants.insert(id.clone(), text);
            }
            TaskRemedy::Escalate { .. } => self.course.tell(verdict, step, act),
        }
    }

    /// Clears the attempts at a task that was reopened: they do not count against it.
    pub(crate) fn begin_anew(&mut self, id: &str) {
        let status = Some(TaskState::Pending.as_str().into());
        let task = Task { id: id.into(), status, blockers: Vec::new(), work: Vec::new(), session: None };
        let step = Step { task: Some(task), ..self.course.step() };
        self.series.observe(self.course.keeper.session(), &step);
    }

    /// Records that one task sent another one back. If tasks keep sending each other back, the agent is
    /// warned first, then a human is called.
    fn sent_back(&mut self, from: &str, to: &str, desk: &mut AttemptOutcome) {
        let (mut verdict, circle) = self.traffic.send(from, to);
        let Some(circle) = circle else { return };
        let names = circle.tasks.join(", ");
        let reason = format!("tasks keep sending each other back: {names}");
        let loop_id = verdict.findings.first().map_or(LoopId(0), |finding| finding.loop_id);
        let intervention = if circle.hard { Intervention::Escalate } else { Intervention::Warn };
        let act = Decision {
            intervention,
            detector: DetectorName::Cycle,
            pattern: Pattern::Cycle,
            loop_id,
            task: Some(names),
            reason: reason.clone(),
            enforced: true,
        };
        self.course.observer.message(&format!("{}: {reason}", intervention.as_str()));
        (verdict.decisions, verdict.advice) = (vec![act.clone()], Vec::new());
        desk.records.add_verdict(&verdict, now());
        desk.acts.push(act.clone());
        if !circle.hard {
            let note =
                format!("{reason}. Resolve the disagreement in this attempt instead of sending a task back.");
            self.state.notes.push(note);
            return;
        }
        let in_it = |task: &&mut RoadmapTask| circle.tasks.contains(&task.id) && !task.forced;
        for task in self.tasks.iter_mut().filter(in_it).filter(|task| !task.is_finished()) {
            TaskRemedy::Escalate { left: true }.apply(task, &reason, now());
        }
        self.course.tell(&verdict, &self.course.step(), &act);
    }

    /// Records the checks that were deferred.
    fn note_deferred(&self, known: &[RoadmapTask], records: &mut RunRecords) {
        for task in &self.tasks {
            let before = known.iter().find(|known| known.id == task.id);
            let new = |check: &&String| !before.is_some_and(|known| known.deferred.contains(check));
            records.context.extend(task.deferred.iter().filter(new).map(|check| StoredContextEntry {
                timestamp: now(),
                entry_type: "decision".to_owned(),
                topic: "check_deferred".to_owned(),
                content: format!(
                    "Task {} is not blocked by {check}: the check is not available and was deferred.",
                    task.id
                ),
                related_tasks: vec![task.id.clone()],
                confidence: 1.0,
                ..StoredContextEntry::default()
            }));
        }
    }

    /// Returns the end of the run, if every task is closed or a guard requests it.
    fn over(&mut self, verdict: &Verdict, step: &Step<'_>, in_vain: Option<&EndRequest>) -> Option<RunEnd> {
        if next_task(&self.tasks) == NextTask::Closed {
            return Some(self.close());
        }
        let call = run_end::call(verdict, self.course.config.policy.on_loop).or_else(|| in_vain.cloned())?;
        self.course.called(&call, verdict, step)
    }

    /// Asks the advisor if the task is still open.
    fn second_opinion(&mut self, id: &str, verdict: &Verdict, acts: &[Decision]) {
        if self.tasks.iter().any(|task| task.id == id && task.is_open()) {
            let decisions = verdict.decisions.iter().chain(acts).cloned().collect();
            self.course.ask_advisor(&Verdict { turn: verdict.turn, decisions, ..Verdict::default() });
        }
    }

    /// Adds the attempt to the store and to the scratchpad. Returns false if a task was changed in the
    /// meantime.
    fn record(
        &mut self,
        id: &str,
        iteration: &IterationResult,
        verdict: &Verdict,
        known: &[RoadmapTask],
        desk: AttemptOutcome,
    ) -> bool {
        let standing = self.tasks.iter().find(|task| task.id == id).map_or("", RoadmapTask::label);
        self.course.observer.message(&format!("task {id}: {standing}"));
        let recoveries: Vec<TaskRecoveryNote> = desk.acts.iter().map(TaskRecoveryNote::from).collect();
        let mut summary = VerdictSummary::from(verdict);
        if !recoveries.is_empty() {
            let texts: Vec<&str> = desk.acts.iter().map(|act| act.reason.as_str()).collect();
            summary = summary.with_answer("recover", texts.join("\n"));
        }
        let step = StepEvent {
            action: Some(format!("task {id}, {standing}: {}", iteration.line())),
            error: Some(iteration.failed),
            status: Some(iteration.status.clone()),
            task: Some(id.to_owned()),
            recoveries,
            verdict: summary,
            ..StepEvent::default()
        };
        self.course.jot(iteration, &format!("task {id} is {standing}"));
        let event = RecordedEvent::new(RunEvent::Step(step));
        self.write(&RecordedEvent { verdict: Some(verdict), records: desk.records, known, ..event })
    }
}

/// Returns the report for a command that did not report: the task is in progress, and the signature of the
/// output stands for the work.
fn silent(id: &str, iteration: &IterationResult) -> TaskReport {
    let work = signature(&iteration.outcome);
    TaskReport {
        task: id.to_owned(),
        status: Some(TaskState::InProgress),
        work: if work.is_empty() { Vec::new() } else { vec![work] },
        reason: "the last attempt reported nothing".to_owned(),
        ..TaskReport::default()
    }
}
