//! The first line of an error.
//!
//! "Error" is also an ordinary word, so a line counts only in the forms that tools print, and not if
//! the words before it say that the error was fixed or is absent.

use super::super::super::scan::mentions;
use super::super::failure;
use super::super::file::file_in;
use super::super::words::{SignatureToken, is_dash, is_one_of, is_timestamp, tokens};
use super::{ErrorReport, class_in, file_of, is_class, is_code, is_nothing, last_segment, trace};

/// The class, if it precedes the message, and the message.
struct ErrorHead<'a> {
    class: Option<&'a str>,
    message: &'a str,
}

/// Words of which every first line of an error contains one, in any case.
const MARKS: [&str; 5] = ["error", "exception", "panic", "fatal", ".go:"];

/// Returns the first error that `lines` report.
pub(super) fn first<'a>(lines: &[&'a str]) -> Option<ErrorReport<'a>> {
    (0..lines.len()).find_map(|index| report_at(lines, index))
}

fn report_at<'a>(lines: &[&'a str], index: usize) -> Option<ErrorReport<'a>> {
    let line = lines[index];
    if !mentions(line, &MARKS) || failure::is_summary(line) {
        return None;
    }
    // Computed only if needed, so that an output of blank lines is not read to its end from each line.
    let next = || lines[index + 1..].iter().map(|line| line.trim()).find(|line| !line.is_empty());
    if let Some(report) = trace::rust_panic(line, next) {
        return Some(report);
    }
    let tokens = tokens(line);
    let head = go_panic(line).or_else(|| head_in(line, &tokens)).or_else(|| go_compiler(line, &tokens))?;
    let message = head.message.trim();
    let below = message.is_empty() && head.class.is_none();
    let message = if below { next()? } else { message };
    let (class, message) = if head.class.is_some() { (head.class, message) } else { class_in(message) };
    // Cargo's summary of a test run is not the error.
    let rerun =
        message.starts_with("test failed, to rerun") || message.starts_with("doctest failed, to rerun");
    if rerun || (class.is_none() && is_nothing(message)) {
        return None;
    }
    Some(ErrorReport { class, message, file: file_of(lines, index, message) })
}

fn go_panic(line: &str) -> Option<ErrorHead<'_>> {
    let message = line.trim_start().strip_prefix("panic: ")?;
    let message = message.strip_prefix("runtime error: ").unwrap_or(message);
    Some(ErrorHead { class: Some("panic"), message })
}

/// Reads `./main.go:5:2: undefined: x`. The Go compiler does not write the word error.
fn go_compiler<'a>(line: &'a str, tokens: &[SignatureToken<'a>]) -> Option<ErrorHead<'a>> {
    let first = tokens.first()?;
    let file = file_in(first.raw).filter(|file| file.located)?;
    let place = first.raw.get(file.path.len()..)?;
    let go = file.path.rsplit_once('.').is_some_and(|(_, extension)| extension == "go");
    let with_column = place.ends_with(':') && place.matches(':').count() == 3;
    let message = &line[first.end()..];
    (go && with_column && !message.trim_start().starts_with("warning"))
        .then_some(ErrorHead { class: None, message })
}

fn head_in<'a>(line: &'a str, tokens: &[SignatureToken<'a>]) -> Option<ErrorHead<'a>> {
    (0..tokens.len()).find_map(|index| {
        let token = tokens[index];
        let opened = token.raw.trim_start_matches(['(', '[', '{', '"', '\'', '`', '*', '#', '<', '\\']);
        let word = word_of(opened);
        let spot = HeadPosition { line, tokens, index, word, after: &opened[word.len()..] };
        let error =
            word.eq_ignore_ascii_case("error") || (index == 0 && is_one_of(word, &["fatal", "exception"]));
        let class = is_class(last_segment(word));
        if (!error && !class) || spot.is_denied() {
            None
        } else if error {
            spot.after_error()
        } else {
            spot.after_class()
        }
    })
}

/// Returns the name that `text` begins with: `error`, `TypeError`, `java.lang.Exception`, `io::Error`.
pub(super) fn word_of(text: &str) -> &str {
    let bytes = text.as_bytes();
    let mut end = 0;
    while let Some(byte) = bytes.get(end) {
        end += match byte {
            b'_' | b'.' | b'$' => 1,
            b':' if bytes.get(end + 1) == Some(&b':') => 2,
            byte if byte.is_ascii_alphanumeric() => 1,
            _ => break,
        };
    }
    text[..end].trim_end_matches('.')
}

/// A word that may begin an error, with its position in the line.
struct HeadPosition<'a, 't> {
    line: &'a str,
    tokens: &'t [SignatureToken<'a>],
    index: usize,
    word: &'a str,
    /// The rest of the same token.
    after: &'a str,
}

impl<'a> HeadPosition<'a, '_> {
    /// Matches `Fixed the TypeError: …`, `no error: …`, `except ValueError:`.
    fn is_denied(&self) -> bool {
        const DENIALS: [&str; 29] = [
            "no",
            "not",
            "zero",
            "0",
            "without",
            "fix",
            "fixed",
            "fixes",
            "fixing",
            "resolve",
            "resolved",
            "resolves",
            "resolving",
            "handle",
            "handled",
            "handles",
            "handling",
            "avoid",
            "avoided",
            "prevent",
            "prevented",
            "except",
            "catch",
            "catches",
            "raises",
            "throws",
            "ignore",
            "ignored",
            "solved",
        ];
        let before = self.tokens[..self.index].iter().rev().take(3);
        before.take_while(|token| !token.ends_clause()).any(|token| token.is_one_of(&DENIALS))
    }

    /// Returns the line after this token.
    fn rest(&self) -> &'a str {
        &self.line[self.tokens[self.index].end()..]
    }

    /// Returns the line after this word: the rest of its token and the following text.
    fn tail(&self) -> &'a str {
        &self.line[self.tokens[self.index].end() - self.after.len()..]
    }

    fn next(&self) -> Option<SignatureToken<'a>> {
        self.tokens.get(self.index + 1).copied()
    }

    fn is_last(&self) -> bool {
        self.index + 1 == self.tokens.len()
    }

    /// Returns whether only a time or a tag precedes it.
    fn begins_line(&self) -> bool {
        self.tokens[..self.index].iter().all(|token| is_timestamp(token.raw) || token.raw.starts_with('['))
    }

    /// Returns the line after the next token.
    fn after_next(&self) -> &'a str {
        self.next().map_or("", |next| &self.line[next.end()..])
    }

    fn after_error(&self) -> Option<ErrorHead<'a>> {
        if let Some((code, closed)) = self.after.strip_prefix('[').and_then(|code| code.split_once(']')) {
            let message = &self.line[self.tokens[self.index].end() - closed.len()..];
            return message.strip_prefix(':').map(|message| ErrorHead { class: Some(code), message });
        }
        let closed = self.tail().trim_start_matches(['"', '\'', '*', '`', ')', '\\']);
        if let Some(message) = closed.strip_prefix(':').filter(|message| !message.starts_with(':')) {
            return Some(ErrorHead { class: None, message });
        }
        let tagged = self.after == "]" && self.tokens[self.index].raw.starts_with('[');
        if tagged {
            return Some(ErrorHead { class: None, message: self.rest() });
        }
        self.before_next_word()
    }

    /// Reads `error TS2322: …`, `Error 404: …`, `error occurred: …`, `Error - …`, `Error in …`, `ERROR …`.
    fn before_next_word(&self) -> Option<ErrorHead<'a>> {
        const PLACES: [&str; 8] = ["in", "at", "on", "from", "while", "when", "during", "executing"];
        const TOPICS: [&str; 7] = ["handling", "handler", "handlers", "message", "messages", "rate", "codes"];
        if !self.after.is_empty() {
            return None;
        }
        let next = self.next()?;
        let code = next.core();
        let status = code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_digit());
        if (is_code(code) || status) && next.raw.ends_with(':') {
            return Some(ErrorHead { class: Some(code), message: self.after_next() });
        }
        if next.raw.ends_with(':') && next.is_one_of(&["occurred", "encountered", "message", "output"]) {
            return Some(ErrorHead { class: None, message: self.after_next() });
        }
        if !self.begins_line() || !is_one_of(self.word, &["error"]) {
            None
        } else if is_dash(next.raw) {
            Some(ErrorHead { class: None, message: self.after_next() })
        } else {
            let shown = next.is_one_of(&PLACES) || (self.word == "ERROR" && !next.is_one_of(&TOPICS));
            shown.then(|| ErrorHead { class: None, message: self.rest() })
        }
    }

    /// Reads `TypeError: …`, `TypeError - …`, `AssertionError [ERR_ASSERTION]: …`, or the class alone.
    fn after_class(&self) -> Option<ErrorHead<'a>> {
        let class = Some(last_segment(self.word));
        let head = |message| Some(ErrorHead { class, message });
        if let Some(message) = self.after.strip_prefix(':') {
            let told =
                !message.starts_with(':') && (self.index == 0 || !self.is_last() || !message.is_empty());
            return told.then(|| ErrorHead { class, message: &self.tail()[1..] });
        }
        let first = self.tokens.first()?;
        let placed = file_in(first.raw).is_some_and(|file| file.located);
        if self.is_last() {
            let opens = is_one_of(first.core(), &["Exception", "Uncaught", "Unhandled", "Caused", "E"]);
            let ruby = placed && self.after == ")";
            if ruby {
                return head(&self.line[first.end()..self.tokens[self.index].at]);
            }
            let alone = self.after.is_empty() && (self.index == 0 || opens || (placed && self.index == 1));
            return alone.then_some(ErrorHead { class, message: "" });
        }
        let next = self.next().filter(|_| self.after.is_empty())?;
        let coded = next.raw.starts_with('[') && next.raw.ends_with("]:");
        if is_dash(next.raw) || coded {
            head(self.after_next())
        } else if self.begins_line() && next.is_one_of(&["at", "in"]) {
            head(self.rest())
        } else {
            None
        }
    }
}
