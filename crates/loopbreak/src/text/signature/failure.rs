//! Failed tests: their number and the first names. The number is part of the signature, because fewer failures are progress.

use super::super::scan::mentions;
use super::file::file_in;
use super::words::{SignatureToken, is_dash, is_one_of, is_telling, slug, tokens};

mod names;

const FAILED: [&str; 6] = ["failed", "failing", "failure", "failures", "fail", "fails"];
const TESTS: [&str; 15] = [
    "test",
    "tests",
    "spec",
    "specs",
    "example",
    "examples",
    "case",
    "cases",
    "assertion",
    "assertions",
    "unit",
    "check",
    "checks",
    "scenario",
    "scenarios",
];

/// Returns whether a line can contain one of these words, with one pass over its bytes. All of them begin
/// with the same letters.
fn may_tell_failures(line: &str) -> bool {
    mentions(line, &["fail"])
}

/// A count of failed tests in one line.
struct FailureTally {
    count: usize,
    /// End of the words that give the count.
    end: usize,
    /// True if it may count something other than tests, unless the output mentions tests elsewhere.
    bare: bool,
    /// True if it counts files or suites, which contain several tests.
    coarse: bool,
}

/// Returns whether `line` has a count of failures, even zero: then it is a summary and not an error.
pub(super) fn is_summary(line: &str) -> bool {
    tally_in(line).is_some()
}

pub(super) fn find(lines: &[&str]) -> Option<String> {
    let about_tests = std::cell::LazyCell::new(|| lines.iter().any(|line| speaks_of_tests(line)));
    let tallies: Vec<(usize, FailureTally)> = lines
        .iter()
        .enumerate()
        .filter_map(|(index, line)| Some((index, tally_in(line)?)))
        .filter(|(index, tally)| {
            let rest = lines[*index][tally.end..].trim_start();
            !tally.bare || *about_tests || !rest.starts_with(char::is_alphanumeric)
        })
        .collect();
    // The last count wins: an output with a history ends with the current state.
    let newest = tallies.iter().rfind(|(_, tally)| !tally.coarse).or_else(|| tallies.last());
    let Some((index, tally)) = newest else { return without_count(lines) };
    let count = binaries_of_cargo(lines, &tallies).unwrap_or(tally.count);
    if count == 0 {
        return None;
    }
    let list = listed(&lines[*index][tally.end..]).unwrap_or_default();
    if let Some(by_file) = list_of_one_file(list, count) {
        return Some(by_file);
    }
    let mut names: Vec<String> = items(list).collect();
    if names.is_empty() {
        names = names::bullets(&lines[index + 1..]);
    }
    if names.is_empty() {
        names = names::of_runner(lines, true);
    }
    Some(test_fail(count, &names))
}

/// Returns the signature of an output that names the failed tests but does not count them.
fn without_count(lines: &[&str]) -> Option<String> {
    let mut names = names::of_runner(lines, false);
    if names.is_empty() {
        names = lines.iter().find_map(|line| uncounted_list(line)).unwrap_or_default();
    }
    (!names.is_empty()).then(|| test_fail(names.len(), &names))
}

fn test_fail(count: usize, names: &[String]) -> String {
    const NAMES: usize = 2;
    let names = names.iter().take(NAMES).map(String::as_str).collect::<Vec<_>>().join(",");
    let dash = if names.is_empty() { "" } else { "-" };
    format!("test-fail:{count}{dash}{names}")
}

fn speaks_of_tests(line: &str) -> bool {
    const WORDS: [&str; 6] = ["passed", "passing", "suite", "suites", "ignored", "skipped"];
    tokens(line).iter().any(|token| token.is_one_of(&TESTS) || token.is_one_of(&WORDS))
}

/// Returns the sum of the failures of all binaries, because `cargo test` prints a result for each of them.
fn binaries_of_cargo(lines: &[&str], tallies: &[(usize, FailureTally)]) -> Option<usize> {
    let of_cargo = tallies.iter().filter(|(index, _)| lines[*index].trim_start().starts_with("test result:"));
    let counts: Vec<usize> = of_cargo.map(|(_, tally)| tally.count).collect();
    (!counts.is_empty()).then(|| counts.iter().sum())
}

/// Returns the last count of failures in `line`: `2 failed`, `3 of 10 tests failed`, `Failures: 2`, `failures=2`.
fn tally_in(line: &str) -> Option<FailureTally> {
    const HOLDERS: [&str; 6] = ["suite", "suites", "file", "files", "snapshot", "snapshots"];
    if !may_tell_failures(line) {
        return None;
    }
    let tokens = tokens(line);
    let mut found = None;
    let mut coarse = false;
    let mut index = 0;
    while index < tokens.len() {
        coarse |= tokens[index].is_one_of(&HOLDERS);
        match count_before(&tokens[index..]).or_else(|| count_after(&tokens[index..], index)) {
            Some((count, used, bare)) => {
                let last = tokens[index + used - 1];
                let end = last.at + last.raw.trim_end_matches([',', '.', ';', ':', '|', ')']).len();
                found = Some(FailureTally { count, end, bare, coarse });
                index += used;
            }
            None => index += 1,
        }
    }
    found
}

/// Reads a number, words such as `of 10 unit tests`, then the failure. Returns the number, how many words
/// were read, and whether the failure directly follows the number.
fn count_before(tokens: &[SignatureToken<'_>]) -> Option<(usize, usize, bool)> {
    const BETWEEN: usize = 5;
    let count = number(tokens.first()?.raw)?;
    for (index, token) in tokens.iter().enumerate().skip(1).take(BETWEEN) {
        if token.is_one_of(&FAILED) {
            return Some((count, index + 1, index == 1));
        }
        let between = token.is_one_of(&TESTS)
            || token.is_one_of(&["of", "out", "the", "suites", "suite"])
            || number(token.raw).is_some();
        if !between || token.ends_clause() {
            return None;
        }
    }
    None
}

/// Reads the failure, then its number: `Failures: 2`, `failures=2`, and `# fail 2` at the start of a line.
fn count_after(tokens: &[SignatureToken<'_>], index: usize) -> Option<(usize, usize, bool)> {
    let first = tokens.first()?;
    if let Some((name, value)) = first.raw.split_once('=') {
        let name = name.trim_start_matches('(');
        return is_one_of(name, &FAILED)
            .then(|| number(value.trim_end_matches([',', ')'])))
            .flatten()
            .map(|n| (n, 1, false));
    }
    if !first.is_one_of(&FAILED) {
        return None;
    }
    let count = number(tokens.get(1)?.raw.trim_end_matches([',', '.', ';']))?;
    let tap = index == 1 && first.raw == "fail";
    (first.raw.ends_with(':') || tap).then_some((count, 2, tap))
}

/// Parses `2`, `(2`, and the first part of `2/10`.
fn number(raw: &str) -> Option<usize> {
    let raw = raw.trim_start_matches(['(', '[']);
    let digits = raw.split_once('/').map_or(raw, |(first, _)| first);
    (digits.len() <= 7 && !digits.starts_with('+')).then(|| digits.parse().ok()).flatten()
}

/// Returns the list at the start of the rest of a line, after a colon or a dash.
fn listed(rest: &str) -> Option<&str> {
    let rest = rest.trim_start();
    let list = rest.strip_prefix(':').or_else(|| {
        let dash = rest.split_whitespace().next().filter(|word| is_dash(word))?;
        rest.strip_prefix(dash)
    })?;
    let sentence = list.split_once(". ").map_or(list, |(first, _)| first);
    Some(sentence.trim())
}

/// Reads `auth.test.ts - login test timeout, logout test assertion`: the file, then its failures.
fn list_of_one_file(list: &str, count: usize) -> Option<String> {
    const MOST: usize = 8;
    let first = list.split_whitespace().next()?;
    let file = file_in(first)?;
    let rest = &list[first.len()..];
    let rest = listed(rest).or_else(|| first.ends_with(':').then_some(rest))?;
    let names: Vec<String> = items(rest).take(MOST).collect();
    if names.is_empty() {
        return None;
    }
    // The number of names is the count, unless a count is given.
    let counted = if names.len() == count { String::new() } else { format!("{count}-") };
    Some(format!("{}:{counted}{}", file.path, names.join(",")))
}

/// Returns the names in a list with commas.
fn items(list: &str) -> impl Iterator<Item = String> {
    const WORDS: usize = 4;
    list.split([',', ';']).flat_map(|part| part.split(" and ")).filter_map(|item| {
        let words =
            item.split_whitespace().filter(|word| is_telling(word) && !is_one_of(word, &["test", "tests"]));
        let name = slug(words, WORDS);
        (!name.is_empty()).then_some(name)
    })
}

/// Reads `Tests failed: login, logout`.
fn uncounted_list(line: &str) -> Option<Vec<String>> {
    if !may_tell_failures(line) {
        return None;
    }
    let tokens = tokens(line);
    let failed = (1..tokens.len()).find(|&index| {
        let denied = index >= 2 && tokens[index - 2].is_one_of(&["no", "zero", "without"]);
        tokens[index].is_one_of(&FAILED) && tokens[index - 1].is_one_of(&TESTS) && !denied
    })?;
    let word = tokens[failed];
    let end = word.at + word.raw.trim_end_matches(':').len();
    Some(items(listed(&line[end..])?).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<String> {
        find(&text.lines().collect::<Vec<_>>())
    }

    #[test]
    fn reports_the_count_and_the_first_names() {
        for (text, expected) in [
            ("3 tests failing - auth, login, logout", "test-fail:3-auth,login"),
            ("2/10 tests failed", "test-fail:2"),
            ("3 of 10 unit tests failed: login and logout", "test-fail:3-login,logout"),
            ("Tests failed: login, logout", "test-fail:2-login,logout"),
            ("FAILED (failures=2, errors=1)", "test-fail:2"),
            ("Tests run: 5, Failures: 2, Errors: 0, Skipped: 0", "test-fail:2"),
            ("# tests 9\n# pass 7\n# fail 2", "test-fail:2"),
            ("5 examples, 2 failures", "test-fail:2"),
            ("2 failed:\n- login\n- logout", "test-fail:2-login,logout"),
            ("3 failed: a.test.ts - x, y", "a.test.ts:3-x,y"),
            ("First 3 tests failed, after the fix 1 test failed", "test-fail:1"),
        ] {
            assert_eq!(found(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn an_output_without_failures_has_no_result() {
        for text in [
            "0 failed",
            "5 passed, 0 failed",
            "0 of 10 tests failed",
            "Failures: 0",
            "no tests failed: fine",
            "First 3 tests failed, now 0 failed",
            "Blocked 2 failed login attempts",
            "5% failed",
            "3 requests failed",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
