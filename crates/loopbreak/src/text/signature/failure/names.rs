//! The names of failed tests in the formats of the usual test runners.

use super::super::super::clip::clip;
use super::super::file::file_in;
use super::super::words::{is_telling, slug};

const NAME_WORDS: usize = 6;

/// Returns the names in the lines right after a count: `- login`.
pub(super) fn bullets(lines: &[&str]) -> Vec<String> {
    let items =
        lines.iter().map_while(|line| line.trim_start().strip_prefix(['-', '*', '•'])?.strip_prefix(' '));
    items.map(prose).filter(|name| !name.is_empty()).collect()
}

/// Returns the names anywhere in a runner's output, each once, in order. With `numbered`, also `1) login`,
/// which is a failed test only in the output of a test run.
pub(super) fn of_runner(lines: &[&str], numbered: bool) -> Vec<String> {
    let exact = distinct(lines.iter().filter_map(|line| {
        let line = line.trim();
        name_in(line).or_else(|| numbered.then(|| numbered_name(line)).flatten())
    }));
    if exact.is_empty() { distinct(lines.iter().filter_map(|line| unit_in(line.trim()))) } else { exact }
}

fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = std::collections::BTreeSet::new();
    names.filter(|name| !name.is_empty() && seen.insert(name.clone())).collect()
}

fn name_in(line: &str) -> Option<String> {
    if let Some(rest) = line.strip_prefix("--- FAIL: ").or_else(|| line.strip_prefix("FAIL: ")) {
        return first_word(rest);
    }
    if let Some(rest) = line.strip_prefix("FAIL [") {
        return rest.split_whitespace().next_back().map(identifier);
    }
    if let Some(rest) = line.strip_prefix("FAILED ") {
        let test = rest.split_whitespace().next()?;
        return test.rsplit_once("::").map(|(_, name)| identifier(name));
    }
    if let Some(rest) = line.strip_prefix("test ") {
        return first_word(rest.strip_suffix("... FAILED")?);
    }
    if let Some(rest) = line.strip_prefix("not ok ") {
        return Some(prose(
            rest.trim_start_matches(|char: char| char.is_ascii_digit() || char == ' ' || char == '-'),
        ));
    }
    if let Some(rest) = line.strip_prefix(['●', '✕', '✗', '✘', '×', '✖']) {
        let name = last_part(rest);
        let noise = matches!(name.trim(), "Console" | "Test suite failed to run");
        return (!noise).then(|| prose(name));
    }
    line.strip_prefix("FAIL ").filter(|rest| rest.contains(" > ")).map(|rest| prose(last_part(rest)))
}

/// Reads `1) login times out:`, the format of mocha and rspec.
fn numbered_name(line: &str) -> Option<String> {
    let rest = line.trim_start_matches(|char: char| char.is_ascii_digit());
    (rest.len() < line.len()).then(|| rest.strip_prefix(") ")).flatten().map(prose)
}

/// Returns the failed file or package of a line that names no test.
fn unit_in(line: &str) -> Option<String> {
    let rest = line.strip_prefix("FAIL")?.strip_prefix([' ', '\t'])?;
    let unit = rest.split_whitespace().next()?;
    match file_in(unit) {
        Some(file) => Some(identifier(file.path)),
        None => unit.contains('/').then(|| identifier(unit)),
    }
}

fn first_word(text: &str) -> Option<String> {
    text.split_whitespace().next().map(identifier)
}

/// Returns an identifier with its spelling unchanged, cut to a maximum length.
fn identifier(name: &str) -> String {
    const LONGEST_NAME: usize = 60;
    clip(name, LONGEST_NAME).to_owned()
}

fn prose(text: &str) -> String {
    // Removes the duration, such as `(5 ms)`.
    let took = text.rsplit_once('(').filter(|(_, end)| end.starts_with(|char: char| char.is_ascii_digit()));
    let text = took.map_or(text, |(name, _)| name);
    slug(text.split_whitespace().filter(|word| is_telling(word)), NAME_WORDS)
}

/// Returns the test in `suite › group › test`.
fn last_part(text: &str) -> &str {
    let part = text.rsplit(" › ").next().unwrap_or(text);
    part.rsplit(" > ").next().unwrap_or(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_names_in_the_format_of_each_runner() {
        for (line, expected) in [
            ("--- FAIL: TestLogin (0.00s)", "TestLogin"),
            ("FAIL: test_login (tests.TestAuth)", "test_login"),
            ("FAILED tests/test_a.py::TestA::test_login[x-1] - assert 1 == 2", "test_login[x-1]"),
            ("test auth::tests::login ... FAILED", "auth::tests::login"),
            ("FAIL [   0.010s] my-crate auth::tests::login", "auth::tests::login"),
            ("● auth › login › times out", "times-out"),
            ("✕ login times out (5 ms)", "login-times-out"),
            ("FAIL  src/a.test.ts > login > times out", "times-out"),
            ("not ok 3 - login works", "login-works"),
            ("2) Auth login works:", "auth-login-works"),
            ("FAIL src/auth.test.ts", "src/auth.test.ts"),
            ("FAIL\tgithub.com/x/auth\t0.012s", "github.com/x/auth"),
        ] {
            assert_eq!(of_runner(&[line], true), [expected], "{line}");
        }
    }

    #[test]
    fn a_name_that_is_printed_twice_counts_once() {
        assert_eq!(of_runner(&["● a › b", "● Console", "● a › b", "FAILED (failures=1)"], true), ["b"]);
    }
}
