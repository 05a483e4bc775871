//! The one place that knows how a log is read in pieces: its format is found at its beginning, and whole lines are given to
//! the reader of that format as they come.

use loopbreak::Step;
use loopbreak_trace::{Format, Record, Sink, Skipped, Sniffed, sniff};

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
        match sniff(head) {
            Ok(Sniffed::Log(format)) => Known::Log(Reader { format }),
            Ok(Sniffed::Binary | Sniffed::Utf16) => Known::NoLog,
            _ if head.len() as u64 >= LOOKED_AT => Known::NoLog,
            _ => Known::NotYet,
        }
    }
}

/// Reads a log of which more and more is written.
#[derive(Debug)]
pub(super) struct Reader {
    format: Format,
}

/// Who takes what is read: the line and the step, or the line and why it was skipped.
pub(super) trait Taker {
    fn step(&mut self, line: u64, run: Option<&str>, step: &Step<'_>);
    fn skipped(&mut self, line: u64, why: String);
}

impl Reader {
    /// Reads the next whole lines; `before` is how many came before them.
    pub(super) fn feed(&mut self, lines: &[u8], before: u64, taker: &mut dyn Taker) {
        // Reading from memory cannot fail.
        let _ = self.format.read(lines, &mut Shifted { before, taker });
    }
}

struct Shifted<'t> {
    before: u64,
    taker: &'t mut dyn Taker,
}

impl Sink for Shifted<'_> {
    fn record(&mut self, record: &Record<'_>) {
        self.taker.step(self.before + record.line, record.run().as_deref(), &record.step);
    }

    fn skipped(&mut self, skipped: Skipped) {
        self.taker.skipped(self.before + skipped.line, skipped.reason.to_string());
    }
}
