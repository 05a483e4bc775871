//! The loop of iterations: shows the output of each to the guard and carries out the verdict.

use loopbreak::detectors::DetectorSubject;
use loopbreak::{Outcome, Step, Verdict, verdict::Audience};
use loopbreak_store::{RunEvent, StepEvent, VerdictSummary, now};

use crate::error::RunError;
use crate::iterations::human_decision::{self, HumanDecision};
use crate::iterations::iteration_result::IterationResult;
use crate::iterations::run_end::{self, RunEndReason};
use crate::iterations::run_loop::{IterationRound, RunEnd, RunLoop, interrupted};
use crate::process::command_run::CommandRun;
use crate::recording::run_recorder::RecordedEvent;

impl RunLoop<'_> {
    /// Runs iterations until the run ends.
    pub(crate) fn run(&mut self) -> Result<RunEnd, RunError> {
        let mut failures = 0;
        loop {
            match self.run_once(&mut failures)? {
                IterationRound::RunEnd(end) => return Ok(end),
                IterationRound::Again => continue,
                IterationRound::CommandRun(ran, iteration) => {
                    if let Some(end) = self.process_iteration(&ran, &iteration) {
                        return Ok(end);
                    }
                }
            }
            if let Some(end) = self.pause() {
                return Ok(end);
            }
        }
    }

    /// Shows an iteration to the guard and carries out the verdict.
    fn process_iteration(&mut self, ran: &CommandRun, iteration: &IterationResult) -> Option<RunEnd> {
        let human = self.human.take();
        let outcome = Outcome::new(iteration.outcome.as_str()).with_error(iteration.failed);
        let step = Step {
            outcome: Some(outcome),
            usage: iteration.usage,
            user: human.as_deref().map(Into::into),
            ..self.step()
        };
        self.share_spending(&step);
        let verdict = self.guard.observe(&step);
        self.recorder.add_findings(&verdict, now());
        self.add_to_history(iteration.render_line());
        self.runner_state.advice = self.agent_advice(&verdict);
        self.report_iteration(iteration);
        let is_promised = self.is_promise_kept(ran);
        let end = if is_promised && !iteration.failed {
            Some((RunEndReason::Complete, format!("promise printed in iteration {}", iteration.number)))
        } else {
            run_end::find_end_request(&verdict, self.config.policy.on_loop)
                .and_then(|request| self.handle_end_request(&request, &verdict, &step))
        };
        if end.is_none() {
            self.report_limits(iteration, &verdict);
        }
        if end.is_none() {
            self.ask_advisor(&verdict);
            self.report_advice(&verdict);
        }
        let next = match (&end, &self.runner_state.advice) {
            (Some((ending, why)), _) => format!("{}: {why}", ending.as_str()),
            (None, Some(_)) => "try another approach".to_owned(),
            (None, None) => "continue".to_owned(),
        };
        self.record(iteration, &verdict);
        self.write_scratchpad(iteration, &next);
        end
    }

    /// Records what the run has cost, this step included, and tells the guard what all sessions have spent.
    pub(crate) fn share_spending(&mut self, step: &Step<'_>) {
        if !self.config.budget.has_shared_limit() {
            return;
        }
        let cost = step.usage.and_then(|usage| usage.cost_usd).unwrap_or(0.0);
        let spent = self.recorder.record_cost(self.runner_state.cost_usd.unwrap_or(0.0) + cost);
        if let Some(spent) = spent {
            self.known_session_cost = spent.session;
            self.guard.share_spending(spent.before(step));
        }
    }

    /// Counts an iteration that began and never ended, because the runner was killed. Otherwise a program that starts a
    /// dying runner again and again would never reach the limit of iterations. It says nothing about the work of the
    /// agent. Returns the end of the run if a limit is reached.
    pub(crate) fn count_cut_off_iteration(&mut self, number: u64) -> Option<RunEnd> {
        let what = format!("Iteration {number}, cut off: the runner was killed");
        self.observer
            .message(&format!("iteration {number} was cut off when the runner was killed; it counts"));
        let step = self.step();
        let verdict = self.guard.observe(&step);
        self.recorder.add_findings(&verdict, now());
        self.add_to_history(what.clone());
        let event = StepEvent {
            action: Some(what),
            status: Some("cut off".to_owned()),
            verdict: VerdictSummary::from(&verdict),
            ..StepEvent::default()
        };
        let event = RecordedEvent { verdict: Some(&verdict), ..RecordedEvent::new(RunEvent::Step(event)) };
        self.recorder.write(&event, &self.guard, &mut self.runner_state);
        run_end::find_end_request(&verdict, self.config.policy.on_loop)
            .filter(|request| request.ending == RunEndReason::Limit)
            .and_then(|request| self.handle_end_request(&request, &verdict, &step))
    }

    /// Shows the user how near the limits are, and what cannot be detected.
    pub(crate) fn report_limits(&self, iteration: &IterationResult, verdict: &Verdict) {
        let is_about_limits = |advice: &&loopbreak::verdict::Advice| {
            advice.audience == Audience::User && advice.detector.subject() == DetectorSubject::Limit
        };
        for advice in verdict.advice.iter().filter(is_about_limits) {
            self.observer.message(&advice.text);
        }
        let has_cost = iteration.usage.is_some_and(|usage| usage.cost_usd.is_some());
        // Hooks of the agent may know it.
        let has_cost = has_cost || self.known_session_cost > 0.0;
        if self.config.budget.limits_cost() && !has_cost && iteration.number == 1 {
            self.observer
                .warning("the command does not report its cost, so the cost limit cannot be enforced");
        }
        if iteration.is_silent() && iteration.number == 1 {
            self.observer.warning("the command prints nothing, so loops in its work cannot be detected");
        }
    }

    /// Handles a request of a guard to end the run. Returns `None` if a human lets the run continue.
    pub(crate) fn handle_end_request(
        &mut self,
        request: &run_end::EndRequest,
        verdict: &Verdict,
        step: &Step<'_>,
    ) -> Option<RunEnd> {
        let reason = request.decision.reason.clone();
        self.notify(verdict, step, &request.decision);
        if request.ending != RunEndReason::Human {
            return Some((request.ending, reason));
        }
        let report = human_decision::render_report(request, verdict, &self.runner_state.history);
        match self.observer.escalate(&report, &self.interrupts) {
            Some(HumanDecision::Continue(message)) => {
                let mut advice =
                    self.runner_state.advice.take().unwrap_or_else(|| self.with_history(&reason));
                advice.push_str("\n\nA human looked at this and says: try another approach.");
                if !message.is_empty() {
                    advice.push(' ');
                    advice.push_str(&message);
                }
                self.runner_state.advice = Some(advice);
                self.human =
                    Some(if message.is_empty() { "try another approach".to_owned() } else { message });
                None
            }
            Some(HumanDecision::Cancel) => Some((RunEndReason::Loop, format!("{reason}; cancelled"))),
            Some(HumanDecision::Review) => Some((RunEndReason::Human, format!("{reason}; to be reviewed"))),
            None if self.interrupts.is_interrupted() => Some(interrupted()),
            None => Some((RunEndReason::Human, reason)),
        }
    }

    /// Adds the iteration to the store.
    fn record(&mut self, iteration: &IterationResult, verdict: &Verdict) {
        let mut summary = VerdictSummary::from(verdict);
        if let Some(advice) = &self.runner_state.advice {
            summary = summary.with_answer("advise", advice.as_str());
        }
        let step = StepEvent {
            action: Some(iteration.render_line()),
            error: Some(iteration.failed),
            status: Some(iteration.status.clone()),
            verdict: summary,
            ..StepEvent::default()
        };
        let event = RecordedEvent { verdict: Some(verdict), ..RecordedEvent::new(RunEvent::Step(step)) };
        self.recorder.write(&event, &self.guard, &mut self.runner_state);
    }
}
