//! A program that answers requests line by line. When it is dropped, it is stopped together with all processes it
//! started.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::process_group::{self, StopSignal};
use super::program_lines::{ProgramLine, ProgramLines};
use crate::cancel_flag::CancelFlag;
use crate::game_text;

/// Maximum length of a line.
const LINE: usize = 1024 * 1024;
/// Number of bytes of standard error that are kept, and number of characters of it in an error.
const STDERR: usize = 4096;
const TOLD: usize = 300;
/// Time for a program to end after its input is closed, in ticks.
const GRACE: (u32, Duration) = (50, Duration::from_millis(10));

/// The reason why a program gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ProtocolError {
    /// The program cannot be started.
    #[error("cannot start {0:?}: {1}")]
    Start(String, String),
    /// The program has ended.
    #[error("{0:?} has ended{1}")]
    Ended(String, String),
    /// The program did not answer in time.
    #[error("{0:?} did not answer within {1:?}")]
    Timeout(String, Duration),
    /// The program answered with a line over the limit.
    #[error("{0:?} answered with a line of more than {LINE} bytes")]
    TooLong(String),
    /// The answer has an unexpected form.
    #[error("{0:?} gave an unexpected answer ({1}): {2}")]
    Malformed(String, String, String),
    /// The program reported an error.
    #[error("{0:?} reported an error: {1}")]
    Said(String, String),
    /// The episode was cancelled.
    #[error("interrupted")]
    Cancelled,
}

/// A request with its number.
#[derive(Serialize)]
struct ProtocolRequest<'r, T> {
    id: u64,
    #[serde(flatten)]
    what: &'r T,
}

/// The keys that every answer may have.
#[derive(Deserialize)]
struct ReplyHead {
    id: Option<u64>,
    error: Option<String>,
}

/// A running program.
#[derive(Debug)]
pub struct LineProgram {
    name: String,
    child: Child,
    requests: Option<Sender<String>>,
    answers: ProgramLines,
    stderr: Arc<Mutex<Vec<u8>>>,
    listener: JoinHandle<()>,
    timeout: Duration,
    cancel: CancelFlag,
    last: u64,
    /// Number of late answers that may still arrive.
    owed: u64,
}

impl LineProgram {
    /// Starts a program, given as its words. No answer may take longer than `timeout`.
    pub fn start(words: &[String], timeout: Duration, cancel: &CancelFlag) -> Result<Self, ProtocolError> {
        let failed = |name: &str, why: &str| ProtocolError::Start(name.to_owned(), why.to_owned());
        let (name, arguments) = words.split_first().ok_or_else(|| failed("", "no command"))?;
        let mut command = Command::new(name);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        process_group::isolate(&mut command);
        let mut child = command.spawn().map_err(|error| failed(name, &error.to_string()))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(errors)) = pipes else {
            process_group::stop(&mut child, StopSignal::Kill);
            return Err(failed(name, "its pipes cannot be opened"));
        };
        let (requests, lines) = channel::<String>();
        // A program may ignore its input, so this thread is not joined.
        thread::spawn(move || lines.into_iter().try_for_each(|line| write(&stdin, &line)));
        let stderr = Arc::new(Mutex::new(Vec::new()));
        let listener = thread::spawn({
            let stderr = Arc::clone(&stderr);
            move || listen(errors, &stderr)
        });
        Ok(LineProgram {
            name: name.clone(),
            child,
            requests: Some(requests),
            answers: ProgramLines::new(stdout, LINE),
            stderr,
            listener,
            timeout,
            cancel: cancel.clone(),
            last: 0,
            owed: 0,
        })
    }

    /// Returns the name of the program.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sends a request and waits for the answer.
    pub fn ask<Q: Serialize, A: DeserializeOwned>(&mut self, what: &Q) -> Result<A, ProtocolError> {
        self.last += 1;
        let id = self.last;
        let line = serde_json::to_string(&ProtocolRequest { id, what })
            .map_err(|error| ProtocolError::Said(self.name.clone(), error.to_string()))?;
        if self.requests.as_ref().is_none_or(|requests| requests.send(line + "\n").is_err()) {
            return Err(self.ended());
        }
        let mut old = 0;
        loop {
            let text = match self.answers.next(Some(self.timeout), &self.cancel) {
                ProgramLine::Text(text) => text,
                ProgramLine::TooLong => return Err(ProtocolError::TooLong(self.name.clone())),
                ProgramLine::Late => {
                    self.owed += 1;
                    return Err(ProtocolError::Timeout(self.name.clone(), self.timeout));
                }
                ProgramLine::End => return Err(self.ended()),
                ProgramLine::Cancelled => return Err(ProtocolError::Cancelled),
            };
            let malformed = |why: &dyn ToString| {
                ProtocolError::Malformed(self.name.clone(), why.to_string(), game_text::one_line(&text, 100))
            };
            let head: ReplyHead = serde_json::from_str(&text).map_err(|error| malformed(&error))?;
            // A late answer to an earlier request: it has a lower number or, without numbers, an answer is still
            // owed. Each request is answered once, so there are at most as many late answers as requests.
            let is_old = head.id.map_or(self.owed > 0, |answered| answered < id && old < id);
            if is_old {
                self.owed = self.owed.saturating_sub(1);
                old += 1;
                continue;
            }
            match head.id {
                Some(answered) if answered == id => self.owed = 0,
                Some(answered) => return Err(malformed(&format!("request {id}, not {answered}"))),
                None => {}
            }
            if let Some(error) = head.error {
                return Err(ProtocolError::Said(self.name.clone(), game_text::one_line(&error, TOLD)));
            }
            return serde_json::from_str(&text).map_err(|error| malformed(&error));
        }
    }

    /// Builds the error for a program that has ended, with its exit status and its last output on standard error.
    fn ended(&mut self) -> ProtocolError {
        let mut how = String::new();
        if let Some(status) = self.wait() {
            how = format!(" ({status})");
            // After all its processes have ended, its output is complete.
            process_group::stop(&mut self.child, StopSignal::Kill);
            for _ in 0..GRACE.0 {
                if self.listener.is_finished() {
                    break;
                }
                thread::sleep(GRACE.1);
            }
        }
        let said = game_text::one_line(&String::from_utf8_lossy(&lock(&self.stderr)), usize::MAX);
        let skip = said.chars().count().saturating_sub(TOLD);
        let said: String = said.chars().skip(skip).collect();
        let said = loopbreak::text::mask_secrets(&said);
        if !said.is_empty() {
            how = format!("{how}: {said}");
        }
        ProtocolError::Ended(self.name.clone(), how)
    }

    /// Waits a short time for the program to end.
    fn wait(&mut self) -> Option<std::process::ExitStatus> {
        for _ in 0..GRACE.0 {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) => thread::sleep(GRACE.1),
                Err(_) => return None,
            }
        }
        None
    }
}

impl Drop for LineProgram {
    fn drop(&mut self) {
        // Closing the input lets the program clean up.
        self.requests = None;
        self.wait();
        process_group::stop(&mut self.child, StopSignal::Kill);
        let _ = self.child.wait();
    }
}

fn write(mut to: &ChildStdin, line: &str) -> std::io::Result<()> {
    to.write_all(line.as_bytes()).and_then(|()| to.flush())
}

/// Keeps the last output of a program.
fn listen(mut from: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 1024];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        let mut kept = lock(kept);
        kept.extend_from_slice(&buffer[..count]);
        let surplus = kept.len().saturating_sub(STDERR);
        kept.drain(..surplus);
    }
}

/// Locks a mutex, even if a thread panicked while holding it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
