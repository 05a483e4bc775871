//! Drives a reader through a log: line by line, as one document, or through several files of one run side by side.

use std::io::{self, BufRead, Read as _};

use loopbreak::EpochMillis;
use serde::Deserialize;

use crate::line::{LineFeeder, give_line};
use crate::line::{LineReader, LogLine};
use crate::log_format::LogReader;
use crate::log_record::{ReadStats, RecordSink};

/// The largest document that is read, in bytes. It has to be held as a whole; lines have no such limit on their number.
pub const LARGEST_DOCUMENT: u64 = 256 * 1024 * 1024;

/// Reads line by line. Blank lines are nothing; every other line is taken or skipped.
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
    Ok(feed.read())
}

/// Reads the whole as one document.
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
            "one JSON document of more than {largest} MB; write it as one record a line, or cut long outputs"
        )));
    }
    give_document(reader, &text, sink);
    let lines = memchr::memchr_iter(b'\n', &text).count() as u64 + u64::from(!text.ends_with(b"\n"));
    Ok(ReadStats { bytes, lines })
}

/// Gives a whole document to the reader.
pub(crate) fn give_document(reader: &mut dyn LogReader, text: &[u8], sink: &mut dyn RecordSink) {
    let document = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    give_line(reader, LogLine::Whole(document), 1, None, sink);
}

/// A file that is read beside another.
pub(crate) struct CompanionFile<R> {
    /// Its name, for what is said about its lines.
    pub(crate) name: String,
    pub(crate) input: R,
}

struct TimedLines<R> {
    name: Option<String>,
    lines: LineReader<R>,
    /// The time of the line that is next, in order. `None` at the end.
    next: Option<i64>,
}

impl<R: BufRead> TimedLines<R> {
    /// Goes to the next line. One without a time comes right after the one before.
    fn advance(&mut self) -> io::Result<()> {
        let before = self.next.unwrap_or(i64::MIN);
        self.next = match self.lines.next()? {
            None => None,
            Some(LogLine::Whole(line)) => Some(time(line).map_or(before, |time| time.max(before))),
            Some(LogLine::TooLong { .. }) => Some(before),
        };
        Ok(())
    }
}

/// Reads the lines of several files in the order of their times.
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
    // The main file comes first among equals: it calls the others.
    while let Some(file) = files.iter_mut().filter(|file| file.next.is_some()).min_by_key(|file| file.next) {
        let number = file.lines.number();
        let name = file.name.clone();
        if let Some(line) = file.lines.current()? {
            give_line(reader, line, number, name.as_deref(), sink);
        }
        file.advance()?;
    }
    Ok(ReadStats {
        bytes: files.iter().map(|file| file.lines.bytes()).sum(),
        lines: files.iter().map(|file| file.lines.number()).sum(),
    })
}

fn time(line: &[u8]) -> Option<i64> {
    #[derive(Deserialize)]
    struct TimestampField {
        timestamp: Option<EpochMillis>,
    }
    let timed: TimestampField = serde_json::from_slice(line).ok()?;
    timed.timestamp.map(|time| time.0)
}
