//! One trial: hooks in a home of their own, and the checks after them.

use std::collections::BTreeMap;
use std::time::Duration;

use super::fault_lab::FaultLab;
use super::hook_process::{HookConditions, HookProcess, HookReply, SentEvent};
use super::part_figures::PartFigures;
use super::step_ledger::{LedgerDifference, LoggedStep, StepFate, StepLedger};
use crate::chore_failure::ChoreFailure;
use crate::trial::TrialHome;

/// The longest time that a hook may take.
const BUDGET: Duration = Duration::from_secs(1);
/// Time for starting and ending the process and the tracer: the time of a hook begins with its event.
const SLACK: Duration = Duration::from_millis(300);
/// Number of hooks that may be needed to record the steps that wait in the queue of a session.
const HOOKS_TO_EMPTY_QUEUE: u32 = 30;
/// Text of a hook that could not use the record of its session, and has started it over.
const STARTED_OVER: &str = "is started over";

/// The ends of a hook that a fault may cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExpectedEnd {
    /// It exits with 0.
    Success,
    /// It exits with 0, or it is killed by the trial.
    SuccessOrKill,
    /// It exits with 0, or the loader or the runtime of C ends the process.
    SuccessOrLoader,
}

/// One trial.
pub(super) struct FaultTrial<'l> {
    lab: &'l FaultLab,
    /// Describes the fault, for reports.
    label: String,
    pub(super) home: TrialHome,
    pub(super) ledger: StepLedger,
    pub(super) figures: PartFigures,
    /// True if the store was damaged: what was recorded before need not be there.
    pub(super) is_damaged: bool,
    put_aside: usize,
    calls: u32,
    /// The longest time of a call that the fault delays. Neither the kernel nor strace ends a process in the middle of it.
    pub(super) longest_call: Duration,
    /// The ends of the hooks whose steps were acknowledged, by session and call.
    ends: BTreeMap<String, String>,
}

impl<'l> FaultTrial<'l> {
    pub(super) fn new(lab: &'l FaultLab, label: impl Into<String>, home: TrialHome) -> Self {
        FaultTrial {
            lab,
            label: label.into(),
            home,
            ledger: StepLedger::default(),
            figures: PartFigures { trials: 1, ..PartFigures::default() },
            is_damaged: false,
            put_aside: 0,
            calls: 0,
            longest_call: Duration::ZERO,
            ends: BTreeMap::new(),
        }
    }

    /// Adds the steps that the copied store of [`FaultLab::used_home`] has.
    pub(super) fn knows(mut self, sessions: &[&str], steps: usize) -> Self {
        for session in sessions {
            for number in 0..steps {
                self.ledger.add(session, &format!("before-{number}"), StepFate::Acknowledged);
            }
        }
        self
    }

    /// Notes a broken promise.
    pub(super) fn broke(&mut self, what: impl std::fmt::Display) {
        let line = what.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
        self.figures.broken.push(format!("{}: {line}", self.label));
    }

    /// Returns a call that no other step has.
    pub(super) fn new_call(&mut self) -> String {
        self.calls += 1;
        format!("call-{}", self.calls)
    }

    /// Starts a hook with a step. Its end is passed to [`Self::judge`].
    pub(super) fn start(
        &self,
        session: &str,
        call: &str,
        conditions: &HookConditions,
    ) -> Result<HookProcess, ChoreFailure> {
        let event = SentEvent { session, call, name: "PostToolUse" };
        HookProcess::start(self.lab.program(), &self.home, event, conditions).map_err(ChoreFailure::Failed)
    }

    /// Runs a hook with a step, and judges its end.
    pub(super) fn hook(
        &mut self,
        session: &str,
        conditions: &HookConditions,
        expected: ExpectedEnd,
    ) -> Result<HookReply, ChoreFailure> {
        let call = self.new_call();
        let reply = self.start(session, &call, conditions)?.wait().map_err(ChoreFailure::Failed)?;
        self.judge(session, &call, &reply, expected);
        Ok(reply)
    }

    /// Runs a hook that does not record a step, and judges its end.
    pub(super) fn ask(&mut self, session: &str, conditions: &HookConditions) -> Result<(), ChoreFailure> {
        let call = self.new_call();
        let event = SentEvent { session, call: &call, name: "PreToolUse" };
        let process = HookProcess::start(self.lab.program(), &self.home, event, conditions);
        let reply = process.and_then(HookProcess::wait).map_err(ChoreFailure::Failed)?;
        self.figures.hooks += 1;
        self.judge_time(&reply);
        if !reply.status.success() {
            self.broke(reply.describe());
        }
        Ok(())
    }

    /// Checks the end and the time of a hook, and notes what the log must have.
    pub(super) fn judge(&mut self, session: &str, call: &str, reply: &HookReply, expected: ExpectedEnd) {
        self.figures.hooks += 1;
        let put_aside = self.home.stores_put_aside();
        if put_aside > self.put_aside {
            self.put_aside = put_aside;
            self.figures.note("stores put aside");
            if self.is_damaged || self.ledger.acknowledged_sessions().is_empty() {
                self.ledger.put_aside();
            } else {
                self.broke("an intact store was put aside");
            }
        }
        if reply.err.contains(STARTED_OVER) {
            self.figures.note("sessions started over");
            if self.is_damaged {
                self.ledger.release(session);
            } else {
                self.broke("an intact session was started over");
            }
        }
        let acknowledged = reply.is_acknowledged();
        let fate = if acknowledged { StepFate::Acknowledged } else { StepFate::Open };
        self.ledger.add(session, call, fate);
        if acknowledged {
            self.ends.insert(format!("{session}/{call}"), reply.describe());
        }
        if reply.was_killed() && expected == ExpectedEnd::SuccessOrKill {
            self.figures.killed += 1;
            return;
        }
        self.judge_time(reply);
        if acknowledged {
            self.figures.acknowledged += 1;
        } else if reply.status.success() {
            self.figures.unrecorded += 1;
        } else if reply.ended_as_loaders_do() && expected == ExpectedEnd::SuccessOrLoader {
            self.figures.ended_by_runtime += 1;
        } else {
            self.broke(reply.describe());
        }
    }

    /// Checks that the hook kept to its time. Waiting for a processor is not counted; everything else is.
    fn judge_time(&mut self, reply: &HookReply) {
        self.figures.slowest = self.figures.slowest.max(reply.elapsed);
        let limit = BUDGET + SLACK + self.longest_call;
        if reply.own_time() > limit {
            self.figures.late += 1;
            self.broke(format_args!("late: {}", reply.describe()));
        } else if reply.elapsed > limit {
            self.figures.note("hooks that waited for a busy machine");
        }
    }

    /// Records a step without a fault: the hook must acknowledge it, and say nothing.
    pub(super) fn record(&mut self, session: &str, call: &str) -> Result<(), ChoreFailure> {
        let conditions = HookConditions::default();
        let reply = self.start(session, call, &conditions)?.wait().map_err(ChoreFailure::Failed)?;
        self.judge(session, call, &reply, ExpectedEnd::Success);
        if !reply.is_acknowledged() {
            self.broke(format_args!("the next hook does not work: {}", reply.describe()));
        }
        Ok(())
    }

    /// Runs a hook without a fault, and checks that its step is in the log at once, or after the steps that waited before it.
    pub(super) fn next_hook_works(&mut self, session: &str) -> Result<(), ChoreFailure> {
        let call = self.new_call();
        self.record(session, &call)?;
        let log = LoggedStep::read(&self.home, self.lab.program(), session);
        match log {
            Err(reason) => self.broke(reason),
            Ok(log) if log.iter().any(|step| step.call == call) => {}
            Ok(_) if self.home.has_queue() => {}
            Ok(log) => self.broke(format_args!("the next step is not in the log of {} steps", log.len())),
        }
        Ok(())
    }

    /// Compares the log with the steps that were sent, and checks the store.
    pub(super) fn finish(mut self) -> Result<PartFigures, ChoreFailure> {
        for session in self.ledger.acknowledged_sessions() {
            match self.compare_log(&session)? {
                Err(reason) => self.broke(reason),
                Ok(difference) => {
                    self.figures.lost += difference.lost.len() as u64;
                    self.figures.twice += difference.twice.len() as u64;
                    for (what, calls) in [("lost", difference.lost), ("twice", difference.twice)] {
                        for call in calls {
                            let end = self.ends.get(&call).cloned().unwrap_or_default();
                            self.broke(format_args!("{what}: {call} {end}"));
                        }
                    }
                    for odd in difference.odd {
                        self.broke(odd);
                    }
                }
            }
        }
        match self.home.check_integrity() {
            Ok(()) => {}
            // Hooks check only what they read.
            Err(_) if self.is_damaged && self.put_aside == 0 && self.figures.broken.is_empty() => {
                self.figures.note("stores with damage that no hook has met");
            }
            Err(reason) => self.broke(format_args!("the store is not intact: {reason}")),
        }
        Ok(self.figures)
    }

    /// Compares the log of a session with the steps that were sent. Steps that wait in a queue are recorded by the next hooks.
    fn compare_log(&mut self, session: &str) -> Result<Result<LedgerDifference, String>, ChoreFailure> {
        for _ in 0..HOOKS_TO_EMPTY_QUEUE {
            let log = match LoggedStep::read(&self.home, self.lab.program(), session) {
                Ok(log) => log,
                Err(reason) => return Ok(Err(reason)),
            };
            let difference = self.ledger.compare(session, &log, self.is_damaged);
            if difference.lost.is_empty() || !self.home.has_queue() {
                return Ok(Ok(difference));
            }
            let call = self.new_call();
            self.record(session, &call)?;
        }
        Ok(Err(format!("the queue of {session} does not become empty")))
    }

    /// Returns the home, for other trials, and the figures.
    pub(super) fn into_parts(self) -> (TrialHome, PartFigures) {
        (self.home, self.figures)
    }
}
