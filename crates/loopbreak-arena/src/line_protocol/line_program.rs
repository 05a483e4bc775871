//! A program that is asked, line by line. It is ended with all that it started when nobody needs it any more.

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

/// The longest line that is taken in.
const LINE: usize = 1024 * 1024;
/// How much of what it said on standard error is kept, and how much of that is told.
const STDERR: usize = 4096;
const TOLD: usize = 300;
/// How long a program may take to end by itself once its input is closed, in ticks.
const GRACE: (u32, Duration) = (50, Duration::from_millis(10));

/// Why a program gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProtocolError {
    /// It could not be started.
    #[error("cannot start {0:?}: {1}")]
    Start(String, String),
    /// It has ended.
    #[error("{0:?} has ended{1}")]
    Ended(String, String),
    /// It took too long.
    #[error("{0:?} gave no answer within {1:?}")]
    Timeout(String, Duration),
    /// It said more than is taken in.
    #[error("{0:?} answered with a line of more than {LINE} bytes")]
    TooLong(String),
    /// It answered with something that is no answer.
    #[error("{0:?} answered with something else than was asked for ({1}): {2}")]
    Malformed(String, String, String),
    /// It says that it cannot.
    #[error("{0:?} says: {1}")]
    Said(String, String),
    /// The sign to end was given.
    #[error("interrupted")]
    Cancelled,
}

/// A request: its number, and what is asked.
#[derive(Serialize)]
struct ProtocolRequest<'r, T> {
    id: u64,
    #[serde(flatten)]
    what: &'r T,
}

/// What every answer may have.
#[derive(Deserialize)]
struct ReplyHead {
    id: Option<u64>,
    error: Option<String>,
}

/// A program that is asked.
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
    /// How many answers may still come that nobody waits for any more.
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
            return Err(failed(name, "it has no pipes"));
        };
        let (requests, lines) = channel::<String>();
        // A program need not read what it is told: nobody waits for this thread.
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

    /// The name of the program.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Asks something, and waits for the answer.
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
            // The answer to a request that was given up: an older number, or, without numbers, one that is owed. Each
            // request is answered once, so that there are not more of them than requests.
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

    /// It has ended: with what, and what it said last.
    fn ended(&mut self) -> ProtocolError {
        let mut how = String::new();
        if let Some(status) = self.wait() {
            how = format!(" ({status})");
            // With all it started gone, its last words are complete.
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

    /// Waits for its end, for a while.
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
        // Its input ends: whoever wants to tidy up may do so now.
        self.requests = None;
        self.wait();
        process_group::stop(&mut self.child, StopSignal::Kill);
        let _ = self.child.wait();
    }
}

fn write(mut to: &ChildStdin, line: &str) -> std::io::Result<()> {
    to.write_all(line.as_bytes()).and_then(|()| to.flush())
}

/// Keeps the last words of a program.
fn listen(mut from: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 1024];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        let mut kept = lock(kept);
        kept.extend_from_slice(&buffer[..count]);
        let surplus = kept.len().saturating_sub(STDERR);
        kept.drain(..surplus);
    }
}

/// A thread that panicked left what it had.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
