//! Runs a command until a condition is met.

use std::io;
use std::time::{Duration, Instant};

use super::{WaitCondition, WaitEnd, WaitOptions, WaitReport};
use crate::error::RunError;
use crate::process::command_run::{CommandEnd, CommandRun, CommandStart};
use crate::process::guardian::GuardianStart;
use crate::process::interrupt_flag::InterruptFlag;

/// Shortest pause between two tries, so that a command that takes longer than `every` does not run without a break.
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);
/// Exit codes of a shell if the command cannot be run.
const CANNOT_RUN: [i32; 2] = [126, 127];

/// Receives the progress of a wait.
pub trait WaitObserver {
    /// A try has not met the condition. `last` is the way it ended, and `pause` the time until the next one.
    fn waiting(&self, tries: u64, last: &str, pause: Duration);
    /// Something that the user should know.
    fn message(&self, text: &str);
}

/// Runs a command until a condition is met.
#[derive(Debug)]
pub struct CommandWaiter<'w> {
    options: &'w WaitOptions,
    guardian: Option<GuardianStart>,
    interrupts: InterruptFlag,
    began: Instant,
}

impl<'w> CommandWaiter<'w> {
    /// Starts to listen for interrupts: from here on they end the wait, and not the program.
    pub fn new(options: &'w WaitOptions) -> Result<Self, RunError> {
        let guardian = options.guardian.clone().map(|words| GuardianStart { words, lock: None });
        let interrupts = InterruptFlag::listen()?;
        Ok(CommandWaiter { options, guardian, interrupts, began: Instant::now() })
    }

    /// Waits. Each try ends with all processes of its group. Returns an error if the command cannot be started.
    pub fn run(self, observer: &dyn WaitObserver) -> Result<WaitReport, RunError> {
        let (mut tries, mut first) = (0, None);
        loop {
            let started = Instant::now();
            let ran = self.start(&self.options.command)?;
            tries += 1;
            let report = |end| self.report(end, tries, &ran);
            if ran.end == CommandEnd::Interrupted {
                return Ok(report(WaitEnd::Interrupted));
            }
            if self.is_met(&ran, &mut first) {
                return Ok(report(WaitEnd::Met));
            }
            if tries == 1 && exit_code(&ran).is_some_and(|code| CANNOT_RUN.contains(&code)) {
                observer.message(&format!(
                    "the first try could not run its command ({}); the wait continues, in case it appears",
                    ran.err.lines().last().unwrap_or_default().trim()
                ));
            }
            if let Some(fail_when) = &self.options.fail_when
                && !self.left().is_zero()
            {
                let failure = self.start(fail_when)?;
                if failure.end == CommandEnd::Interrupted {
                    return Ok(report(WaitEnd::Interrupted));
                }
                if is_success(&failure) {
                    return Ok(self.report(WaitEnd::Failed, tries, &failure));
                }
            }
            let pause = self.options.every.saturating_sub(started.elapsed()).max(SHORTEST_PAUSE);
            let is_last = pause >= self.left();
            observer.waiting(tries, &describe(&ran), pause.min(self.left()));
            if self.interrupts.sleep(pause.min(self.left())) {
                return Ok(report(WaitEnd::Interrupted));
            }
            if is_last {
                return Ok(report(WaitEnd::TimedOut));
            }
        }
    }

    /// Returns the time that is left.
    fn left(&self) -> Duration {
        self.options.timeout.saturating_sub(self.began.elapsed())
    }

    fn start(&self, words: &[String]) -> Result<CommandRun, RunError> {
        let start = CommandStart {
            words,
            input: None,
            variables: &[],
            time_limit: Some(self.options.try_timeout.min(self.left())),
            log: None,
            observer: None,
            guardian: self.guardian.as_ref(),
        };
        start.run(&self.interrupts, &mut |_| {}).map_err(|error| {
            let name = words.first().map(String::as_str).unwrap_or_default();
            let failed = RunError::failed(format!("cannot run {name:?}: {error}"));
            match error.kind() {
                io::ErrorKind::NotFound => failed.hint("check the name; --until CMD runs CMD with the shell"),
                _ => failed,
            }
        })
    }

    /// Returns whether a try met the condition. `first` is the result of the first try.
    fn is_met(&self, ran: &CommandRun, first: &mut Option<(Option<i32>, String)>) -> bool {
        match &self.options.condition {
            WaitCondition::Success => is_success(ran),
            WaitCondition::Output(text) => ran.out.contains(text) || ran.err.contains(text),
            // A try that was cut off has no result.
            WaitCondition::Change if ran.end == CommandEnd::TimedOut => false,
            WaitCondition::Change => {
                let result = (exit_code(ran), ran.out.clone());
                let first = first.get_or_insert_with(|| result.clone());
                *first != result
            }
        }
    }

    fn report(&self, end: WaitEnd, tries: u64, ran: &CommandRun) -> WaitReport {
        let output = if ran.out.trim().is_empty() { &ran.err } else { &ran.out };
        WaitReport {
            end,
            waited: self.began.elapsed(),
            tries,
            last: describe(ran),
            exit: exit_code(ran),
            output: WaitReport::shorten(output),
        }
    }
}

fn is_success(ran: &CommandRun) -> bool {
    matches!(ran.end, CommandEnd::Exited(status) if status.success())
}

fn exit_code(ran: &CommandRun) -> Option<i32> {
    match ran.end {
        CommandEnd::Exited(status) => status.code(),
        _ => None,
    }
}

/// Describes the way in which a try ended.
fn describe(ran: &CommandRun) -> String {
    match ran.end {
        CommandEnd::Exited(status) => match status.code() {
            Some(code) => format!("exit code {code}"),
            None => status.to_string(),
        },
        CommandEnd::TimedOut => "took too long".to_owned(),
        CommandEnd::Interrupted => String::new(),
    }
}
