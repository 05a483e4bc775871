//! A changed file: its name and the kind of change. Another change to the same file has another
//! signature, because it is another attempt.

use super::super::scan::mentions;
use super::file::file_in;
use super::words::{SignatureToken, core, is_dash, is_one_of, is_telling, slug, tokens};

const CHANGES: [&str; 46] = [
    "added",
    "adding",
    "modified",
    "modifying",
    "changed",
    "changing",
    "updated",
    "updating",
    "fixed",
    "fixing",
    "edited",
    "editing",
    "created",
    "creating",
    "wrote",
    "writing",
    "written",
    "rewrote",
    "rewriting",
    "refactored",
    "refactoring",
    "renamed",
    "renaming",
    "moved",
    "moving",
    "replaced",
    "replacing",
    "implemented",
    "implementing",
    "improved",
    "improving",
    "patched",
    "patching",
    "corrected",
    "adjusted",
    "inserted",
    "introduced",
    "extended",
    "simplified",
    "cleaned",
    "formatted",
    "extracted",
    "wrapped",
    "converted",
    "migrated",
    "applied",
];

/// Verbs of removal, which are marked because removing differs from adding.
const REMOVALS: [&str; 9] =
    ["removed", "removing", "deleted", "deleting", "dropped", "dropping", "reverted", "reverting", "undid"];

/// The words that end the object of a verb.
const AFTER_OBJECT: [&str; 20] = [
    "for", "to", "in", "of", "from", "with", "on", "at", "by", "so", "when", "because", "before", "after",
    "into", "inside", "that", "which", "if", "while",
];

const FILES: usize = 3;
const ACTION_WORDS: usize = 3;

pub(super) fn find(lines: &[&str]) -> Option<String> {
    lines.iter().enumerate().find_map(|(index, line)| change_in(line, &lines[index + 1..]))
}

fn change_in(line: &str, following: &[&str]) -> Option<String> {
    // Every file name has a dot, except for a few well-known ones.
    if !mentions(line, &[".", "file"]) {
        return None;
    }
    let tokens = tokens(line);
    let verb = (0..tokens.len()).find(|&index| is_change(&tokens, index))?;
    let first = tokens.iter().position(|token| file_in(token.raw).is_some())?;
    let (files, rest) = listed_files(&tokens[first..]);
    let before = tokens.get(verb..first).unwrap_or_default();
    let action = object_of_first_change(rest)
        .or_else(|| object_of_first_change(before))
        .or_else(|| described(rest))
        .or_else(|| following.iter().take(3).find_map(|line| object_of_bullet(line)))
        .unwrap_or_else(|| tokens[verb].core().to_lowercase());
    Some(format!("{}:{action}", files.join(",")))
}

/// Returns whether the word at `index` says that something was changed, not that it was not or should be.
fn is_change(tokens: &[SignatureToken<'_>], index: usize) -> bool {
    const DENIALS: [&str; 8] = ["no", "not", "never", "without", "didn't", "wasn't", "hasn't", "be"];
    let verb = tokens[index];
    let denied = tokens[index.saturating_sub(2)..index].iter().any(|token| token.is_one_of(&DENIALS));
    !denied && (verb.is_one_of(&CHANGES) || verb.is_one_of(&REMOVALS))
}

/// Returns the files listed from the first token on, and the tokens after them.
fn listed_files<'a, 'b>(tokens: &'b [SignatureToken<'a>]) -> (Vec<&'a str>, &'b [SignatureToken<'a>]) {
    let mut files = Vec::new();
    let mut used = 0;
    for (index, token) in tokens.iter().enumerate() {
        match file_in(token.raw) {
            Some(file) => {
                if files.len() < FILES && !files.contains(&file.path) {
                    files.push(file.path);
                }
                used = index + 1;
            }
            None if matches!(token.raw, "and" | "&" | ",") => {}
            None => break,
        }
    }
    (files, &tokens[used..])
}

fn object_of_first_change(tokens: &[SignatureToken<'_>]) -> Option<String> {
    let verb = (0..tokens.len()).find(|&index| is_change(tokens, index))?;
    let mut words = Vec::new();
    for token in &tokens[verb + 1..] {
        if is_dash(token.raw) || token.is_one_of(&AFTER_OBJECT) || file_in(token.raw).is_some() {
            break;
        }
        if is_telling(token.raw) && !token.is_one_of(&["new", "some"]) && !is_file_word(token.raw) {
            words.push(token.raw);
        }
        if token.ends_clause() {
            break;
        }
    }
    let object = slug(words.into_iter(), ACTION_WORDS);
    let mark = if tokens[verb].is_one_of(&REMOVALS) { "remove-" } else { "" };
    (!object.is_empty()).then(|| format!("{mark}{object}"))
}

/// Returns whether a token is the word `file`, which adds nothing to a name.
fn is_file_word(word: &str) -> bool {
    is_one_of(core(word), &["file", "files"])
}

/// Returns the text after the file in the same sentence, if no verb of change precedes it.
fn described(tokens: &[SignatureToken<'_>]) -> Option<String> {
    let mut over = false;
    let sentence = tokens.iter().enumerate().take_while(|(_, token)| {
        let goes_on = !over;
        over = token.raw.ends_with(['.', ';']);
        goes_on
    });
    let words = sentence.filter(|&(index, _)| !is_change(tokens, index)).map(|(_, token)| token.raw);
    let words = words.filter(|word| is_telling(word) && file_in(word).is_none() && !is_file_word(word));
    let words = slug(words, ACTION_WORDS);
    (!words.is_empty()).then_some(words)
}

/// Returns the object of a following line such as `- added null check`.
fn object_of_bullet(line: &str) -> Option<String> {
    let tokens = tokens(line.trim_start_matches(|char: char| !char.is_alphanumeric()));
    let begins = !tokens.is_empty() && is_change(&tokens, 0);
    begins.then(|| object_of_first_change(&tokens)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_changes_to_the_same_file_differ() {
        for (text, expected) in [
            ("Fixed auth.ts - added null check", "auth.ts:null-check"),
            ("Fixed auth.ts - updated validation", "auth.ts:validation"),
            ("Fixed auth.ts - refactored handler", "auth.ts:handler"),
            ("Fixed auth.ts - removed validation", "auth.ts:remove-validation"),
            ("Updated validation in src/auth.py", "src/auth.py:validation"),
            ("Updated auth.rs to handle expired tokens", "auth.rs:handle-expired-tokens"),
            ("The file /a/b.rs has been updated successfully.", "/a/b.rs:updated"),
            ("Modified a.ts, b.ts and c.ts - added the new null check", "a.ts,b.ts,c.ts:null-check"),
            (
                "I've updated the `src/login.ts` file to handle the null case.",
                "src/login.ts:handle-null-case",
            ),
            ("Created `a/lib.rs` and updated Cargo.toml.", "a/lib.rs:created"),
            ("edited file: config.yaml (+3 -1)", "config.yaml:edited"),
            ("Wrote 45 lines to /tmp/report.md", "/tmp/report.md:wrote"),
            ("Changed main.go:\n", "main.go:changed"),
            ("\tmodified:   src/lib.rs", "src/lib.rs:modified"),
        ] {
            assert_eq!(find(&text.lines().collect::<Vec<_>>()).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(find(&["Modified auth.ts:", "- added null check"]).as_deref(), Some("auth.ts:null-check"));
    }

    #[test]
    fn an_unchanged_file_has_no_result() {
        for text in
            ["auth.ts was not modified", "auth.ts needs to be updated", "Read auth.ts", "Updated the plan"]
        {
            assert_eq!(find(&[text]), None, "{text}");
        }
    }
}
