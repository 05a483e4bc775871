//! Drives a reader through a log: line by line, as one document, or through several files of one run in the order of
//! time.

use std::io::{self, BufRead, Read as _};

use loopbreak::step::EpochMillis;
use serde::Deserialize;

use crate::line::{LineFeeder, feed_line};
use crate::line::{LineReader, LogLine};
use crate::log_format::LogReader;
use crate::log_record::{ReadStats, RecordSink};

/// The largest JSON document that is read, in bytes. A document is held in memory as a whole; logs of lines have no
/// such limit.
pub const LARGEST_DOCUMENT: u64 = 256 * 1024 * 1024;

/// Reads a log line by line. Blank lines are ignored; every other line is read or skipped.
pub(crate) fn read_lines(
    reader: &mut dyn LogReader,
    mut input: impl BufRead,
    file: Option<&str>,
    sink: &mut dyn RecordSink,
) -> io::Result<ReadStats> {
    let mut feed = LineFeeder::new(file);
    loop {
        let buffer = match input.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let length = buffer.len();
        if length == 0 {
            break;
        }
        feed.push(reader, buffer, sink);
        input.consume(length);
    }
    feed.close(reader, sink);
    Ok(feed.stats())
}

/// Reads a log that is one JSON document.
pub(crate) fn read_document(
    reader: &mut dyn LogReader,
    mut input: impl BufRead,
    sink: &mut dyn RecordSink,
) -> io::Result<ReadStats> {
    let mut text = Vec::new();
    let bytes = input.by_ref().take(LARGEST_DOCUMENT + 1).read_to_end(&mut text)? as u64;
    if bytes > LARGEST_DOCUMENT {
        let largest = LARGEST_DOCUMENT / (1024 * 1024);
        return Err(io::Error::other(format!(
            "the JSON document is larger than {largest} MB; write one record per line, or shorten long outputs"
        )));
    }
    feed_document(reader, &text, sink);
    let lines = memchr::memchr_iter(b'\n', &text).count() as u64 + u64::from(!text.ends_with(b"\n"));
    Ok(ReadStats { bytes, lines })
}

/// Passes a whole document to the reader.
pub(crate) fn feed_document(reader: &mut dyn LogReader, text: &[u8], sink: &mut dyn RecordSink) {
    let document = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    feed_line(reader, LogLine::Whole(document), 1, None, sink);
}

/// A companion file, which is read together with the main file.
pub(crate) struct CompanionFile<R> {
    /// File name, for messages about its lines.
    pub(crate) name: String,
    pub(crate) input: R,
}

struct TimedLines<R> {
    name: Option<String>,
    lines: LineReader<R>,
    /// Timestamp of the next line, never decreasing. `None` at the end.
    next: Option<i64>,
}

impl<R: BufRead> TimedLines<R> {
    /// Moves to the next line. A line without a timestamp gets the one of the line before.
    fn advance(&mut self) -> io::Result<()> {
        let before = self.next.unwrap_or(i64::MIN);
        self.next = match self.lines.next()? {
            None => None,
            Some(LogLine::Whole(line)) => Some(timestamp(line).map_or(before, |time| time.max(before))),
            Some(LogLine::TooLong { .. }) => Some(before),
        };
        Ok(())
    }
}

/// Reads the lines of several files in the order of their timestamps.
pub(crate) fn read_merged<R: BufRead>(
    reader: &mut dyn LogReader,
    main: R,
    parts: Vec<CompanionFile<R>>,
    sink: &mut dyn RecordSink,
) -> io::Result<ReadStats> {
    let main = TimedLines { name: None, lines: LineReader::new(main), next: Some(i64::MIN) };
    let parts = parts.into_iter().map(|part| TimedLines {
        name: Some(part.name),
        lines: LineReader::new(part.input),
        next: Some(i64::MIN),
    });
    let mut files: Vec<TimedLines<R>> = std::iter::once(main).chain(parts).collect();
    for file in &mut files {
        file.advance()?;
    }
    // At equal timestamps the main file comes first: it starts the others.
    while let Some(file) = files.iter_mut().filter(|file| file.next.is_some()).min_by_key(|file| file.next) {
        let number = file.lines.number();
        let name = file.name.clone();
        if let Some(line) = file.lines.current()? {
            feed_line(reader, line, number, name.as_deref(), sink);
        }
        file.advance()?;
    }
    Ok(ReadStats {
        bytes: files.iter().map(|file| file.lines.bytes()).sum(),
        lines: files.iter().map(|file| file.lines.number()).sum(),
    })
}

fn timestamp(line: &[u8]) -> Option<i64> {
    #[derive(Deserialize)]
    struct TimestampField {
        timestamp: Option<EpochMillis>,
    }
    let timed: TimestampField = serde_json::from_slice(line).ok()?;
    timed.timestamp.map(|time| time.0)
}
