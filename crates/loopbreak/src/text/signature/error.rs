//! An error: its class, its subject, and the file.
//!
//! The line number is omitted, because inserting a line above the error is not progress.

use super::file::{FileMention, file_in, is_foreign};
use super::words::{SignatureToken, core, is_one_of, is_telling, is_volatile, slug, tokens};

mod head;
mod trace;

/// An error as some tool reported it.
struct ErrorReport<'a> {
    class: Option<&'a str>,
    message: &'a str,
    file: Option<&'a str>,
}

pub(super) fn find(lines: &[&str]) -> Option<String> {
    let report = trace::python(lines).or_else(|| head::first(lines))?;
    let detail = detail(&report);
    let count = error_count(lines).map(|count| count.to_string());
    if report.class.is_none() && detail.is_empty() {
        return None;
    }
    let parts = [count.as_deref(), report.class, Some(detail.as_str()), report.file];
    let parts: Vec<&str> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    Some(format!("error:{}", parts.join("-")))
}

/// Returns the missing value, if the error is about one, or else the first meaningful words.
fn detail(report: &ErrorReport<'_>) -> String {
    const WORDS: usize = 4;
    let tokens = tokens(report.message);
    if let Some(missing) = report.class.and_then(|_| missing_value(&tokens)) {
        return missing.to_owned();
    }
    let words = tokens.iter().enumerate().filter(|&(index, token)| {
        // A status number is a name. Other numbers change from run to run.
        let named =
            index > 0 && tokens[index - 1].is_one_of(&["status", "code", "http", "exit", "signal", "errno"]);
        let named = named || (index == 0 && is_status(token.core()));
        let telling = is_telling(token.raw) || (named && is_volatile(token.raw));
        telling && file_in(token.raw).is_none_or(|file| Some(file.path) != report.file)
    });
    slug(words.map(|(_, token)| token.raw), WORDS)
}

/// Returns whether a word is the status of a failed HTTP request.
fn is_status(word: &str) -> bool {
    word.len() == 3 && word.starts_with(['4', '5']) && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns `null` for `Cannot read property 'id' of null`: whatever the property, the same value is missing.
fn missing_value<'a>(tokens: &[SignatureToken<'a>]) -> Option<&'a str> {
    const MISSING: [&str; 6] = ["null", "undefined", "none", "NoneType", "nil", "nullptr"];
    const BEFORE: [&str; 5] = ["of", "is", "was", "for", "on"];
    const AFTER: [&str; 5] = ["pointer", "object", "reference", "dereference", "map"];
    let found = tokens.iter().enumerate().find(|&(index, token)| {
        let after = tokens.get(index + 1).is_some_and(|next| next.is_one_of(&AFTER));
        let before = index > 0 && tokens[index - 1].is_one_of(&BEFORE);
        token.is_one_of(&MISSING) && (before || after)
    });
    found.map(|(_, token)| token.core())
}

/// Returns the number of errors that the tool counted, if more than one. Fewer errors are progress.
fn error_count(lines: &[&str]) -> Option<usize> {
    const KINDS: [&str; 8] =
        ["previous", "type", "compile", "compilation", "build", "lint", "syntax", "fatal"];
    let counts = lines.iter().flat_map(|line| {
        let tokens = tokens(line);
        let counts: Vec<usize> = (0..tokens.len())
            .filter_map(|index| {
                let kind = tokens.get(index + 1).is_some_and(|token| token.is_one_of(&KINDS));
                let noun = tokens.get(index + 1 + usize::from(kind))?;
                let count = tokens[index].raw.trim_start_matches('(');
                noun.is_one_of(&["error", "errors"]).then(|| count.parse().ok()).flatten()
            })
            .collect();
        counts
    });
    counts.last().filter(|&count| count > 1)
}

/// Returns the file of an error: from its own line, or from the lines around it.
fn file_of<'a>(lines: &[&'a str], index: usize, message: &'a str) -> Option<&'a str> {
    const AFTER: usize = 24;
    const BEFORE: usize = 4;
    let files = |text: &'a str| tokens(text).into_iter().filter_map(|token| file_in(token.raw));
    let located = |file: &FileMention<'_>| file.located;
    let line = lines[index];
    let start = tokens(line).first().and_then(|token| file_in(token.raw)).filter(located);
    let own = start.or_else(|| files(message).find(located)).or_else(|| files(message).next());
    let own = own.or_else(|| files(line).find(located));
    if let Some(file) = own {
        return Some(file.path);
    }
    let after = lines[index + 1..].iter().take(AFTER).flat_map(|line| files(line)).filter(located);
    let after: Vec<&str> = after.map(|file| file.path).collect();
    let near = after.iter().find(|path| !is_foreign(path)).or_else(|| after.first()).copied();
    near.or_else(|| {
        let before = lines[..index].iter().rev().take(BEFORE);
        before.flat_map(|line| files(line)).find(located).map(|file| file.path)
    })
}

/// Returns the class that an error's message begins with, and the rest of the message.
fn class_in(message: &str) -> (Option<&str>, &str) {
    let mut rest = message.trim();
    for noise in ["Uncaught", "Unhandled", "(in promise)", "exception:", "runtime error:"] {
        rest = rest.strip_prefix(noise).unwrap_or(rest).trim_start();
    }
    let Some(first) = rest.split_whitespace().next() else { return (None, rest) };
    let word = head::word_of(first);
    let class = last_segment(word);
    let after = &rest[word.len()..];
    let separated = after.trim_start().starts_with([':', '-', '–', '—']) || after.trim().is_empty();
    if is_class(class) || (is_code(class) && separated) {
        (Some(class), after.trim_start_matches([' ', ':', '-', '–', '—']))
    } else {
        (None, rest)
    }
}

/// Returns whether a word is a class such as `TypeError` or `NullPointerException`, and not the bare word.
fn is_class(word: &str) -> bool {
    let stem = word.strip_suffix("Error").or_else(|| word.strip_suffix("Exception"));
    stem.is_some_and(|stem| stem.starts_with(|char: char| char.is_ascii_uppercase()))
}

/// Returns whether a word is an error code such as `ENOENT`, `ERR_MODULE_NOT_FOUND`, `TS2322` or `E0308`.
fn is_code(word: &str) -> bool {
    let capitals = word.bytes().filter(u8::is_ascii_uppercase).count();
    let allowed = word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    let numbered = word.ends_with(|char: char| char.is_ascii_digit());
    allowed && capitals > 0 && word.len() >= 4 && (numbered || word.starts_with('E'))
}

fn last_segment(word: &str) -> &str {
    word.rsplit(['.', ':', '$', '\\']).next().unwrap_or(word)
}

/// Returns whether a message says that there is no error: `error: none`, `"error": null,`.
fn is_nothing(message: &str) -> bool {
    const NOTHING: [&str; 9] = ["none", "null", "0", "no", "nil", "false", "undefined", "n/a", "nothing"];
    let mut words = message.split_whitespace();
    let Some(first) = words.next() else { return true };
    let alone = words.next().is_none() || first.ends_with([',', '}', ']']);
    alone && (core(first).is_empty() || is_one_of(core(first), &NOTHING))
}
