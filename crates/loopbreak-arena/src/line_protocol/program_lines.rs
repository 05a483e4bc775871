//! Lines with a bound, read by a thread of their own, so that whoever waits for one can give up.

use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use crate::cancel_flag::CancelFlag;

/// How many lines wait to be read. Whoever writes more has to wait.
const WAITING: usize = 4;
/// How often the sign to end is looked at.
const TICK: Duration = Duration::from_millis(50);

/// What came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramLine {
    /// A line, without its end.
    Text(String),
    /// A line that was longer than is taken in. It is thrown away to its end.
    TooLong,
    /// Nothing in time.
    Late,
    /// There is nothing more.
    End,
    /// The sign to end was given.
    Cancelled,
}

/// Lines that somebody else reads.
#[derive(Debug)]
pub struct ProgramLines {
    lines: Receiver<ProgramLine>,
}

impl ProgramLines {
    /// Reads lines of at most so many bytes.
    pub fn new(from: impl Read + Send + 'static, longest: usize) -> Self {
        let (tell, lines) = sync_channel(WAITING);
        // Nobody waits for this thread: it ends when its source does, or when nobody listens.
        thread::spawn(move || read(BufReader::new(from), longest, &tell));
        ProgramLines { lines }
    }

    /// The next line. Waits for so long at most, or for ever.
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
                // The ticks are counted: this crate reads no clock.
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
        if line.len() + part.len() > longest {
            (line, too_long) = (Vec::new(), true);
        } else if !too_long {
            line.extend_from_slice(part);
        }
        let used = end.map_or(bytes.len(), |end| end + 1);
        from.consume(used);
        if end.is_some() && tell.send(told(&mut line, &mut too_long)).is_err() {
            return;
        }
    }
    // A last line may lack its end.
    if too_long || !line.is_empty() {
        let _ = tell.send(told(&mut line, &mut too_long));
    }
}

fn told(line: &mut Vec<u8>, too_long: &mut bool) -> ProgramLine {
    let bytes = std::mem::take(line);
    if std::mem::take(too_long) {
        return ProgramLine::TooLong;
    }
    let text = String::from_utf8_lossy(&bytes);
    ProgramLine::Text(text.strip_suffix('\r').unwrap_or(&text).to_owned())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn lines_come_one_by_one_and_long_ones_are_thrown_away_to_their_end() {
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

    #[test]
    fn nobody_waits_longer_than_asked() {
        let (reader, _writer) = std::io::pipe().unwrap();
        let lines = ProgramLines::new(reader, 20);
        assert_eq!(lines.next(Some(Duration::from_millis(10)), &CancelFlag::default()), ProgramLine::Late);
    }
}
