//! One run of the command: passes the prompt to it, collects its output, and makes sure that it ends.

use std::fs::File;
use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use loopbreak_arena::line_protocol::process_group::StopSignal;
use loopbreak_watch::notification::variable_value;

use super::guardian::{CommandGroup, GuardianStart, LeftoverGroup};
use super::interrupt_flag::InterruptFlag;
use super::output_capture::OutputCapture;
use super::pause_clock::PauseClock;
use crate::observer::{OutputStream, RunObserver};

/// The time that a command has to clean up before it is killed.
const GRACE: Duration = Duration::from_secs(5);
/// The time that processes left behind by a command have to clean up before they are killed.
const LEFTOVER_GRACE: Duration = Duration::from_secs(2);
/// The longest wait for a silent output after its command ended: a detached process may hold it open forever.
const MAX_SILENCE: Duration = Duration::from_millis(500);
/// The longest wait for an output that is not silent. Everything written before the end is read by then.
const MAX_DRAIN: Duration = Duration::from_secs(5);
const TICKS: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(20));

/// A command to start, with its limits.
#[derive(Debug)]
pub(crate) struct CommandStart<'s> {
    pub(crate) words: &'s [String],
    /// The text for its standard input.
    pub(crate) input: Option<String>,
    /// Environment variables in addition to the inherited ones.
    pub(crate) variables: &'s [(&'static str, String)],
    pub(crate) time_limit: Option<Duration>,
    /// A file that gets all output.
    pub(crate) log: Option<File>,
    /// The observer that gets the output, if this is a run of the agent.
    pub(crate) observer: Option<&'s dyn RunObserver>,
    /// Starts the guardian of its processes.
    pub(crate) guardian: Option<&'s GuardianStart>,
}

/// The way a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommandEnd {
    Exited(ExitStatus),
    TimedOut,
    Interrupted,
}

/// A finished run of a command.
#[derive(Debug)]
pub(crate) struct CommandRun {
    pub(crate) end: CommandEnd,
    pub(crate) out: String,
    pub(crate) err: String,
    /// The time for which it was paused.
    pub(crate) paused: Duration,
}

impl CommandStart<'_> {
    /// Starts the command and waits for its end. `started` is called with the number of its process. Returns an error if it cannot be
    /// started.
    pub(crate) fn run(
        self,
        interrupts: &InterruptFlag,
        started: &mut dyn FnMut(u32),
    ) -> io::Result<CommandRun> {
        let (name, rest) = self.words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(name);
        command.args(rest).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.stdin(if self.input.is_some() { Stdio::piped() } else { Stdio::null() });
        for (name, value) in self.variables {
            command.env(name, variable_value(value));
        }
        let (mut group, mut child) = CommandGroup::spawn(&mut command, self.guardian)?;
        started(child.id());
        if let (Some(mut pipe), Some(input)) = (child.stdin.take(), self.input) {
            // This thread is not joined: a command need not read its input.
            thread::spawn(move || pipe.write_all(input.as_bytes()));
        }
        let log = self.log.map(|file| Arc::new(Mutex::new(file)));
        let output_to = |stream| -> Box<dyn Write + Send> {
            self.observer
                .map_or_else(|| Box::new(io::sink()) as _, |observer| observer.command_output(stream))
        };
        let out = child
            .stdout
            .take()
            .map(|pipe| PipeDrain::new(pipe, output_to(OutputStream::Stdout), log.clone()));
        let err = child.stderr.take().map(|pipe| PipeDrain::new(pipe, output_to(OutputStream::Stderr), log));
        let mut pause = PauseClock::new(child.id());
        let end = wait(&mut child, &mut group, self.time_limit, &mut pause, interrupts);
        stop_leftovers(group.into_leftovers(&child), interrupts);
        let drains = [out, err];
        wait_for_output(&drains, interrupts);
        let [out, err] =
            drains.map(|drain| drain.map(|drain| lock(&drain.capture).text()).unwrap_or_default());
        Ok(CommandRun { end: end?, out, err, paused: pause.total })
    }
}

/// Waits for the command. Ends it if it takes too long or the run is interrupted.
fn wait(
    child: &mut Child,
    group: &mut CommandGroup,
    time_limit: Option<Duration>,
    pause: &mut PauseClock,
    interrupts: &InterruptFlag,
) -> io::Result<CommandEnd> {
    let began = Instant::now();
    let mut tick = TICKS.0;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(CommandEnd::Exited(status));
        }
        pause.update();
        let is_late =
            time_limit.is_some_and(|time_limit| began.elapsed().saturating_sub(pause.total) >= time_limit);
        if is_late || interrupts.is_interrupted() {
            stop_group(child, group, interrupts)?;
            return Ok(if interrupts.is_interrupted() {
                CommandEnd::Interrupted
            } else {
                CommandEnd::TimedOut
            });
        }
        thread::sleep(tick);
        tick = (tick * 2).min(TICKS.1);
    }
}

/// Ends the whole process group: with a request first, then by force.
fn stop_group(child: &mut Child, group: &mut CommandGroup, interrupts: &InterruptFlag) -> io::Result<()> {
    group.stop(child, StopSignal::Terminate);
    let began = Instant::now();
    while child.try_wait()?.is_none() {
        if began.elapsed() >= GRACE || interrupts.is_repeated() {
            group.stop(child, StopSignal::Kill);
            child.wait()?;
            return Ok(());
        }
        thread::sleep(TICKS.1);
    }
    Ok(())
}

/// Ends the processes that the command left behind in its group: an iteration ends with all its processes.
fn stop_leftovers(group: LeftoverGroup, interrupts: &InterruptFlag) {
    if !group.is_running() {
        return;
    }
    group.stop(StopSignal::Terminate);
    let began = Instant::now();
    while group.is_running() {
        if began.elapsed() >= LEFTOVER_GRACE || interrupts.is_repeated() {
            group.stop(StopSignal::Kill);
            return;
        }
        thread::sleep(TICKS.1);
    }
}

/// A thread that reads an output to its end, passes it on, and captures its head and tail.
struct PipeDrain {
    capture: Arc<Mutex<OutputCapture>>,
    thread: JoinHandle<()>,
}

impl PipeDrain {
    fn new<R>(pipe: R, to: Box<dyn Write + Send>, log: Option<Arc<Mutex<File>>>) -> Self
    where
        R: Read + Send + 'static,
    {
        let capture = Arc::new(Mutex::new(OutputCapture::default()));
        let shared = capture.clone();
        PipeDrain { capture, thread: thread::spawn(move || drain(pipe, to, log.as_deref(), &shared)) }
    }
}

fn drain(mut pipe: impl Read, mut to: impl Write, log: Option<&Mutex<File>>, capture: &Mutex<OutputCapture>) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let bytes = match pipe.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => &buffer[..count],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        lock(capture).push(bytes);
        // A closed output or a full disk must not end the agent.
        let _ = to.write_all(bytes).and_then(|()| to.flush());
        if let Some(log) = log {
            let _ = lock(log).write_all(bytes);
        }
    }
}

/// Waits until all output is read, or the rest no longer comes from the command.
fn wait_for_output(drains: &[Option<PipeDrain>; 2], interrupts: &InterruptFlag) {
    let total = || drains.iter().flatten().map(|drain| lock(&drain.capture).total).sum::<u64>();
    let began = Instant::now();
    let (mut before, mut last_output) = (total(), began);
    while drains.iter().flatten().any(|drain| !drain.thread.is_finished()) {
        let now = total();
        if now != before {
            (before, last_output) = (now, Instant::now());
        }
        if last_output.elapsed() >= MAX_SILENCE || began.elapsed() >= MAX_DRAIN || interrupts.is_repeated() {
            return;
        }
        thread::sleep(TICKS.0);
    }
}

/// Locks a mutex. If a thread panicked, its data up to then is used.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
