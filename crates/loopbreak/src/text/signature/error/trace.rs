//! Python tracebacks and Rust panics, which have the class and the file in separate lines.

use super::super::file::file_in;
use super::super::words::tokens;
use super::{ErrorReport, last_segment};

/// Reads the last Python traceback: the file of its last frame, and the class of the line after it.
///
/// The last one of a chain of exceptions is the one that the caller saw.
pub(super) fn python<'a>(lines: &[&'a str]) -> Option<ErrorReport<'a>> {
    let (index, file) =
        lines.iter().enumerate().rev().find_map(|(index, line)| Some((index, frame(line)?)))?;
    let inside = indent(lines[index]);
    let last =
        lines[index + 1..].iter().find(|line| !line.trim().is_empty() && indent(line) < inside.max(1))?;
    let last = last.trim();
    let (name, message) = last.split_once(':').unwrap_or((last, ""));
    let class = !name.is_empty() && !name.contains(char::is_whitespace);
    Some(if class {
        ErrorReport { class: Some(last_segment(name)), message: message.trim(), file: Some(file) }
    } else {
        ErrorReport { class: None, message: last, file: Some(file) }
    })
}

/// Returns the path in `File "app/main.py", line 10, in <module>`.
fn frame(line: &str) -> Option<&str> {
    let (path, rest) = line.trim_start().strip_prefix("File \"")?.split_once('"')?;
    rest.starts_with(", line ").then_some(path)
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Reads a Rust panic: `panicked at src/main.rs:4:5:` with the message in the next line, or, before 1.73,
/// `panicked at 'message', src/main.rs:4:5`.
pub(super) fn rust_panic<'a>(line: &'a str, next: impl Fn() -> Option<&'a str>) -> Option<ErrorReport<'a>> {
    let (_, rest) = line.split_once("panicked at ")?;
    let place =
        tokens(rest).into_iter().rev().find(|token| file_in(token.raw).is_some_and(|file| file.located));
    let file = place.and_then(|token| file_in(token.raw)).map(|file| file.path);
    let message = match place {
        Some(token) if token.at > 0 => rest[..token.at].trim().trim_end_matches(','),
        Some(_) => next().unwrap_or_default(),
        None => rest,
    };
    Some(ErrorReport { class: Some("panic"), message: message.trim(), file })
}
