//! Reads lines of limited length on a separate thread, so that waiting for a line can be cancelled.

use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use crate::cancel_flag::CancelFlag;

/// Number of lines in the queue. A writer that is faster has to wait.
const WAITING: usize = 4;
/// Interval at which the cancel flag is checked.
const TICK: Duration = Duration::from_millis(50);

/// The result of waiting for a line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProgramLine {
    /// A line, without its line break.
    Text(String),
    /// A line over the limit. It is reported as soon as it is too long, and the rest is discarded.
    TooLong,
    /// No line in time.
    Late,
    /// The end of the input.
    End,
    /// The wait was cancelled.
    Cancelled,
}

/// Lines that are read on a separate thread.
#[derive(Debug)]
pub struct ProgramLines {
    lines: Receiver<ProgramLine>,
}

impl ProgramLines {
    /// Starts reading lines of at most `longest` bytes.
    pub fn new(from: impl Read + Send + 'static, longest: usize) -> Self {
        let (tell, lines) = sync_channel(WAITING);
        // The thread is not joined: it ends with its source, or when the receiver is dropped.
        thread::spawn(move || read(BufReader::new(from), longest, &tell));
        ProgramLines { lines }
    }

    /// Returns the next line. Waits at most `longest`, or without a limit.
    pub fn next(&self, longest: Option<Duration>, cancel: &CancelFlag) -> ProgramLine {
        let mut waited = Duration::ZERO;
        loop {
            if cancel.is_cancelled() {
                return ProgramLine::Cancelled;
            }
            let left = longest.map(|longest| longest.saturating_sub(waited));
            if left.is_some_and(|left| left.is_zero()) {
                return ProgramLine::Late;
            }
            let tick = left.map_or(TICK, |left| left.min(TICK));
            match self.lines.recv_timeout(tick) {
                Ok(line) => return line,
                // Ticks are counted because this crate does not read a clock.
                Err(RecvTimeoutError::Timeout) => waited += tick,
                Err(RecvTimeoutError::Disconnected) => return ProgramLine::End,
            }
        }
    }
}

fn read(mut from: impl BufRead, longest: usize, tell: &SyncSender<ProgramLine>) {
    let mut line = Vec::new();
    let mut too_long = false;
    while let Ok(bytes) = from.fill_buf() {
        if bytes.is_empty() {
            break;
        }
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let part = &bytes[..end.unwrap_or(bytes.len())];
        if too_long {
            // It was reported already.
        } else if line.len() + part.len() > longest {
            (line, too_long) = (Vec::new(), true);
            // It may never end.
            if tell.send(ProgramLine::TooLong).is_err() {
                return;
            }
        } else {
            line.extend_from_slice(part);
        }
        let used = end.map_or(bytes.len(), |end| end + 1);
        from.consume(used);
        if end.is_some() && !std::mem::take(&mut too_long) && tell.send(take_line(&mut line)).is_err() {
            return;
        }
    }
    // The last line may lack its line break.
    if !line.is_empty() {
        let _ = tell.send(take_line(&mut line));
    }
}

fn take_line(line: &mut Vec<u8>) -> ProgramLine {
    let bytes = std::mem::take(line);
    let text = String::from_utf8_lossy(&bytes);
    ProgramLine::Text(text.strip_suffix('\r').unwrap_or(&text).to_owned())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn lines_over_the_limit_are_discarded() {
        let text = format!("one\r\n{}\n\nlast", "x".repeat(100_000));
        let lines = ProgramLines::new(Cursor::new(text.into_bytes()), 20);
        let cancel = CancelFlag::default();
        let next = || lines.next(None, &cancel);
        assert_eq!(next(), ProgramLine::Text("one".to_owned()));
        assert_eq!(next(), ProgramLine::TooLong);
        assert_eq!(next(), ProgramLine::Text(String::new()));
        assert_eq!(next(), ProgramLine::Text("last".to_owned()));
        assert_eq!((next(), next()), (ProgramLine::End, ProgramLine::End));
        cancel.cancel();
        assert_eq!(lines.next(None, &cancel), ProgramLine::Cancelled);
    }

    /// A program that prints without a line break must not be waited for until the time limit.
    #[test]
    fn a_line_without_end_is_reported_as_soon_as_it_is_too_long() {
        let lines = ProgramLines::new(std::io::repeat(0), 1000);
        assert_eq!(lines.next(None, &CancelFlag::default()), ProgramLine::TooLong);
    }

    #[test]
    fn waiting_ends_at_the_time_limit() {
        let (reader, _writer) = std::io::pipe().unwrap();
        let lines = ProgramLines::new(reader, 20);
        assert_eq!(lines.next(Some(Duration::from_millis(10)), &CancelFlag::default()), ProgramLine::Late);
    }
}
