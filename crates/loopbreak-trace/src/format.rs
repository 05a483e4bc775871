//! Log formats, and what all their readers have in common.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, BufRead};

use loopbreak::Step;

use crate::reason::Reason;
use crate::steps;

/// A log format. To add one: write its file with `recognises` and `read`, and name it here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// The native format: one step record a line.
    Steps,
}

/// One record of a log.
#[derive(Debug)]
pub struct Record<'a> {
    /// The line it stands on, from 1 on.
    pub line: u64,
    /// What it says.
    pub step: Step<'a>,
}

impl Record<'_> {
    /// The run it belongs to, where it names one.
    pub fn run(&self) -> Option<Cow<'_, str>> {
        self.step.run.as_ref().map(loopbreak::Label::as_text)
    }
}

/// A line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The line, from 1 on.
    pub line: u64,
    /// Why, and what to do.
    pub reason: Reason,
}

/// Who takes what a reader yields, in the order of the log.
pub trait Sink {
    /// A record was read.
    fn record(&mut self, record: &Record<'_>);
    /// A line was skipped.
    fn skipped(&mut self, skipped: Skipped);
}

/// How much a reader read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// In bytes.
    pub bytes: u64,
    /// In lines, blank ones included.
    pub lines: u64,
}

impl Format {
    /// All formats, in the order in which they are tried on an unknown log.
    pub const ALL: &'static [Format] = &[Format::Steps];

    /// The name in all output.
    pub fn as_str(self) -> &'static str {
        match self {
            Format::Steps => "steps",
        }
    }

    /// Whether a line is one of this format; `None` where the line cannot be read at all.
    pub(crate) fn recognises(self, line: &[u8]) -> Option<bool> {
        match self {
            Format::Steps => steps::recognises(line),
        }
    }

    /// Reads a whole log of this format.
    pub fn read(self, input: impl BufRead, sink: &mut dyn Sink) -> io::Result<Read> {
        match self {
            Format::Steps => steps::read(input, sink),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
