//! Starts a program under limits of time, memory and open files, and measures it.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{Read, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::chore_failure::ChoreFailure;
use crate::trial::{MachineStall, kill_group};

/// Address space of a program. More than any of them needs, and less than would harm the machine.
const ADDRESS_SPACE: u64 = 12 * 1024 * MEGABYTE;
/// Memory at which a program is killed.
const MOST_MEMORY: u64 = 3 * 1024 * MEGABYTE;
/// Pause between two looks at a program.
const PAUSE: Duration = Duration::from_millis(2);
/// Bytes of an output that are kept.
const KEPT_OUTPUT: usize = 16 << 20;
/// Time for the rest of the output after the end. What a program left behind may keep it open.
const OUTPUT_TIME: Duration = Duration::from_secs(2);
/// A user who has no account and owns nothing.
const OTHER_USER: &str = "64321";

pub(super) const MEGABYTE: u64 = 1024 * 1024;

/// A program that is to be started.
#[derive(Debug)]
pub(super) struct LimitedCommand {
    words: Vec<OsString>,
    folder: PathBuf,
    variables: Vec<(OsString, OsString)>,
    input: Option<Vec<u8>>,
    time: Duration,
    open_files: Option<u32>,
    is_other_user: bool,
    stays_open: bool,
}

/// A program that runs.
#[derive(Debug)]
pub(super) struct LimitedProgram {
    child: Child,
    input: Option<ChildStdin>,
    out: Receiver<Vec<u8>>,
    err: Receiver<Vec<u8>>,
    started: Instant,
    stall: MachineStall,
    time: Duration,
    peak: u64,
}

/// The end of a program.
#[derive(Debug)]
pub(super) struct ProgramEnd {
    /// Nothing if it did not end by itself, and was killed.
    pub(super) status: Option<ExitStatus>,
    pub(super) out: String,
    pub(super) err: String,
    pub(super) elapsed: Duration,
    /// Time that the machine may have taken for other work meanwhile.
    pub(super) stalled: Duration,
    /// The largest memory that was seen, in bytes.
    pub(super) peak: u64,
}

impl LimitedCommand {
    pub(super) fn new(program: &Path, folder: &Path, time: Duration) -> Self {
        LimitedCommand {
            words: vec![program.as_os_str().to_owned()],
            folder: folder.to_owned(),
            variables: Vec::new(),
            input: None,
            time,
            open_files: None,
            is_other_user: false,
            stays_open: false,
        }
    }

    pub(super) fn args(mut self, words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.words.extend(words.into_iter().map(|word| word.as_ref().to_owned()));
        self
    }

    pub(super) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.variables.push((name.into(), value.as_ref().to_owned()));
        self
    }

    pub(super) fn folder(mut self, folder: &Path) -> Self {
        folder.clone_into(&mut self.folder);
        self
    }

    pub(super) fn input(mut self, input: impl Into<Vec<u8>>) -> Self {
        self.input = Some(input.into());
        self
    }

    /// Leaves standard input open after the input.
    pub(super) fn stays_open(mut self) -> Self {
        self.stays_open = true;
        self.input.get_or_insert_default();
        self
    }

    pub(super) fn open_files(mut self, count: u32) -> Self {
        self.open_files = Some(count);
        self
    }

    /// Runs it as another user. Only root may do that.
    pub(super) fn by_other_user(mut self) -> Self {
        self.is_other_user = true;
        self
    }

    pub(super) fn start(self) -> Result<LimitedProgram, ChoreFailure> {
        // These replace themselves by the program, so its process is the child.
        let mut command = Command::new("prlimit");
        command.arg(format!("--as={ADDRESS_SPACE}")).arg("--core=0");
        if let Some(count) = self.open_files {
            command.arg(format!("--nofile={count}:{count}"));
        }
        command.arg("--");
        if self.is_other_user {
            command.args(["setpriv", "--clear-groups"]);
            command.args(["reuid", "regid"].map(|kind| format!("--{kind}={OTHER_USER}")));
        }
        command
            .args(&self.words)
            .current_dir(&self.folder)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .envs(self.variables)
            .stdin(if self.input.is_some() { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let (started, stall) = (Instant::now(), MachineStall::now());
        let mut child = command.spawn().map_err(|error| ChoreFailure::io("start prlimit", &error))?;
        let (out, err) = (collect(child.stdout.take()), collect(child.stderr.take()));
        let mut input = child.stdin.take();
        if let (Some(stream), Some(bytes)) = (&mut input, &self.input) {
            // A program that has ended does not read it.
            let _ = stream.write_all(bytes);
        }
        if !self.stays_open {
            input = None;
        }
        Ok(LimitedProgram { child, input, out, err, started, stall, time: self.time, peak: 0 })
    }

    pub(super) fn run(self) -> Result<ProgramEnd, ChoreFailure> {
        self.start()?.wait()
    }
}

/// Reads a stream in the background, so that the program never waits for it.
fn collect(stream: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let Some(mut stream) = stream else { return };
        let (mut kept, mut block) = (0, vec![0; 64 * 1024]);
        while let Ok(count @ 1..) = stream.read(&mut block) {
            let wanted = count.min(KEPT_OUTPUT - kept);
            kept += wanted;
            if wanted > 0 && sender.send(block[..wanted].to_vec()).is_err() {
                return;
            }
        }
    });
    receiver
}

impl LimitedProgram {
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the memory that it has used at most so far, in bytes.
    pub(super) fn peak(&mut self) -> u64 {
        self.peak = self.peak.max(self.memory("VmHWM:"));
        self.peak
    }

    fn memory(&self, name: &str) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap_or_default();
        parse_memory(&status, name)
    }

    /// Writes to standard input.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), ChoreFailure> {
        let failed = |error: std::io::Error| ChoreFailure::io("write to the program", &error);
        self.input.as_mut().map_or(Ok(()), |input| input.write_all(bytes)).map_err(failed)
    }

    /// Returns the next part of standard output, if there is one in time.
    pub(super) fn next_output(&self, time: Duration) -> Option<Vec<u8>> {
        self.out.recv_timeout(time).ok()
    }

    /// Returns the next part of standard error, if there is one in time.
    pub(super) fn next_error(&self, time: Duration) -> Option<Vec<u8>> {
        self.err.recv_timeout(time).ok()
    }

    /// Kills the program alone, and leaves what it has started.
    pub(super) fn kill_alone(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Returns whether it has ended. Measures it, and kills it at its limits.
    pub(super) fn has_ended(&mut self) -> Result<bool, ChoreFailure> {
        self.peak();
        if self.memory("VmRSS:") > MOST_MEMORY || self.started.elapsed() > self.time {
            kill_group(&mut self.child);
            return Ok(true);
        }
        let ended = self.child.try_wait().map_err(|error| ChoreFailure::io("wait for a program", &error))?;
        Ok(ended.is_some())
    }

    /// Waits for its end.
    pub(super) fn wait(mut self) -> Result<ProgramEnd, ChoreFailure> {
        while !self.has_ended()? {
            thread::sleep(PAUSE);
        }
        let elapsed = self.started.elapsed();
        let status = self.child.wait().map_err(|error| ChoreFailure::io("wait for a program", &error))?;
        let is_ended = self.memory_and_time_are_kept(elapsed);
        let until = Instant::now() + OUTPUT_TIME;
        let text = |stream: &Receiver<Vec<u8>>| {
            let mut bytes = Vec::new();
            while let Ok(more) = stream.recv_timeout(until.saturating_duration_since(Instant::now())) {
                bytes.extend(more);
            }
            String::from_utf8_lossy(&bytes).into_owned()
        };
        Ok(ProgramEnd {
            status: is_ended.then_some(status),
            out: text(&self.out),
            err: text(&self.err),
            elapsed,
            stalled: MachineStall::now().since(self.stall),
            peak: self.peak,
        })
    }

    fn memory_and_time_are_kept(&self, elapsed: Duration) -> bool {
        self.peak <= MOST_MEMORY && elapsed <= self.time
    }
}

impl Drop for LimitedProgram {
    fn drop(&mut self) {
        kill_group(&mut self.child);
        let _ = self.child.wait();
    }
}

impl ProgramEnd {
    /// Returns the exit code, if it has exited.
    pub(super) fn code(&self) -> Option<i32> {
        self.status.and_then(|status| status.code())
    }

    /// Returns whether it was quick enough. Time in which the machine kept processes waiting is not counted, but only up to three
    /// times the limit: a program that waits for something would be excused by a busy machine otherwise.
    pub(super) fn is_within(&self, limit: Duration) -> bool {
        self.elapsed.saturating_sub(self.stalled.min(limit * 3)) <= limit
    }

    /// Renders the exit code and the time.
    pub(super) fn describe(&self) -> String {
        let seconds = self.elapsed.as_secs_f64();
        match self.code() {
            Some(code) => format!("exit {code} after {seconds:.2} s"),
            None => format!("no exit code after {seconds:.2} s"),
        }
    }

    /// Renders the memory.
    pub(super) fn memory(&self) -> String {
        megabytes(self.peak)
    }
}

/// Renders a size.
pub(super) fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes.div_ceil(MEGABYTE))
}

/// Finds a line such as `VmHWM:     1234 kB`. Returns bytes.
fn parse_memory(status: &str, name: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    number.unwrap_or(0) * 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(line: &str, time: u64) -> LimitedCommand {
        LimitedCommand::new(Path::new("sh"), Path::new("/"), Duration::from_millis(time)).args(["-c", line])
    }

    #[test]
    fn a_program_is_measured_and_its_output_kept() {
        let end = shell("cat; echo bad >&2; exit 3", 60_000).input("good").run().unwrap();
        assert_eq!((end.code(), &*end.out, &*end.err), (Some(3), "good", "bad\n"));
        assert!(end.elapsed < Duration::from_mins(1) && end.is_within(Duration::from_mins(1)));
    }

    #[test]
    fn a_program_that_does_not_end_is_killed_with_what_it_started_and_is_never_within_its_time() {
        let end = shell("sleep 3600 & wait", 300).run().unwrap();
        assert_eq!(end.code(), None);
        assert!(!end.is_within(Duration::from_millis(50)), "{end:?}");
        assert!(end.describe().starts_with("no exit code after "));
    }

    #[test]
    fn memory_is_read_from_the_status_of_a_process() {
        assert_eq!(parse_memory("VmPeak:\t 9 kB\nVmHWM:\t  12 kB\n", "VmHWM:"), 12 * 1024);
        assert_eq!(parse_memory("", "VmHWM:"), 0);
        assert!(shell("sleep 0.2", 60_000).run().unwrap().peak > 0);
    }
}
