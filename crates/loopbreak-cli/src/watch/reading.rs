//! The one place that knows how a log is read in pieces: its format is found at its beginning, and whole lines are given to
//! the reader of that format as they come.

use loopbreak::Step;
use loopbreak_trace::{Live, Record, Sink, Skipped, Sniffed, sniff};

/// How much of a file is looked at before it is given up as a log.
const LOOKED_AT: u64 = 1024 * 1024;

/// What is known of a file.
#[derive(Debug)]
pub(super) enum Known {
    /// Too little was written yet to say.
    NotYet,
    /// It is no log, and will not become one by growing.
    NoLog,
    /// It is one.
    Log(Reader),
}

impl Known {
    /// Looks at the whole lines at the beginning of a file.
    pub(super) fn of(head: &[u8]) -> Self {
        match sniff(head, None) {
            Ok(Sniffed::Log(format, _)) => Known::Log(Reader { live: Live::new(format) }),
            Ok(Sniffed::Binary | Sniffed::Utf16) => Known::NoLog,
            _ if head.len() as u64 >= LOOKED_AT => Known::NoLog,
            _ => Known::NotYet,
        }
    }
}

/// Reads a log of which more and more is written.
#[derive(Debug)]
pub(super) struct Reader {
    live: Live,
}

/// Who takes what is read: the line and the step, or the line and why it was skipped.
pub(super) trait Taker {
    fn step(&mut self, line: u64, run: Option<&str>, step: &Step<'_>);
    fn skipped(&mut self, line: u64, why: String);
}

impl Reader {
    /// Reads the next whole lines.
    pub(super) fn feed(&mut self, lines: &[u8], taker: &mut dyn Taker) {
        self.live.push(0, lines, &mut Given { taker });
    }

    /// Gives what was held back.
    pub(super) fn end(&mut self, taker: &mut dyn Taker) {
        self.live.end(&mut Given { taker });
    }
}

struct Given<'t> {
    taker: &'t mut dyn Taker,
}

impl Sink for Given<'_> {
    fn record(&mut self, record: &Record<'_>) {
        self.taker.step(record.line, record.run().as_deref(), &record.step);
    }

    fn skipped(&mut self, skipped: Skipped) {
        self.taker.skipped(skipped.line, skipped.reason.to_string());
    }
}
