//! Finds out from its content what a log is. Names and endings say little: every tool writes `.jsonl`.

use std::io::{self, BufRead};

use crate::format::Format;
use crate::lines::{Line, Lines};

/// How many readable lines are looked at.
const READABLE: u32 = 64;
/// How many lines are looked at, readable or not: a log that begins with more rubbish than this is none.
const LINES: u32 = 1024;
/// How many bytes are looked at: room for a few of the longest lines.
const BYTES: u64 = 256 * 1024 * 1024;

/// What a log turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sniffed {
    /// A log of this format.
    Log(Format),
    /// Nothing but blank lines.
    Empty,
    /// Bytes, not text.
    Binary,
    /// Text of 16 bits a character.
    Utf16,
    /// Text that is no known log.
    Unknown,
}

/// Looks at the beginning of a stream.
pub fn sniff(input: impl BufRead) -> io::Result<Sniffed> {
    let mut lines = Lines::new(input);
    let (mut seen, mut readable) = (0, 0);
    let mut first = true;
    while let Some(line) = lines.next()? {
        let line = match line {
            Line::Whole(line) => line,
            Line::TooLong { .. } => &b"too long to be anything"[..],
        };
        if std::mem::take(&mut first) && (line.starts_with(b"\xFF\xFE") || line.starts_with(b"\xFE\xFF")) {
            return Ok(Sniffed::Utf16);
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        if memchr::memchr(0, line).is_some() {
            return Ok(Sniffed::Binary);
        }
        seen += 1;
        let answers = Format::ALL.iter().map(|format| (format, format.recognises(line)));
        let mut understood = false;
        for (format, answer) in answers {
            if answer == Some(true) {
                return Ok(Sniffed::Log(*format));
            }
            understood |= answer.is_some();
        }
        readable += u32::from(understood);
        if readable >= READABLE || seen >= LINES || lines.bytes() >= BYTES {
            break;
        }
    }
    Ok(if seen == 0 { Sniffed::Empty } else { Sniffed::Unknown })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &[u8]) -> Sniffed {
        sniff(text).unwrap()
    }

    #[test]
    fn content_decides() {
        assert_eq!(of(b"{\"action\":\"look\"}\n"), Sniffed::Log(Format::Steps));
        assert_eq!(of(b"garbage\n{\"turn\":1}\n{\"score\":1}\n"), Sniffed::Log(Format::Steps));
        assert_eq!(of(b""), Sniffed::Empty);
        assert_eq!(of(b" \n\r\n\n"), Sniffed::Empty);
        assert_eq!(of(b"\x7fELF\x02\0\0\0"), Sniffed::Binary);
        assert_eq!(of(b"\xFF\xFE{\0\"\0"), Sniffed::Utf16);
        assert_eq!(of(b"# Notes\n\nNothing here.\n"), Sniffed::Unknown);
        assert_eq!(of(b"{\"run\":\"a\",\"success\":true}\n"), Sniffed::Unknown);
        assert_eq!(
            of(b"{\"event_type\":\"stuck_termination\",\"score\":1}\n"),
            Sniffed::Unknown,
            "our own events"
        );
    }

    #[test]
    fn not_more_than_the_beginning_is_looked_at() {
        let late = |before: &str, count: usize| format!("{}{}", before.repeat(count), "{\"score\":1}\n");
        assert_eq!(of(late("{\"x\":1}\n", 63).as_bytes()), Sniffed::Log(Format::Steps));
        assert_eq!(of(late("{\"x\":1}\n", 64).as_bytes()), Sniffed::Unknown);
        assert_eq!(of(late("prose\n", 1000).as_bytes()), Sniffed::Log(Format::Steps));
        assert_eq!(of(late("prose\n", 2000).as_bytes()), Sniffed::Unknown);
    }
}
