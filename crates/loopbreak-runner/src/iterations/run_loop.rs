//! A run in progress: the parts shared by plain iterations and the task autopilot.

use std::io;
use std::time::{Duration, Instant};

use loopbreak::text::mask_secrets;
use loopbreak::verdict::LoopId;
use loopbreak::{
    Config, Decision, DetectorName, Guard, Intervention, Mode, Step, Verdict, step::EpochMillis,
};
use loopbreak_process::agent_from_pid;
use loopbreak_store::{BackoffEvent, NoteEvent, RunEndEvent, RunEvent, RunnerState, now};

use loopbreak_watch::notification::{LoopNotification, NotifierSet};

use crate::PARENT_RUN_VARIABLE;
use crate::error::RunError;
use crate::iterations::iteration_result::IterationResult;
use crate::iterations::run_end::RunEndReason;
use crate::iterations::transient_failure::TransientFailure;
use crate::iterations::work_tree::WorkTree;
use crate::observer::RunObserver;
use crate::options::RunOptions;
use crate::process::command_run::{CommandEnd, CommandRun, CommandStart};
use crate::process::guardian::GuardianStart;
use crate::process::interrupt_flag::InterruptFlag;
use crate::prompt::completion_promise::{PromiseSighting, find_promise, within_line_note};
use crate::prompt::run_prompt::RunPrompt;
use crate::prompt::second_opinion::SecondOpinion;
use crate::recording::run_recorder::{RecordedEvent, RunRecorder};
use crate::recording::{private_file, scratchpad};

/// The longest wait for all notifications at the end of the run. A command that has not ended by then is stopped.
const NOTIFY_TIMEOUT: Duration = Duration::from_secs(5);
/// The longest back-off.
const MAX_BACKOFF: Duration = Duration::from_mins(10);

/// A run in progress.
#[derive(Debug)]
pub(crate) struct RunLoop<'a> {
    pub(crate) options: &'a RunOptions,
    /// The settings as they apply to this run: if it is held out, they only observe.
    pub(crate) config: Config,
    pub(crate) prompt: RunPrompt<'a>,
    pub(crate) notifiers: NotifierSet,
    pub(crate) observer: &'a dyn RunObserver,
    pub(crate) advisor: Option<SecondOpinion>,
    pub(crate) interrupts: InterruptFlag,
    /// Starts the guardian of each process group.
    pub(crate) guardian: Option<GuardianStart>,
    pub(crate) recorder: RunRecorder<'a>,
    pub(crate) guard: Guard,
    pub(crate) runner_state: RunnerState,
    pub(crate) work_tree: WorkTree,
    /// The message of a human since the last iteration.
    pub(crate) human: Option<String>,
    /// The sentence about the completion promise for the next prompt.
    pub(crate) promise_note: Option<String>,
    /// Set after the user was told about a promise that does not count.
    pub(crate) has_noted_promise: bool,
    /// Environment variables of the command.
    pub(crate) variables: Vec<(&'static str, String)>,
    /// Cost of the run by the store, which hooks of the agent may have recorded. 0 if nothing is known.
    pub(crate) known_session_cost: f64,
}

/// The reason why the run ends, and a text about it.
pub(crate) type RunEnd = (RunEndReason, String);

/// The result of an attempt to run the command once.
#[derive(Debug)]
pub(crate) enum IterationRound {
    CommandRun(Box<CommandRun>, IterationResult),
    /// The command had a transient failure. The wait for it is over.
    Again,
    RunEnd(RunEnd),
}

impl RunLoop<'_> {
    /// Starts or continues the run. Returns its end if no iteration is left.
    pub(crate) fn begin(&mut self) -> Option<RunEnd> {
        let session = self.recorder.session().to_owned();
        if self.guard.turn() == 0 {
            self.observer.message(&format!("run {session}"));
            self.warn_about_earlier_runs();
            // Time counts from here, not from the end of the first iteration.
            self.guard.observe(&Step { refused: true, ..self.step() });
        } else {
            self.observer.message(&format!("run {session} continues after iteration {}", self.guard.turn()));
            // A user who starts the run again has looked at it.
            self.human = Some("started the run again".to_owned());
        }
        let event = RunEvent::Start(NoteEvent { action: self.command_text() });
        let under_way = self.runner_state.under_way.take();
        self.recorder.write(&RecordedEvent::new(event), &self.guard, &mut self.runner_state);
        under_way.and_then(|number| self.count_cut_off_iteration(number)).or_else(|| self.used_up_limit())
    }

    /// Returns the end of a run that has no iteration left. The guard reports a limit when it is reached, and not again when
    /// the run is continued with the same one.
    fn used_up_limit(&self) -> Option<RunEnd> {
        let (used, limit) = (self.guard.turn(), self.config.budget.max_iterations);
        let is_enforced = [self.config.mode, self.config.budget.mode] == [Mode::Enforce; 2];
        let is_used_up = is_enforced && limit > 0 && used >= limit;
        let why = || format!("max_iterations: {used} of {limit} used; raise --max-iterations to continue");
        is_used_up.then(|| (RunEndReason::Limit, why()))
    }

    /// Runs the command once. Waits if it has a transient failure, which says nothing about its work.
    pub(crate) fn run_once(&mut self, failures: &mut u32) -> Result<IterationRound, RunError> {
        let started = Instant::now();
        let ran = self.run_command()?;
        let mut iteration = self.iteration_result(&ran);
        iteration.time = started.elapsed().saturating_sub(ran.paused);
        if ran.end == CommandEnd::Interrupted {
            self.write_scratchpad(&iteration, "interrupted");
            return Ok(IterationRound::RunEnd(interrupted()));
        }
        let failed = matches!(ran.end, CommandEnd::Exited(status) if !status.success());
        if let Some(failure) = TransientFailure::from_output(&ran.out, &ran.err).filter(|_| failed) {
            *failures += 1;
            let end = self.back_off(failure, *failures, &iteration);
            return Ok(end.map_or(IterationRound::Again, IterationRound::RunEnd));
        }
        *failures = 0;
        Ok(IterationRound::CommandRun(Box::new(ran), iteration))
    }

    /// Waits between two iterations, if a delay is set.
    pub(crate) fn pause(&self) -> Option<RunEnd> {
        self.options.delay.and_then(|delay| self.sleep(delay))
    }

    /// Sends a notification.
    pub(crate) fn notify(&mut self, verdict: &Verdict, step: &Step<'_>, decision: &Decision) {
        let notification = LoopNotification::new(
            self.recorder.session(),
            &self.command_text(),
            verdict.turn,
            step,
            verdict,
            decision,
        );
        let mut warnings = self.notifiers.send(&notification);
        warnings.extend(self.notifiers.poll());
        for warning in warnings {
            self.observer.warning(&warning);
        }
    }

    /// Runs the command once.
    fn run_command(&mut self) -> Result<CommandRun, RunError> {
        if let Err(why) = self.prompt.reload() {
            self.observer.warning(&why);
        }
        let number = self.guard.turn() + 1;
        let log = self.options.log_dir.as_ref().map(|folder| {
            let path = folder.join(format!("{}-{number:04}.log", self.recorder.session()));
            private_file::create(&path)
                .map_err(|error| RunError::failed(format!("--log-dir {}: {error}", path.display())))
        });
        let promise_note = self.promise_note.take();
        let notes: Vec<&str> =
            [self.runner_state.advice.as_deref(), promise_note.as_deref()].into_iter().flatten().collect();
        let (words, input) = self.prompt.command_line(&notes);
        let time_limit = [self.options.iteration_timeout, self.time_left()].into_iter().flatten().min();
        let mut variables = self.variables.clone();
        variables.push((PARENT_RUN_VARIABLE, self.recorder.session().to_owned()));
        let start = CommandStart {
            words: &words,
            input,
            variables: &variables,
            time_limit,
            log: log.transpose()?,
            observer: Some(self.observer),
            guardian: self.guardian.as_ref(),
        };
        // Stored before it starts: if this process is killed, the iteration still counts.
        self.runner_state.under_way = Some(number);
        self.recorder.write_state(&self.guard, &mut self.runner_state);
        let (recorder, guard, runner_state) = (&mut self.recorder, &self.guard, &mut self.runner_state);
        let ran = start.run(&self.interrupts, &mut |pid| {
            // Stored, so that the agent can be paused by name.
            recorder.set_process(agent_from_pid(pid));
            recorder.write_state(guard, runner_state);
        });
        self.recorder.set_process(None);
        self.runner_state.under_way = None;
        if let Ok(ran) = &ran {
            let paused = i64::try_from(ran.paused.as_millis()).unwrap_or(i64::MAX);
            self.runner_state.paused = self.runner_state.paused.saturating_add(paused);
        }
        ran.map_err(|error| {
            let message = format!("cannot start {:?}: {error}", self.options.command[0]);
            match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied if number == 1 => {
                    RunError::usage(message)
                        .hint("the command comes after --, as a program and its arguments")
                }
                io::ErrorKind::ArgumentListTooLong => RunError::failed(message)
                    .hint("leave out {prompt}: the prompt then goes to standard input, at any length"),
                _ => RunError::failed(message),
            }
        })
    }

    /// Returns whether the command kept the completion promise. Tells the user and, in the next prompt, the agent about one that
    /// does not count.
    pub(crate) fn is_promise_kept(&mut self, ran: &CommandRun) -> bool {
        let Some(promise) = self.options.completion_promise.as_deref() else { return false };
        let sighting = find_promise(&ran.out, promise, self.prompt.current());
        if sighting == PromiseSighting::WithinLine {
            let note = within_line_note(promise);
            if !std::mem::replace(&mut self.has_noted_promise, true) {
                self.observer.message(&note);
            }
            self.promise_note = Some(note);
        }
        sighting == PromiseSighting::Kept
    }

    fn iteration_result(&mut self, ran: &CommandRun) -> IterationResult {
        let shown = [self.prompt.current(), self.runner_state.advice.as_deref().unwrap_or_default()];
        let mut iteration = IterationResult::new(self.guard.turn() + 1, ran, shown);
        if iteration.is_silent() && self.work_tree.is_unchanged() {
            iteration.mark_idle();
        }
        iteration
    }

    /// Waits after a transient failure of the command. Returns the end of the run after too many of them in a
    /// row.
    fn back_off(
        &mut self,
        failure: TransientFailure,
        times: u32,
        iteration: &IterationResult,
    ) -> Option<RunEnd> {
        let pause = self.options.backoff.saturating_mul(1 << (times - 1).min(16)).min(MAX_BACKOFF);
        let why = format!("{}: {}", failure.reason(), iteration.errors);
        let event = BackoffEvent { action: why.clone(), trouble: failure.pattern().to_string(), times };
        self.recorder.write(
            &RecordedEvent::new(RunEvent::Backoff(event)),
            &self.guard,
            &mut self.runner_state,
        );
        if times > failure.max_waits() {
            self.write_scratchpad(iteration, "a human is needed");
            let decision = Decision {
                intervention: Intervention::Escalate,
                detector: DetectorName::Errors,
                pattern: failure.pattern(),
                loop_id: LoopId(0),
                task: None,
                reason: why.clone(),
                enforced: true,
            };
            let verdict = Verdict { turn: self.guard.turn(), ..Verdict::default() };
            self.notify(&verdict, &self.step(), &decision);
            return Some((RunEndReason::Human, why));
        }
        self.observer.message(&format!("{why}; waiting {} s", pause.as_secs_f64()));
        self.write_scratchpad(iteration, "wait and try again");
        self.sleep(pause)
    }

    /// Sleeps, but not beyond the time limit of the run.
    pub(crate) fn sleep(&self, time: Duration) -> Option<RunEnd> {
        let left = self.time_left();
        if self.interrupts.sleep(left.map_or(time, |left| left.min(time))) {
            return Some(interrupted());
        }
        left.filter(|left| *left <= time).map(|_| (RunEndReason::Limit, "the time is up".to_owned()))
    }

    /// Returns the time left until the time limit of the run, if there is one.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        let budget = &self.config.budget;
        let enforced = self.config.mode_of(DetectorName::Budget) == Mode::Enforce;
        let limit = Some(budget.max_runtime.millis).filter(|limit| enforced && *limit > 0)?;
        let passed = self.time().saturating_sub(self.runner_state.started).max(0);
        Some(Duration::from_millis(limit.saturating_sub(passed as u64)))
    }

    /// Returns the current time of the run's clock, which stands still while the run is paused.
    pub(crate) fn time(&self) -> i64 {
        now().saturating_sub(self.runner_state.paused)
    }

    pub(crate) fn step<'s>(&self) -> Step<'s> {
        Step { at: Some(EpochMillis(self.time())), ..Step::default() }
    }

    /// Returns the command on one line, with secrets masked.
    pub(crate) fn command_text(&self) -> String {
        loopbreak_report::printable(&mask_secrets(&self.options.command.join(" ")))
    }

    /// Adds a line to the scratchpad.
    pub(crate) fn write_scratchpad(&self, iteration: &IterationResult, next: &str) {
        if let Some(path) = &self.options.scratchpad
            && let Err(why) = scratchpad::append_line(path, iteration, next)
        {
            self.observer.warning(&why);
        }
    }

    /// Stores the end of the run, and waits until notifications are delivered.
    pub(crate) fn end(&mut self, what: &str, code: u8) {
        let event = RunEndEvent { action: Some(what.to_owned()), code: Some(code), ..RunEndEvent::default() };
        let event = RecordedEvent { ended: true, ..RecordedEvent::new(RunEvent::End(event)) };
        self.recorder.write(&event, &self.guard, &mut self.runner_state);
        for warning in self.notifiers.finish(NOTIFY_TIMEOUT) {
            self.observer.warning(&warning);
        }
    }
}

/// Returns the end of a run that the user interrupted.
pub(crate) fn interrupted() -> RunEnd {
    (RunEndReason::Interrupted, "all processes of the command were stopped".to_owned())
}
