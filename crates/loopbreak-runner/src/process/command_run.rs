//! One run of the command: its prompt goes in, its output comes out, and it ends, whatever it does.

use std::fs::File;
use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use loopbreak_arena::line_protocol::process_group::{self, StopSignal};

use super::interrupt_flag::InterruptFlag;
use super::output_capture::OutputCapture;
use crate::observer::{OutputStream, RunObserver};

/// How long a command may tidy up before it is killed.
const GRACE: Duration = Duration::from_secs(5);
/// How long what a command left behind may tidy up.
const GRACE_OF_REST: Duration = Duration::from_secs(2);
/// How long a silent output is waited for after its command is gone: somebody who went off may hold it open for ever.
const SILENCE: Duration = Duration::from_millis(500);
/// How long one that is not silent is waited for: what was written before the end is read by then.
const LAST_WORDS: Duration = Duration::from_secs(5);
const TICKS: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(20));

/// What to start, and within which bounds.
#[derive(Debug)]
pub(crate) struct CommandStart<'s> {
    pub(crate) words: &'s [String],
    /// What goes to its standard input.
    pub(crate) input: Option<String>,
    /// What it finds in its environment beside ours.
    pub(crate) variables: &'s [(&'static str, String)],
    pub(crate) longest: Option<Duration>,
    /// Where all output is written too.
    pub(crate) log: Option<File>,
    /// Where output is passed on, if this is a run of the agent.
    pub(crate) pass_on: Option<&'s dyn RunObserver>,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommandEnd {
    Exited(ExitStatus),
    TimedOut,
    Interrupted,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct CommandRun {
    pub(crate) end: CommandEnd,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl CommandStart<'_> {
    /// Starts the command, and waits for its end. An error says that it could not be started.
    pub(crate) fn run(self, interrupts: &InterruptFlag) -> io::Result<CommandRun> {
        let (name, rest) = self.words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(name);
        command.args(rest).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.stdin(if self.input.is_some() { Stdio::piped() } else { Stdio::null() });
        for (name, value) in self.variables {
            // A variable cannot hold NUL.
            command.env(name, value.replace('\0', " "));
        }
        // A Ctrl-C on the terminal does not reach it then: we pass it on.
        process_group::isolate(&mut command);
        let mut child = command.spawn()?;
        if let (Some(mut pipe), Some(input)) = (child.stdin.take(), self.input) {
            // Nobody waits for this thread: a command need not read what it is given.
            thread::spawn(move || pipe.write_all(input.as_bytes()));
        }
        let log = self.log.map(|file| Arc::new(Mutex::new(file)));
        let to = |stream| -> Box<dyn Write + Send> {
            self.pass_on.map_or_else(|| Box::new(io::sink()) as _, |observer| observer.command_output(stream))
        };
        let out = child.stdout.take().map(|pipe| PipeDrain::new(pipe, to(OutputStream::Stdout), log.clone()));
        let err = child.stderr.take().map(|pipe| PipeDrain::new(pipe, to(OutputStream::Stderr), log));
        let end = wait(&mut child, self.longest, interrupts);
        sweep(&mut child, interrupts);
        let drains = [out, err];
        finish(&drains, interrupts);
        let [out, err] =
            drains.map(|drain| drain.map(|drain| lock(&drain.capture).text()).unwrap_or_default());
        Ok(CommandRun { end: end?, out, err })
    }
}

/// Waits for the command, and ends it if it takes too long.
fn wait(child: &mut Child, longest: Option<Duration>, interrupts: &InterruptFlag) -> io::Result<CommandEnd> {
    let began = Instant::now();
    let mut tick = TICKS.0;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(CommandEnd::Exited(status));
        }
        let late = longest.is_some_and(|longest| began.elapsed() >= longest);
        if late || interrupts.any() {
            end(child, interrupts)?;
            return Ok(if interrupts.any() { CommandEnd::Interrupted } else { CommandEnd::TimedOut });
        }
        thread::sleep(tick);
        tick = (tick * 2).min(TICKS.1);
    }
}

/// Ends the whole group: asks first, then kills.
fn end(child: &mut Child, interrupts: &InterruptFlag) -> io::Result<()> {
    process_group::stop(child, StopSignal::Terminate);
    let began = Instant::now();
    while child.try_wait()?.is_none() {
        if began.elapsed() >= GRACE || interrupts.again() {
            process_group::stop(child, StopSignal::Kill);
            child.wait()?;
            return Ok(());
        }
        thread::sleep(TICKS.1);
    }
    Ok(())
}

/// Ends what the command left behind in its group: an iteration is over when all of it is.
fn sweep(child: &mut Child, interrupts: &InterruptFlag) {
    if !process_group::is_running(child) {
        return;
    }
    process_group::stop(child, StopSignal::Terminate);
    let began = Instant::now();
    while process_group::is_running(child) {
        if began.elapsed() >= GRACE_OF_REST || interrupts.again() {
            process_group::stop(child, StopSignal::Kill);
            return;
        }
        thread::sleep(TICKS.1);
    }
}

/// A thread that reads an output to its end, passes it on, and keeps what is to be kept of it.
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
        let kept = capture.clone();
        PipeDrain { capture, thread: thread::spawn(move || drain(pipe, to, log.as_deref(), &kept)) }
    }
}

fn drain(mut pipe: impl Read, mut to: impl Write, log: Option<&Mutex<File>>, kept: &Mutex<OutputCapture>) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let bytes = match pipe.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => &buffer[..count],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        lock(kept).push(bytes);
        // That nobody looks at the output, or a disk is full, is no reason to end the agent.
        let _ = to.write_all(bytes).and_then(|()| to.flush());
        if let Some(log) = log {
            let _ = lock(log).write_all(bytes);
        }
    }
}

/// Waits until all is read, or what comes is not of the command any more.
fn finish(drains: &[Option<PipeDrain>; 2], interrupts: &InterruptFlag) {
    let total = || drains.iter().flatten().map(|drain| lock(&drain.capture).total).sum::<u64>();
    let began = Instant::now();
    let (mut before, mut heard) = (total(), began);
    while drains.iter().flatten().any(|drain| !drain.thread.is_finished()) {
        let now = total();
        if now != before {
            (before, heard) = (now, Instant::now());
        }
        if heard.elapsed() >= SILENCE || began.elapsed() >= LAST_WORDS || interrupts.again() {
            return;
        }
        thread::sleep(TICKS.0);
    }
}

/// A thread that panicked left what it had.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
