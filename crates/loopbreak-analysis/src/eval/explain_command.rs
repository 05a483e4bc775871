//! The command that shows a run step by step, ready to be copied into a shell.

/// Returns the command for a run of a log, with the same settings.
pub(super) fn explain(source: &str, run: &str, settings: &[String]) -> String {
    let source = if source == "stdin" { "-" } else { source };
    let mut command = format!("loopbreak analyze {} --run {} --explain", quoted(source), quoted(run));
    for word in settings {
        command.push(' ');
        command += &quoted(word);
    }
    command
}

/// Quotes a word for a shell.
fn quoted(word: &str) -> String {
    let plain = |char: char| char.is_ascii_alphanumeric() || "-_./:=,@+%".contains(char);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    // The name of a run must not move the cursor.
    let clean: String = word.chars().map(|char| if char.is_control() { '?' } else { char }).collect();
    format!("'{}'", clean.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eval_commands_can_be_copied_into_a_shell() {
        assert_eq!(
            explain("logs/a.jsonl", "ep-7", &[]),
            "loopbreak analyze logs/a.jsonl --run ep-7 --explain"
        );
        assert_eq!(
            explain("my logs/a.jsonl", "it's $7", &["--set".to_owned(), "mode=observe".to_owned()]),
            r"loopbreak analyze 'my logs/a.jsonl' --run 'it'\''s $7' --explain --set mode=observe"
        );
        assert_eq!(explain("stdin", "a\nb", &[]), "loopbreak analyze - --run 'a?b' --explain");
    }
}
