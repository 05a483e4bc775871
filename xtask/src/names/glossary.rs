//! Reads the glossary: the words of the domain that may be the whole name of a type.

/// Lists the words of the glossary: the first cell of each table row, where it is code.
pub(super) fn glossary_words(page: &str) -> Vec<String> {
    let cell = |line: &str| {
        let cell = line.trim().strip_prefix('|')?.split('|').next()?.trim();
        let word = cell.strip_prefix('`')?.strip_suffix('`')?;
        is_one_word(word).then(|| word.to_owned())
    };
    page.lines().filter_map(cell).collect()
}

/// Returns whether a type name is a single word: one capital letter, at its start.
pub(super) fn is_one_word(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(char::is_uppercase)
        && letters.all(|letter| letter.is_lowercase() || letter.is_numeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_the_first_cells_that_are_code() {
        let page = "# G\n\n| word | meaning |\n|---|---|\n| `Step` | one thing, with a `Place` |\n| plain | x |\n| `TwoWords` | x |\n";
        assert_eq!(glossary_words(page), ["Step"]);
    }

    #[test]
    fn a_second_capital_makes_a_second_word() {
        assert!(is_one_word("Step") && is_one_word("Utf8"));
        assert!(!is_one_word("StepContext") && !is_one_word("IO") && !is_one_word("step"));
    }
}
