//! The end of an attempt at a task: reports its outcome to the engine and carries out the engine's decisions.

use loopbreak::settings::OnLoop;
use loopbreak::step::Task;
use loopbreak::text::signature;
use loopbreak::{Action, Decision, Intervention, Outcome, Pattern, Step, Verdict, verdict::Audience};
use loopbreak_store::tasks::{
    NextTask, RoadmapTask, TaskRemedy, TaskReport, TaskState, apply_report, next_task,
};
use loopbreak_store::{
    RunEvent, RunRecords, StepEvent, StoredAttempt, StoredContextEntry, TaskRecoveryNote, VerdictSummary,
    now, redact_and_truncate,
};

use super::task_autopilot::TaskAutopilot;
use super::task_check::{self, TaskCheckResult};
use super::task_report::{parse_printed_reports, report_from_change, reports_from_attempts};
use crate::iterations::iteration_result::IterationResult;
use crate::iterations::run_end::{self, EndRequest, RunEndReason};
use crate::iterations::run_loop::{RunEnd, interrupted};
use crate::process::command_run::CommandRun;
use crate::recording::run_recorder::{AttemptCounts, RecordedEvent};

/// The records and decisions of an attempt, while they are collected.
#[derive(Debug, Default)]
struct AttemptOutcome {
    records: RunRecords,
    /// The decisions about tasks that were carried out.
    task_decisions: Vec<Decision>,
    /// Set if the agent keeps returning to a task that was closed by `force_next`. No recovery of tasks helps
    /// then, so the run ends.
    repeated_return: Option<EndRequest>,
}

impl TaskAutopilot<'_, '_> {
    /// Processes an attempt and carries out the decisions of the engine.
    pub(crate) fn process_attempt(
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
        let human = self.run_loop.human.take();
        let outcome = Outcome::new(iteration.outcome.as_str()).with_error(iteration.failed);
        let step = Step {
            // The id in the name distinguishes two attempts at one task from attempts at two tasks.
            action: Some(Action::new(format!("task {id}"))),
            outcome: Some(outcome),
            usage: iteration.usage,
            user: human.as_deref().map(Into::into),
            ..self.run_loop.step()
        };
        self.run_loop.share_spending(&step);
        let verdict = self.run_loop.guard.observe(&step);
        self.run_loop.recorder.add_findings(&verdict, now());
        self.run_loop.add_to_history(format!("{} (task {id})", iteration.render_line()));
        self.run_loop.runner_state.advice = self.run_loop.agent_advice(&verdict);
        self.run_loop.report_iteration(iteration);
        let mut attempt = AttemptOutcome::default();
        for report in &reports {
            self.apply_task_report(report, &mut attempt);
        }
        self.note_deferred(&known, &mut attempt.records);
        let end = self.find_end(&verdict, &step, attempt.repeated_return.as_ref());
        if end.is_none() {
            self.run_loop.report_limits(iteration, &verdict);
            self.second_opinion(id, &verdict, &attempt.task_decisions);
            self.run_loop.report_advice(&verdict);
        }
        if let Some(advice) = &self.run_loop.runner_state.advice {
            self.state.advice.insert(id.to_owned(), advice.clone());
        }
        let changed = self.tasks.iter().filter(|task| !known.contains(task)).cloned();
        attempt.records.roadmap.extend(changed);
        let all_done = next_task(&self.tasks) == NextTask::Closed;
        let is_stored = self.record(id, iteration, &verdict, &known, attempt);
        // If a task was reopened in the meantime, the roadmap is not finished.
        end.filter(|_| is_stored || !all_done)
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
        for read in [self.file.read(id), parse_printed_reports(&ran.out, id, self.run_loop.prompt.current())]
        {
            match read {
                Ok(read) if reports.is_empty() => reports = read,
                Ok(_) => {}
                Err(why) => self.report_problem(&format!("ignored the report on task {id}: {why}")),
            }
        }
        if reports.is_empty() {
            reports = reports_from_attempts(self.run_loop.recorder.attempts_since(counted));
        }
        let known = before.iter().find(|task| task.id == id);
        let now = self.tasks.iter_mut().find(|task| task.id == id);
        if let (true, Some(known), Some(now)) = (reports.is_empty(), known, now)
            && known != now
        {
            // It is judged and checked like any other report before it counts.
            reports.push(report_from_change(now));
            now.clone_from(known);
        }
        if reports.is_empty() && self.run_loop.is_promise_kept(ran) {
            reports.push(TaskReport {
                task: id.to_owned(),
                status: Some(TaskState::Done),
                ..TaskReport::default()
            });
        }
        let unknown = |report: &TaskReport| !self.tasks.iter().any(|task| task.id == report.task);
        let (unknown_tasks, mut reports): (Vec<TaskReport>, Vec<TaskReport>) =
            reports.into_iter().partition(unknown);
        for report in unknown_tasks {
            let why = format!(
                "ignored a report on task {:?}: there is no such task",
                redact_and_truncate(&report.task)
            );
            self.report_problem(&why);
        }
        if reports.is_empty() {
            reports.push(report_of_silent_attempt(id, iteration));
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
    fn report_problem(&mut self, why: &str) {
        self.run_loop.observer.warning(why);
        self.state.notes.push(why.to_owned());
    }

    /// Runs the checks of the tasks that are reported as done. Returns true if it was interrupted.
    fn check(&mut self, reports: &mut [TaskReport]) -> bool {
        for report in reports.iter_mut().filter(|report| report.status == Some(TaskState::Done)) {
            let task = self.tasks.iter_mut().find(|task| task.id == report.task);
            let Some(task) = task.filter(|task| task.is_open() && !task.check.is_empty()) else { continue };
            let checked = task_check::run_check(self.run_loop, task);
            if checked == TaskCheckResult::Interrupted {
                return true;
            }
            task_check::apply_result(&checked, report, task, self.run_loop.observer);
        }
        false
    }

    /// Applies a report to the tasks, reports the attempt to the engine, and carries out its decisions.
    fn apply_task_report(&mut self, report: &TaskReport, attempt: &mut AttemptOutcome) {
        let now = now();
        let Some(effect) = apply_report(&mut self.tasks, report, now) else { return };
        let session = format!("{}-{}", self.run_loop.recorder.session(), self.run_loop.guard.turn());
        let task = Task {
            id: report.task.as_str().into(),
            status: Some(effect.status.as_str().into()),
            blockers: report.blockers.iter().map(|text| text.as_str().into()).collect(),
            work: report.work.iter().map(|text| text.as_str().into()).collect(),
            session: Some(session.as_str().into()),
        };
        let step = Step { task: Some(task), ..self.run_loop.step() };
        // Tasks that send each other back are judged by their send-backs, not as attempts: a review that
        // finds faults three times has done its work three times.
        let verdict = match effect.returned.as_slice() {
            [] => self.series.observe(self.run_loop.recorder.session(), &step),
            _ => Verdict::default(),
        };
        let quote = |texts: &[String]| texts.iter().map(|text| redact_and_truncate(text)).collect();
        attempt.records.attempts.push(StoredAttempt {
            task: report.task.clone(),
            number: 0,
            at: now,
            status: effect.status.as_str().to_owned(),
            blockers: quote(&report.blockers),
            work: quote(&report.work),
            session: session.clone(),
        });
        attempt.records.add_verdict(&verdict, now);
        self.run_loop.recorder.add_findings(&verdict, now);
        for decision in verdict.decisions.iter().filter(|decision| decision.enforced) {
            if let Some(ending) = self.find_repeated_return(decision) {
                attempt.repeated_return = Some(EndRequest { ending, decision: decision.clone() });
            }
            match decision.pattern {
                Pattern::TaskCycle => self.handle_cycle(decision, &verdict, &step),
                _ => self.recover(decision, &verdict, &step),
            }
            attempt.task_decisions.push(decision.clone());
        }
        for id in &effect.refused {
            self.report_problem(&format!(
                "task {:?} cannot be sent back: it is closed or does not exist",
                redact_and_truncate(id)
            ));
        }
        for id in &effect.returned {
            self.run_loop.observer.message(&format!("task {id} was sent back by {}", report.task));
            self.reset_attempts(id);
            self.record_send_back(&report.task, id, attempt);
        }
    }

    /// Returns the end of the run if the engine moves the agent away from a task that was already closed by
    /// `force_next`.
    fn find_repeated_return(&self, decision: &Decision) -> Option<RunEndReason> {
        let closed = |task: &RoadmapTask| task.forced && decision.task.as_ref() == Some(&task.id);
        let again = decision.intervention == Intervention::ForceNext && self.tasks.iter().any(closed);
        match self.run_loop.config.policy.on_loop {
            OnLoop::Stop => again.then_some(RunEndReason::Loop),
            OnLoop::Escalate => again.then_some(RunEndReason::Human),
            _ => None,
        }
    }

    /// Reports the loop of a decision, with its figures in the form in which orchestrators look for them.
    fn report_loop(&self, decision: &Decision, verdict: &Verdict) {
        let attempts = verdict.findings.iter().find(|finding| finding.loop_id == decision.loop_id);
        self.run_loop.observer.message(&format!(
            "Loop detected: {}, taskId={}, attemptCount={}, recommendation={}",
            decision.pattern.as_str(),
            decision.task.as_deref().unwrap_or_default(),
            attempts.map_or(0, |finding| finding.count),
            decision.intervention.as_str(),
        ));
    }

    /// Carries out a decision about a task.
    fn recover(&mut self, decision: &Decision, verdict: &Verdict, step: &Step<'_>) {
        let Some(id) = &decision.task else { return };
        let Some(remedy) = TaskRemedy::new(decision.intervention, decision.pattern) else { return };
        if let Some(task) = self.tasks.iter_mut().find(|task| task.id == *id) {
            remedy.apply(task, &decision.reason, now());
        }
        self.report_loop(decision, verdict);
        self.run_loop.observer.message(&format!(
            "task {id}: {}: {}",
            decision.intervention.as_str(),
            decision.reason
        ));
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
            // A human also has to know of a remedy that needs nothing from the agent.
            _ => self.run_loop.notify(verdict, step, decision),
        }
    }

    /// Clears the attempts at a task that was reopened: they do not count against it.
    pub(crate) fn reset_attempts(&mut self, id: &str) {
        self.series.clear_attempts(id);
    }

    /// Records that one task sent another one back, and carries out the decision about tasks that keep doing that.
    fn record_send_back(&mut self, from: &str, to: &str, attempt: &mut AttemptOutcome) {
        let at = self.run_loop.time();
        let verdict = self.series.send_back(self.run_loop.recorder.session(), from, to, Some(at));
        attempt.records.add_verdict(&verdict, now());
        self.run_loop.recorder.add_findings(&verdict, now());
        let step = self.run_loop.step();
        for decision in verdict.decisions.iter().filter(|decision| decision.enforced) {
            self.handle_cycle(decision, &verdict, &step);
            attempt.task_decisions.push(decision.clone());
        }
    }

    /// Carries out a decision about a cycle of tasks: a note for the next attempt, or a question to a human about all of
    /// them.
    fn handle_cycle(&mut self, decision: &Decision, verdict: &Verdict, step: &Step<'_>) {
        self.report_loop(decision, verdict);
        self.run_loop.observer.message(&format!("{}: {}", decision.intervention.as_str(), decision.reason));
        let texts = verdict.advice.iter().filter(|advice| advice.audience == Audience::Agent);
        self.state.notes.extend(texts.map(|advice| advice.text.clone()));
        if decision.intervention != Intervention::Escalate {
            return;
        }
        let in_cycle =
            |task: &&mut RoadmapTask| !task.forced && verdict.tasks.iter().any(|update| update.id == task.id);
        for task in self.tasks.iter_mut().filter(in_cycle).filter(|task| !task.is_finished()) {
            TaskRemedy::Escalate { left: true }.apply(task, &decision.reason, now());
        }
        self.run_loop.notify(verdict, step, decision);
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
    fn find_end(
        &mut self,
        verdict: &Verdict,
        step: &Step<'_>,
        repeated_return: Option<&EndRequest>,
    ) -> Option<RunEnd> {
        if next_task(&self.tasks) == NextTask::Closed {
            return Some(self.end());
        }
        let request = run_end::find_end_request(verdict, self.run_loop.config.policy.on_loop)
            .or_else(|| repeated_return.cloned())?;
        self.run_loop.handle_end_request(&request, verdict, step)
    }

    /// Asks the advisor if the task is still open.
    fn second_opinion(&mut self, id: &str, verdict: &Verdict, task_decisions: &[Decision]) {
        if self.tasks.iter().any(|task| task.id == id && task.is_open()) {
            let decisions = verdict.decisions.iter().chain(task_decisions).cloned().collect();
            self.run_loop.ask_advisor(&Verdict { turn: verdict.turn, decisions, ..Verdict::default() });
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
        attempt: AttemptOutcome,
    ) -> bool {
        let status = self.tasks.iter().find(|task| task.id == id).map_or("", RoadmapTask::label);
        self.run_loop.observer.message(&format!("task {id}: {status}"));
        let recoveries: Vec<TaskRecoveryNote> =
            attempt.task_decisions.iter().map(TaskRecoveryNote::from).collect();
        let mut summary = VerdictSummary::from(verdict);
        if !recoveries.is_empty() {
            let texts: Vec<&str> =
                attempt.task_decisions.iter().map(|decision| decision.reason.as_str()).collect();
            summary = summary.with_answer("recover", texts.join("\n"));
        }
        let step = StepEvent {
            action: Some(format!("task {id}, {status}: {}", iteration.render_line())),
            error: Some(iteration.failed),
            status: Some(iteration.status.clone()),
            task: Some(id.to_owned()),
            recoveries,
            verdict: summary,
            ..StepEvent::default()
        };
        self.run_loop.write_scratchpad(iteration, &format!("task {id} is {status}"));
        let event = RecordedEvent::new(RunEvent::Step(step));
        self.write(&RecordedEvent { verdict: Some(verdict), records: attempt.records, known, ..event })
    }
}

/// Returns the report for a command that did not report: the task is in progress, and the signature of the
/// output stands for the work.
fn report_of_silent_attempt(id: &str, iteration: &IterationResult) -> TaskReport {
    let work = signature(&iteration.outcome);
    TaskReport {
        task: id.to_owned(),
        status: Some(TaskState::InProgress),
        work: if work.is_empty() { Vec::new() } else { vec![work] },
        reason: "the last attempt reported nothing".to_owned(),
        ..TaskReport::default()
    }
}
