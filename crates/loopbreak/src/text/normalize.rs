//! One spelling for texts that mean the same.
//!
//! Agents repeat an action with other capitals or blanks; such a repeat is a repeat.

use std::borrow::Cow;

use super::scan::trimmed;

/// `text` trimmed, in lower case, each inner run of white space one space.
///
/// Borrows where the text is already so, which is the common case: most actions are short and lower case.
pub fn normalize_whitespace_case(text: &str) -> Cow<'_, str> {
    let text = trimmed(text);
    if is_folded(text) {
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

fn is_folded(trimmed: &str) -> bool {
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
    fn capitals_and_blanks_do_not_count() {
        assert_eq!(normalize_whitespace_case("  Go\t North \n"), "go north");
        assert_eq!(normalize_whitespace_case("ÄRGER\u{a0}machen"), "ärger machen");
        assert_eq!(normalize_whitespace_case(" \n "), "");
    }

    #[test]
    fn a_folded_text_is_not_copied() {
        assert!(matches!(normalize_whitespace_case("go north"), Cow::Borrowed("go north")));
        assert!(matches!(normalize_whitespace_case(" öffne tür "), Cow::Borrowed("öffne tür")));
        assert!(matches!(normalize_whitespace_case("go  north"), Cow::Owned(_)));
    }

    proptest! {
        #[test]
        fn folding_twice_is_folding_once(text in any::<String>()) {
            let once = normalize_whitespace_case(&text).into_owned();
            let twice = normalize_whitespace_case(&once);
            prop_assert!(matches!(twice, Cow::Borrowed(_)), "{once:?} was copied");
            prop_assert_eq!(&once, &twice);
        }
    }
}
