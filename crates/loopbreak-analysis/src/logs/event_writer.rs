//! Events as JSON lines.

use std::io::{self, Write};

use loopbreak::Event;

/// Writes events, one JSON object per line.
#[derive(Debug)]
pub struct EventWriter<W> {
    out: W,
    /// The first error. Nothing is written after it.
    written: io::Result<()>,
}

impl<W: Write> EventWriter<W> {
    /// Creates a writer. Give it a buffered one.
    pub fn new(out: W) -> Self {
        EventWriter { out, written: Ok(()) }
    }

    /// Writes the events of a step. An error is kept until [`EventWriter::finish`].
    pub fn write(&mut self, events: &[Event]) {
        for event in events {
            if self.written.is_ok() {
                self.written = serde_json::to_writer(&mut self.out, event)
                    .map_err(io::Error::from)
                    .and_then(|()| self.out.write_all(b"\n"));
            }
        }
    }

    /// Flushes, and returns the first error of all writes.
    pub fn finish(mut self) -> io::Result<()> {
        self.written.and_then(|()| self.out.flush())
    }
}
