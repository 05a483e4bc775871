//! Splits a command line into words, as a shell does.

/// Splits a command line at white space. Quotes and backslashes have the meaning they have in a shell; nothing is
/// expanded. Returns `None` if a quote is not closed.
///
/// ```
/// use loopbreak_watch::notification::split_command_line;
///
/// let words = split_command_line("sh -c 'kill $PID'").unwrap();
/// assert_eq!(words, ["sh", "-c", "kill $PID"]);
/// ```
pub fn split_command_line(text: &str) -> Option<Vec<String>> {
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
        let split = |text| split_command_line(text).unwrap();
        assert_eq!(split("a  b\tc"), ["a", "b", "c"]);
        assert_eq!(
            split(r#"sh -c 'kill "$X"' "a \"b\" $(c)" d\ e '' f"g"h"#),
            ["sh", "-c", "kill \"$X\"", "a \"b\" $(c)", "d e", "", "fgh"]
        );
        assert_eq!(split("a;b|c *"), ["a;b|c", "*"]);
        assert!(split_command_line("a 'b").is_none() && split_command_line("a \\").is_none());
        assert!(split("  ").is_empty());
    }
}
