//! Detects the format of a log from its content.

use std::io::{self, BufRead, Read as _};

use super::{JsonOutline, OutlineEnd};
use crate::line::{LineReader, LogLine};
use crate::log_format::LogFormat;

/// Maximum number of readable lines inspected.
const READABLE: u32 = 64;
/// Maximum number of lines inspected, readable or not.
const LINES: u32 = 1024;
/// Maximum number of bytes inspected: enough for a few lines of maximum length.
const BYTES: u64 = 256 * 1024 * 1024;
/// Number of bytes of a document that are inspected.
const HEAD: u64 = 1024 * 1024;

/// The result of format detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SniffResult {
    /// A log in this format.
    Log(LogFormat, LogLayout),
    /// Only blank lines.
    Empty,
    /// Not text.
    Binary,
    /// Text encoded as UTF-16.
    Utf16,
    /// Text in no known log format.
    Unknown,
}

/// The layout of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LogLayout {
    /// One value per line. A document on one line is a log with one line.
    Lines,
    /// One JSON document over several lines.
    Document,
}

/// Detects the format of a stream from its beginning. With `only`, the format is taken as given and only the layout
/// is detected.
pub fn sniff(mut input: impl BufRead, only: Option<LogFormat>) -> io::Result<SniffResult> {
    let mut head = Vec::new();
    input.by_ref().take(HEAD).read_to_end(&mut head)?;
    if let Some(sniffed) = detect_document(&head, only) {
        return Ok(sniffed);
    }
    let sniffed = detect_lines(head.chain(input), only)?;
    // A format named by the user is taken as given.
    Ok(match (sniffed, only) {
        (SniffResult::Unknown, Some(format)) => SniffResult::Log(format, LogLayout::Lines),
        _ => sniffed,
    })
}

fn formats(only: Option<LogFormat>) -> impl Iterator<Item = LogFormat> {
    LogFormat::all().filter(move |format| only.is_none_or(|only| only == *format))
}

/// Checks for a document over several lines.
fn detect_document(head: &[u8], only: Option<LogFormat>) -> Option<SniffResult> {
    // A first line longer than the limit may be a record like the ones after it.
    if head.len() as u64 == HEAD && memchr::memchr(b'\n', head.trim_ascii_start()).is_none() {
        return None;
    }
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    // The inspected part may end in the middle of a character.
    let text = head.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let first = JsonOutline::parse(text.lines().next().unwrap_or_default());
    if first.end() != OutlineEnd::Cut || !first.is_container() {
        return None;
    }
    let outline = JsonOutline::parse(text);
    if outline.end() == OutlineEnd::Broken {
        return None;
    }
    // A single step over several lines is more likely a settings file that happens to share a key with steps.
    let mut others = LogFormat::all().filter(|format| *format != LogFormat::STEPS);
    let format = only.or_else(|| others.find(|format| format.definition().recognizes(&outline)))?;
    Some(SniffResult::Log(format, LogLayout::Document))
}

fn detect_lines(input: impl BufRead, only: Option<LogFormat>) -> io::Result<SniffResult> {
    let mut lines = LineReader::new(input);
    let (mut seen, mut readable) = (0, 0);
    let mut first = true;
    while let Some(line) = lines.next()? {
        let line = match line {
            LogLine::Whole(line) => line,
            LogLine::TooLong { .. } => &b"too long"[..],
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
            let (format, understood) = detect_line(line, only);
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

/// Returns the format that recognizes a line, and whether the line is JSON.
fn detect_line(line: &str, only: Option<LogFormat>) -> (Option<LogFormat>, bool) {
    let outline = JsonOutline::parse(line);
    if outline.end() == OutlineEnd::Whole && outline.is_container() {
        return (formats(only).find(|format| format.definition().recognizes(&outline)), true);
    }
    (formats(only).find(|format| format.definition().recognizes_text(line)), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: SniffResult = SniffResult::Log(LogFormat::STEPS, LogLayout::Lines);

    fn detect(text: &[u8]) -> SniffResult {
        sniff(text, None).unwrap()
    }

    #[test]
    fn detects_the_format_from_the_content() {
        assert_eq!(detect(b"{\"action\":\"look\"}\n"), STEPS);
        assert_eq!(detect(b"garbage\n{\"turn\":1}\n{\"score\":1}\n"), STEPS);
        assert_eq!(
            detect(b"{\"score\":\n{\"score\":1}\n{\"score\":1}\n"),
            STEPS,
            "the first line is truncated"
        );
        assert_eq!(detect(b"{\n \"user\": \"me\"\n}\n"), SniffResult::Unknown, "a settings file");
        assert_eq!(detect(b""), SniffResult::Empty);
        assert_eq!(detect(b" \n\r\n\n"), SniffResult::Empty);
        assert_eq!(detect(b"\x7fELF\x02\0\0\0"), SniffResult::Binary);
        assert_eq!(detect(b"\xFF\xFE{\0\"\0"), SniffResult::Utf16);
        assert_eq!(detect(b"# Notes\n\nNothing here.\n"), SniffResult::Unknown);
        assert_eq!(detect(b"{\"run\":\"a\",\"success\":true}\n"), SniffResult::Unknown);
        assert_eq!(
            detect(b"{\"event_type\":\"stuck_termination\",\"score\":1}\n"),
            SniffResult::Unknown,
            "an event file of Loopbreak"
        );
    }

    #[test]
    fn inspects_only_the_beginning() {
        let late = |before: &str, count: usize| format!("{}{}", before.repeat(count), "{\"score\":1}\n");
        assert_eq!(detect(late("{\"x\":1}\n", 63).as_bytes()), STEPS);
        assert_eq!(detect(late("{\"x\":1}\n", 64).as_bytes()), SniffResult::Unknown);
        assert_eq!(detect(late("prose\n", 1000).as_bytes()), STEPS);
        assert_eq!(detect(late("prose\n", 2000).as_bytes()), SniffResult::Unknown);
    }

    #[test]
    fn a_long_first_line_is_not_a_document() {
        let text = format!("{{\"say\":\"{}\"}}\n{{\"say\":\"b\"}}\n", "a".repeat(2 * HEAD as usize));
        assert_eq!(detect(text.as_bytes()), STEPS);
        let document = format!("{{\n\"say\":\"{}\"}}\n", "a".repeat(2 * HEAD as usize));
        assert_eq!(
            sniff(document.as_bytes(), Some(LogFormat::STEPS)).unwrap(),
            SniffResult::Log(LogFormat::STEPS, LogLayout::Document)
        );
    }

    #[test]
    fn a_format_named_by_the_user_is_taken_as_given() {
        assert_eq!(sniff(&b"prose\n"[..], Some(LogFormat::STEPS)).unwrap(), STEPS);
        let document = SniffResult::Log(LogFormat::STEPS, LogLayout::Document);
        assert_eq!(sniff(&b"{\n \"x\": 1}\n"[..], Some(LogFormat::STEPS)).unwrap(), document);
        assert_eq!(sniff(&b""[..], Some(LogFormat::STEPS)).unwrap(), SniffResult::Empty);
    }

    #[test]
    fn format_names_are_unique() {
        let names: std::collections::BTreeSet<_> = LogFormat::all().map(LogFormat::as_str).collect();
        assert_eq!(names.len(), LogFormat::all().count());
        assert!(LogFormat::all().all(|format| format.as_str().parse() == Ok(format)));
    }
}
