//! Phrases that are hard to read, each with what to write instead.

/// The phrases, in lower case.
const PHRASES: [(&str, &str); 17] = [
    ("whoever", "the subject itself"),
    ("anew", "\"again\""),
    ("told of", "\"reported\""),
    ("tell of", "\"report\""),
    ("tells of", "\"reports\""),
    ("go on with", "\"continue\""),
    ("goes on with", "\"continues\""),
    ("went on with", "\"continued\""),
    ("so many", "\"N\" or \"the number of\""),
    ("come to be", "\"appear\""),
    ("comes to be", "\"appears\""),
    ("came to be", "\"appeared\""),
    ("of ours", "\"our\", or the name of the thing"),
    ("of theirs", "\"their\", or the name of the thing"),
    ("in vain", "\"without effect\""),
    ("nought", "\"nothing\""),
    ("be it", "\"whether\", or two sentences"),
];

/// Words after "is no" with which it is plain English.
const PLAIN_AFTER_IS_NO: [&str; 8] =
    ["longer", "more", "less", "later", "worse", "better", "larger", "different"];

/// Finds the phrases in a text. Returns the position of each, the phrase and what to write instead.
pub(super) fn phrases_in(text: &str) -> Vec<(usize, &'static str, &'static str)> {
    // Keeps positions valid, unlike `to_lowercase`.
    let text = text.to_ascii_lowercase();
    let mut found: Vec<_> = PHRASES
        .iter()
        .flat_map(|(phrase, instead)| positions(&text, phrase).map(move |at| (at, *phrase, *instead)))
        .collect();
    found.extend(misplaced_no(&text).map(|at| (at, "is no", "\"is not a\"")));
    found
}

/// Finds "is no X" where "is not an X" is meant: not after "there" and not in "is no longer".
fn misplaced_no(text: &str) -> impl Iterator<Item = usize> {
    positions(text, "is no").filter(|at| {
        let before = text[..*at].split_whitespace().next_back().unwrap_or_default();
        let after = text[*at + "is no".len()..].split_whitespace().next().unwrap_or_default();
        let after = after.trim_end_matches(|letter: char| !letter.is_alphanumeric());
        let is_noun = after.starts_with(char::is_alphabetic);
        is_noun && !before.ends_with("there") && !PLAIN_AFTER_IS_NO.contains(&after)
    })
}

/// Finds the places where a phrase occurs with no letter directly before or after it.
fn positions(text: &str, phrase: &str) -> impl Iterator<Item = usize> {
    let is_letter =
        |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    text.match_indices(phrase).map(|(at, _)| at).filter(move |at| {
        !is_letter(text[..*at].chars().next_back()) && !is_letter(text[*at + phrase.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&'static str> {
        phrases_in(text).into_iter().map(|(_, phrase, _)| phrase).collect()
    }

    #[test]
    fn whole_phrases_are_found_in_any_case() {
        assert_eq!(found("Whoever reads this is told of it, anew."), ["whoever", "anew", "told of"]);
        assert!(found("canew renewed so_many told offline").is_empty());
    }

    #[test]
    fn no_is_found_where_not_is_meant() {
        assert_eq!(found("this is no log"), ["is no"]);
        assert_eq!(found("what is no file, is skipped"), ["is no"]);
        assert!(found("there is no log; it is no longer read; is none; is no. is no 1").is_empty());
    }
}
