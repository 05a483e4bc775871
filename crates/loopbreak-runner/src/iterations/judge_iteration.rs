//! The loop of iterations: shows the output of each to the guard and carries out the verdict.

use loopbreak::{Audience, DetectorName, Outcome, Step, Verdict};
use loopbreak_store::{RunEvent, StepEvent, VerdictSummary, now};

use crate::error::RunError;
use crate::iterations::escalation::{self, HumanDecision};
use crate::iterations::iteration_result::IterationResult;
use crate::iterations::run_end::{self, RunEndReason};
use crate::iterations::run_loop::{IterationRound, RunEnd, RunLoop, interrupted};
use crate::process::command_run::CommandRun;
use crate::prompt::run_prompt::keeps_promise;
use crate::recording::run_recorder::RecordedEvent;

impl RunLoop<'_> {
    /// Runs iterations until the run ends.
    pub(crate) fn go(&mut self) -> Result<RunEnd, RunError> {
        let mut troubles = 0;
        loop {
            match self.round(&mut troubles)? {
                IterationRound::RunEnd(over) => return Ok(over),
                IterationRound::Again => continue,
                IterationRound::CommandRun(ran, iteration) => {
                    if let Some(over) = self.take(&ran, &iteration) {
                        return Ok(over);
                    }
                }
            }
            if let Some(over) = self.pause() {
                return Ok(over);
            }
        }
    }

    /// Shows an iteration to the guard and carries out the verdict.
    fn take(&mut self, ran: &CommandRun, iteration: &IterationResult) -> Option<RunEnd> {
        let human = self.human.take();
        let outcome = Outcome { text: Some(iteration.outcome.as_str().into()), error: iteration.failed };
        let step = Step {
            outcome: Some(outcome),
            usage: iteration.usage,
            user: human.as_deref().map(Into::into),
            ..self.step()
        };
        let verdict = self.guard.observe(&step);
        self.keeper.note(&verdict, now());
        self.remember(iteration.line());
        self.kept.advice = self.advice(&verdict);
        let promise = self.options.completion_promise.as_deref();
        let kept = promise.is_some_and(|text| keeps_promise(&ran.out, text, self.prompt.last()));
        let over = if kept && !iteration.failed {
            Some((RunEndReason::Complete, format!("promise printed in iteration {}", iteration.number)))
        } else {
            run_end::call(&verdict, self.config.policy.on_loop)
                .and_then(|call| self.called(&call, &verdict, &step))
        };
        if over.is_none() {
            self.tell_user(iteration, &verdict);
        }
        if over.is_none() {
            self.ask_advisor(&verdict);
        }
        let next = match (&over, &self.kept.advice) {
            (Some((ending, why)), _) => format!("{}: {why}", ending.as_str()),
            (None, Some(_)) => "try another approach".to_owned(),
            (None, None) => "continue".to_owned(),
        };
        self.record(iteration, &verdict);
        self.jot(iteration, &next);
        over
    }

    /// Tells the user during the run how near the limits are, and what cannot be detected.
    pub(crate) fn tell_user(&self, iteration: &IterationResult, verdict: &Verdict) {
        let near = |advice: &&loopbreak::Advice| {
            advice.audience == Audience::User && advice.detector == DetectorName::Budget
        };
        for advice in verdict.advice.iter().filter(near) {
            self.observer.message(&advice.text);
        }
        if self.config.budget.max_cost > 0.0 && iteration.usage.is_none() && iteration.number == 1 {
            self.observer
                .warning("the command does not report its cost, so the cost limit cannot be enforced");
        }
        if iteration.is_silent() && iteration.number == 1 {
            self.observer.warning("the command prints nothing, so loops in its work cannot be detected");
        }
    }

    /// Handles a request of a guard to end the run. Returns `None` if a human lets the run continue.
    pub(crate) fn called(
        &mut self,
        call: &run_end::EndRequest,
        verdict: &Verdict,
        step: &Step<'_>,
    ) -> Option<RunEnd> {
        let reason = call.act.reason.clone();
        self.tell(verdict, step, &call.act);
        if call.ending != RunEndReason::Human {
            return Some((call.ending, reason));
        }
        let report = escalation::report(call, verdict, &self.kept.history);
        match self.observer.escalate(&report, &self.interrupts) {
            Some(HumanDecision::Continue(words)) => {
                let mut advice = self.kept.advice.take().unwrap_or_else(|| self.framed(&reason));
                advice.push_str("\n\nA human looked at this and says: try another approach.");
                if !words.is_empty() {
                    advice.push(' ');
                    advice.push_str(&words);
                }
                self.kept.advice = Some(advice);
                self.human = Some(if words.is_empty() { "try another approach".to_owned() } else { words });
                None
            }
            Some(HumanDecision::Cancel) => Some((RunEndReason::Loop, format!("{reason}; cancelled"))),
            Some(HumanDecision::Review) => Some((RunEndReason::Human, format!("{reason}; to be reviewed"))),
            None if self.interrupts.any() => Some(interrupted()),
            None => Some((RunEndReason::Human, reason)),
        }
    }

    /// Adds the iteration to the store.
    fn record(&mut self, iteration: &IterationResult, verdict: &Verdict) {
        let mut summary = VerdictSummary::from(verdict);
        if let Some(advice) = &self.kept.advice {
            summary = summary.with_answer("advise", advice.as_str());
        }
        let step = StepEvent {
            action: Some(iteration.line()),
            error: Some(iteration.failed),
            status: Some(iteration.status.clone()),
            verdict: summary,
            ..StepEvent::default()
        };
        let event = RecordedEvent { verdict: Some(verdict), ..RecordedEvent::new(RunEvent::Step(step)) };
        self.keeper.write(&event, &self.guard, &mut self.kept);
    }
}
