//! A run of an agent whose calls pass the guard.

use super::{
    AgentCall, AgentConfig, AgentMemory, AgentStop, CallAnswer, CallObjection, CallRuling, RefusalText,
    describe_measures,
};
use crate::evidence::redact_and_truncate;
use crate::guard::Guard;
use crate::policy::Proposal;
use crate::settings::{Mode, OnLoop};
use crate::step::{EpochMillis, HarnessEvent, Outcome, Step, StepText, Usage};
use crate::verdict::Verdict;

/// A run of an agent whose calls pass the guard. Nobody can be asked: calls that continue a loop are refused, and an agent that
/// insists is stopped.
#[derive(Clone, Debug)]
pub struct AgentRun {
    config: AgentConfig,
    guard: Guard,
    memory: AgentMemory,
}

impl AgentRun {
    /// Creates a new run with an id.
    pub fn new(config: AgentConfig, run: &str) -> Self {
        let guard = Guard::new(config.steps().clone()).for_run(run);
        AgentRun::from_parts(config, guard, AgentMemory::default())
    }

    /// Creates a run from its stored parts. The guard must have the [settings for steps](AgentConfig::steps).
    pub fn from_parts(config: AgentConfig, guard: Guard, memory: AgentMemory) -> Self {
        AgentRun { config, guard, memory }
    }

    /// Returns the parts to store.
    pub fn into_parts(self) -> (Guard, AgentMemory) {
        (self.guard, self.memory)
    }

    /// Returns the guard.
    pub fn guard(&self) -> &Guard {
        &self.guard
    }

    pub(super) fn memory(&self) -> &AgentMemory {
        &self.memory
    }

    /// Returns the end of the run, if it has to end. It stays until the user speaks.
    pub fn stopped(&self) -> Option<&AgentStop> {
        self.memory.stopped.as_ref().filter(|_| self.is_enforced())
    }

    /// Decides about a call before it is made. A call that is not allowed is recorded here, and must not be reported by
    /// [`after`](AgentRun::after).
    pub fn before(&mut self, call: &AgentCall<'_>) -> CallRuling {
        let proposal =
            Proposal { action: call.action.clone(), agent: call.agent.clone(), ..Proposal::default() };
        let ruling = self.guard.weigh_with(self.config.calls(), &proposal);
        let stopped = self.stopped().cloned();
        let line = redact_and_truncate(&call.action.line());
        let objection = CallObjection::find(&ruling, || self.memory.has_warned(&line, self.guard.turn()));
        if stopped.is_none() && objection.is_none() {
            let (text, reason) = (String::new(), String::new());
            return CallRuling {
                answer: CallAnswer::Allow,
                text,
                reason,
                detector: None,
                ruling,
                verdict: None,
            };
        }
        let verdict = self.observe(&Step { refused: true, ..call.step() });
        let batch = call.batch.as_ref().map(|batch| batch.as_text());
        let refusals = self.memory.add_refusal(&verdict, batch.as_deref());
        let (answer, text) = match (&stopped, &objection) {
            (Some(stop), _) => (CallAnswer::Stop, stop.text()),
            (None, objection) => {
                let reason = objection.as_ref().map_or("", |objection| objection.reason.as_str());
                self.refuse(&line, reason, refusals, &verdict)
            }
        };
        let detector = match &stopped {
            Some(stop) => Some(stop.detector),
            None => objection.as_ref().map(|objection| objection.detector),
        };
        let reason = stopped.map(|stop| stop.reason).or(objection.map(|objection| objection.reason));
        let reason = reason.unwrap_or_default();
        CallRuling { answer, text, reason, detector, ruling, verdict: Some(verdict) }
    }

    /// Returns the answer to a call that the guard objects to: a refusal, or the end of the run if the agent insists.
    fn refuse(&mut self, line: &str, reason: &str, refusals: u32, verdict: &Verdict) -> (CallAnswer, String) {
        let text = RefusalText {
            action: line,
            reason,
            result: self.memory.result_of(line),
            measures: describe_measures(&self.memory.advised, refusals.saturating_sub(1)),
        };
        let policy = &self.config.steps().policy;
        let ends_soon = policy.on_loop == OnLoop::Stop && refusals > 1 && policy.ladder.stop;
        if verdict.stop.is_none() && !ends_soon {
            return (CallAnswer::Refuse, text.refusal());
        }
        let answer = (CallAnswer::Stop, text.insistence());
        if self.memory.stopped.is_none() {
            self.memory.stopped = AgentStop::of_refusal(verdict);
        }
        answer
    }

    /// Observes a call that was made, with its outcome.
    pub fn after(
        &mut self,
        call: &AgentCall<'_>,
        outcome: Option<Outcome<'_>>,
        usage: Option<Usage>,
    ) -> Verdict {
        self.observe(&Step { outcome, usage, ..call.step() })
    }

    /// Observes a message of the user. It ends streaks of repetition, and the end of the run.
    pub fn user(&mut self, text: &str, at: Option<EpochMillis>) -> Verdict {
        self.observe(&Step { user: Some(StepText::from(text)), at, ..Step::default() })
    }

    /// Observes a message of the agent.
    pub fn say(&mut self, text: &str, agent: Option<&str>, at: Option<EpochMillis>) -> Verdict {
        let agent = agent.map(StepText::from);
        self.observe(&Step { say: Some(StepText::from(text)), agent, at, ..Step::default() })
    }

    /// Observes that the conversation was compacted: the agent may do again what it no longer remembers.
    pub fn compacted(&mut self, at: Option<EpochMillis>) -> Verdict {
        self.observe(&Step { harness: Some(HarnessEvent::Compaction), at, ..Step::default() })
    }

    /// Observes that the harness sent the agent on. Nobody said anything, so it ends no streak.
    pub fn continued(&mut self, at: Option<EpochMillis>) -> Verdict {
        self.observe(&Step { harness: Some(HarnessEvent::Continuation), at, ..Step::default() })
    }

    /// Observes any step.
    pub fn observe(&mut self, step: &Step<'_>) -> Verdict {
        let verdict = self.guard.observe(step);
        if self.guard.user_spoke() {
            self.memory.reset();
        }
        // The text about a refused call takes the place of its advice.
        self.memory.note(&verdict, !step.refused);
        if let Some(stop) = verdict.stop.filter(|_| self.memory.stopped.is_none()) {
            self.memory.stopped = Some(AgentStop::from_verdict(stop, &verdict));
        }
        verdict
    }

    /// Returns whether the guard acts on this run.
    fn is_enforced(&self) -> bool {
        self.config.steps().mode == Mode::Enforce && !self.guard.is_held_out()
    }
}
