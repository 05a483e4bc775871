//! Normalizes case and white space.
//!
//! An action that is repeated with other capitals or spaces is still a repetition.

use std::borrow::Cow;

use super::scan::trimmed;

/// Returns `text` trimmed, in lower case, with one space for each run of white space.
///
/// Borrows the text if it is already in this form, as most actions are.
pub fn normalize_whitespace_case(text: &str) -> Cow<'_, str> {
    let text = trimmed(text);
    if is_normalized(text) {
        return Cow::Borrowed(text);
    }
    let mut folded = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.extend(word.chars().flat_map(char::to_lowercase));
    }
    Cow::Owned(folded)
}

fn is_normalized(trimmed: &str) -> bool {
    let mut after_space = false;
    trimmed.chars().all(|char| {
        let space = char == ' ';
        let same = match char {
            ' ' => !after_space,
            _ if char.is_ascii() => !char.is_ascii_uppercase() && !char.is_whitespace(),
            _ => !char.is_whitespace() && char.to_lowercase().eq([char]),
        };
        after_space = space;
        same
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn capitals_and_spaces_are_ignored() {
        assert_eq!(normalize_whitespace_case("  Go\t North \n"), "go north");
        assert_eq!(normalize_whitespace_case("ÄRGER\u{a0}machen"), "ärger machen");
        assert_eq!(normalize_whitespace_case(" \n "), "");
    }

    #[test]
    fn a_normalized_text_is_not_copied() {
        assert!(matches!(normalize_whitespace_case("go north"), Cow::Borrowed("go north")));
        assert!(matches!(normalize_whitespace_case(" öffne tür "), Cow::Borrowed("öffne tür")));
        assert!(matches!(normalize_whitespace_case("go  north"), Cow::Owned(_)));
    }

    proptest! {
        #[test]
        fn normalizing_twice_changes_nothing(text in any::<String>()) {
            let once = normalize_whitespace_case(&text).into_owned();
            let twice = normalize_whitespace_case(&once);
            prop_assert!(matches!(twice, Cow::Borrowed(_)), "{once:?} was copied");
            prop_assert_eq!(&once, &twice);
        }
    }
}
