//! Splits a command line into words without a shell.

/// Splits at whitespace. Quotes and backslashes mean what they mean in a shell; nothing is expanded. Returns `None` if a
/// quote is not closed.
pub fn split_words(text: &str) -> Option<Vec<String>> {
    let (mut all, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match (quote, char) {
            (Some('\''), char) if char != '\'' => word.get_or_insert_default().push(char),
            (Some(open), char) if char == open => quote = None,
            (Some(_), '\\') => {
                let next = chars.next()?;
                let word = word.get_or_insert_default();
                if !matches!(next, '"' | '\\' | '$' | '`') {
                    word.push('\\');
                }
                word.push(next);
            }
            (None, '\\') => word.get_or_insert_default().push(chars.next()?),
            (None, '\'' | '"') => {
                quote = Some(char);
                word.get_or_insert_default();
            }
            (None, char) if char.is_whitespace() => all.extend(word.take()),
            (_, char) => word.get_or_insert_default().push(char),
        }
    }
    all.extend(word);
    quote.is_none().then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_as_a_shell_does_and_expands_nothing() {
        let split = |text| split_words(text).unwrap();
        assert_eq!(split("a  b\tc"), ["a", "b", "c"]);
        assert_eq!(
            split(r#"sh -c 'kill "$X"' "a \"b\" $(c)" d\ e '' f"g"h"#),
            ["sh", "-c", "kill \"$X\"", "a \"b\" $(c)", "d e", "", "fgh"]
        );
        assert_eq!(split("a;b|c *"), ["a;b|c", "*"]);
        assert!(split_words("a 'b").is_none() && split_words("a \\").is_none());
        assert!(split("  ").is_empty());
    }
}
