//! Drives a reader through a log: line by line, as one document, or through several files of one run side by side.

use std::io::{self, BufRead, Read as _};

use loopbreak::Millis;
use serde::Deserialize;

use crate::feed::{Feed, take};
use crate::format::{Read, Reader, Sink};
use crate::lines::{Line, Lines};

/// The largest document that is read, in bytes. It has to be held as a whole; lines have no such limit on their number.
pub const LARGEST_DOCUMENT: u64 = 256 * 1024 * 1024;

/// Reads line by line. Blank lines are nothing; every other line is taken or skipped.
pub(crate) fn lines(
    reader: &mut dyn Reader,
    mut input: impl BufRead,
    file: Option<&str>,
    sink: &mut dyn Sink,
) -> io::Result<Read> {
    let mut feed = Feed::new(file);
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
pub(crate) fn document(
    reader: &mut dyn Reader,
    mut input: impl BufRead,
    sink: &mut dyn Sink,
) -> io::Result<Read> {
    let mut text = Vec::new();
    let bytes = input.by_ref().take(LARGEST_DOCUMENT + 1).read_to_end(&mut text)? as u64;
    if bytes > LARGEST_DOCUMENT {
        let largest = LARGEST_DOCUMENT / (1024 * 1024);
        return Err(io::Error::other(format!(
            "one JSON document of more than {largest} MB; write it as one record a line, or cut long outputs"
        )));
    }
    whole(reader, &text, sink);
    let lines = memchr::memchr_iter(b'\n', &text).count() as u64 + u64::from(!text.ends_with(b"\n"));
    Ok(Read { bytes, lines })
}

/// Gives a whole document to the reader.
pub(crate) fn whole(reader: &mut dyn Reader, text: &[u8], sink: &mut dyn Sink) {
    let document = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    take(reader, Line::Whole(document), 1, None, sink);
}

/// A file that is read beside another.
pub(crate) struct Part<R> {
    /// Its name, for what is said about its lines.
    pub(crate) name: String,
    pub(crate) input: R,
}

struct Open<R> {
    name: Option<String>,
    lines: Lines<R>,
    /// The time of the line that is next, in order. `None` at the end.
    next: Option<i64>,
}

impl<R: BufRead> Open<R> {
    /// Goes to the next line. One without a time comes right after the one before.
    fn advance(&mut self) -> io::Result<()> {
        let before = self.next.unwrap_or(i64::MIN);
        self.next = match self.lines.next()? {
            None => None,
            Some(Line::Whole(line)) => Some(time(line).map_or(before, |time| time.max(before))),
            Some(Line::TooLong { .. }) => Some(before),
        };
        Ok(())
    }
}

/// Reads the lines of several files in the order of their times.
pub(crate) fn merged<R: BufRead>(
    reader: &mut dyn Reader,
    main: R,
    parts: Vec<Part<R>>,
    sink: &mut dyn Sink,
) -> io::Result<Read> {
    let main = Open { name: None, lines: Lines::new(main), next: Some(i64::MIN) };
    let parts = parts.into_iter().map(|part| Open {
        name: Some(part.name),
        lines: Lines::new(part.input),
        next: Some(i64::MIN),
    });
    let mut files: Vec<Open<R>> = std::iter::once(main).chain(parts).collect();
    for file in &mut files {
        file.advance()?;
    }
    // The main file comes first among equals: it calls the others.
    while let Some(file) = files.iter_mut().filter(|file| file.next.is_some()).min_by_key(|file| file.next) {
        let number = file.lines.number();
        let name = file.name.clone();
        if let Some(line) = file.lines.again()? {
            take(reader, line, number, name.as_deref(), sink);
        }
        file.advance()?;
    }
    Ok(Read {
        bytes: files.iter().map(|file| file.lines.bytes()).sum(),
        lines: files.iter().map(|file| file.lines.number()).sum(),
    })
}

fn time(line: &[u8]) -> Option<i64> {
    #[derive(Deserialize)]
    struct Timed {
        timestamp: Option<Millis>,
    }
    let timed: Timed = serde_json::from_slice(line).ok()?;
    timed.timestamp.map(|time| time.0)
}
