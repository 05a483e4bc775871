//! Finds out from its content what a log is. Names and endings say little: every tool writes `.jsonl`.

use std::io::{self, BufRead, Read as _};

use super::{JsonOutline, OutlineEnd};
use crate::line::{LineReader, LogLine};
use crate::log_format::LogFormat;

/// How many readable lines are looked at.
const READABLE: u32 = 64;
/// How many lines are looked at, readable or not: a log that begins with more rubbish than this is none.
const LINES: u32 = 1024;
/// How many bytes are looked at: room for a few of the longest lines.
const BYTES: u64 = 256 * 1024 * 1024;
/// How much of a document is looked at.
const HEAD: u64 = 1024 * 1024;

/// What a log turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SniffResult {
    /// A log of this format.
    Log(LogFormat, LogLayout),
    /// Nothing but blank lines.
    Empty,
    /// Bytes, not text.
    Binary,
    /// Text of 16 bits a character.
    Utf16,
    /// Text that is no known log.
    Unknown,
}

/// How a log is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogLayout {
    /// A value a line. A document on one line is a log of one line.
    Lines,
    /// One JSON document over many lines.
    Document,
}

/// Looks at the beginning of a stream, for the formats that there are or for one of them.
pub fn sniff(mut input: impl BufRead, only: Option<LogFormat>) -> io::Result<SniffResult> {
    let mut head = Vec::new();
    input.by_ref().take(HEAD).read_to_end(&mut head)?;
    if let Some(sniffed) = document(&head, only) {
        return Ok(sniffed);
    }
    let sniffed = lines(head.chain(input), only)?;
    // Whoever names the format knows better.
    Ok(match (sniffed, only) {
        (SniffResult::Unknown, Some(format)) => SniffResult::Log(format, LogLayout::Lines),
        _ => sniffed,
    })
}

fn formats(only: Option<LogFormat>) -> impl Iterator<Item = LogFormat> {
    LogFormat::all().filter(move |format| only.is_none_or(|only| only == *format))
}

/// Whether this is the beginning of a document over many lines.
fn document(head: &[u8], only: Option<LogFormat>) -> Option<SniffResult> {
    // A first line longer than the look may be a record like those after it.
    if head.len() as u64 == HEAD && memchr::memchr(b'\n', head.trim_ascii_start()).is_none() {
        return None;
    }
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    // The look may end in the middle of a character.
    let text = head.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let first = JsonOutline::parse(text.lines().next().unwrap_or_default());
    if first.end() != OutlineEnd::Cut || !first.begins() {
        return None;
    }
    let glimpse = JsonOutline::parse(text);
    if glimpse.end() == OutlineEnd::Broken {
        return None;
    }
    // A single step over many lines is more likely a file of settings that has a key in common with steps.
    let mut others = LogFormat::all().filter(|format| *format != LogFormat::STEPS);
    let format = only.or_else(|| others.find(|format| format.definition().recognizes(&glimpse)))?;
    Some(SniffResult::Log(format, LogLayout::Document))
}

fn lines(input: impl BufRead, only: Option<LogFormat>) -> io::Result<SniffResult> {
    let mut lines = LineReader::new(input);
    let (mut seen, mut readable) = (0, 0);
    let mut first = true;
    while let Some(line) = lines.next()? {
        let line = match line {
            LogLine::Whole(line) => line,
            LogLine::TooLong { .. } => &b"too long to be anything"[..],
        };
        if std::mem::take(&mut first) && (line.starts_with(b"\xFF\xFE") || line.starts_with(b"\xFE\xFF")) {
            return Ok(SniffResult::Utf16);
        }
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        if memchr::memchr(0, line).is_some() {
            return Ok(SniffResult::Binary);
        }
        seen += 1;
        if let Ok(line) = simdutf8::basic::from_utf8(line) {
            let (format, understood) = one(line, only);
            if let Some(format) = format {
                return Ok(SniffResult::Log(format, LogLayout::Lines));
            }
            readable += u32::from(understood);
        }
        if readable >= READABLE || seen >= LINES || lines.bytes() >= BYTES {
            break;
        }
    }
    Ok(if seen == 0 { SniffResult::Empty } else { SniffResult::Unknown })
}

/// The format that knows this line, and whether the line is anything at all.
fn one(line: &str, only: Option<LogFormat>) -> (Option<LogFormat>, bool) {
    let glimpse = JsonOutline::parse(line);
    if glimpse.end() == OutlineEnd::Whole && glimpse.begins() {
        return (formats(only).find(|format| format.definition().recognizes(&glimpse)), true);
    }
    (formats(only).find(|format| format.definition().recognizes_text(line)), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: SniffResult = SniffResult::Log(LogFormat::STEPS, LogLayout::Lines);

    fn of(text: &[u8]) -> SniffResult {
        sniff(text, None).unwrap()
    }

    #[test]
    fn content_decides() {
        assert_eq!(of(b"{\"action\":\"look\"}\n"), STEPS);
        assert_eq!(of(b"garbage\n{\"turn\":1}\n{\"score\":1}\n"), STEPS);
        assert_eq!(of(b"{\"score\":\n{\"score\":1}\n{\"score\":1}\n"), STEPS, "the first line was cut off");
        assert_eq!(of(b"{\n \"user\": \"me\"\n}\n"), SniffResult::Unknown, "settings of something");
        assert_eq!(of(b""), SniffResult::Empty);
        assert_eq!(of(b" \n\r\n\n"), SniffResult::Empty);
        assert_eq!(of(b"\x7fELF\x02\0\0\0"), SniffResult::Binary);
        assert_eq!(of(b"\xFF\xFE{\0\"\0"), SniffResult::Utf16);
        assert_eq!(of(b"# Notes\n\nNothing here.\n"), SniffResult::Unknown);
        assert_eq!(of(b"{\"run\":\"a\",\"success\":true}\n"), SniffResult::Unknown);
        assert_eq!(
            of(b"{\"event_type\":\"stuck_termination\",\"score\":1}\n"),
            SniffResult::Unknown,
            "our own events"
        );
    }

    #[test]
    fn not_more_than_the_beginning_is_looked_at() {
        let late = |before: &str, count: usize| format!("{}{}", before.repeat(count), "{\"score\":1}\n");
        assert_eq!(of(late("{\"x\":1}\n", 63).as_bytes()), STEPS);
        assert_eq!(of(late("{\"x\":1}\n", 64).as_bytes()), SniffResult::Unknown);
        assert_eq!(of(late("prose\n", 1000).as_bytes()), STEPS);
        assert_eq!(of(late("prose\n", 2000).as_bytes()), SniffResult::Unknown);
    }

    #[test]
    fn a_long_first_line_is_a_line() {
        let text = format!("{{\"say\":\"{}\"}}\n{{\"say\":\"b\"}}\n", "a".repeat(2 * HEAD as usize));
        assert_eq!(of(text.as_bytes()), STEPS);
        let document = format!("{{\n\"say\":\"{}\"}}\n", "a".repeat(2 * HEAD as usize));
        assert_eq!(
            sniff(document.as_bytes(), Some(LogFormat::STEPS)).unwrap(),
            SniffResult::Log(LogFormat::STEPS, LogLayout::Document)
        );
    }

    #[test]
    fn whoever_names_the_format_is_believed() {
        assert_eq!(sniff(&b"prose\n"[..], Some(LogFormat::STEPS)).unwrap(), STEPS);
        let document = SniffResult::Log(LogFormat::STEPS, LogLayout::Document);
        assert_eq!(sniff(&b"{\n \"x\": 1}\n"[..], Some(LogFormat::STEPS)).unwrap(), document);
        assert_eq!(sniff(&b""[..], Some(LogFormat::STEPS)).unwrap(), SniffResult::Empty);
    }

    #[test]
    fn names_are_not_shared() {
        let names: std::collections::BTreeSet<_> = LogFormat::all().map(LogFormat::as_str).collect();
        assert_eq!(names.len(), LogFormat::all().count());
        assert!(LogFormat::all().all(|format| format.as_str().parse() == Ok(format)));
    }
}
