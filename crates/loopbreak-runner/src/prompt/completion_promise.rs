//! The completion promise: a text that the agent prints when its work is complete.

use crate::prompt::agent_answer::final_message;

/// Tags around a promise, with which it counts within a line too.
const TAGS: (&str, &str) = ("<promise>", "</promise>");

/// The promise in an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PromiseSighting {
    /// On a line of its own, apart from Markdown marks around it, or in its tags. In a block of code too.
    Kept,
    /// Only within a longer line, which may say the opposite: "not DONE yet". It does not count.
    WithinLine,
    Absent,
}

/// Searches an output for the promise. A repeated prompt is not part of the output.
pub(crate) fn find_promise(output: &str, promise: &str, prompt: &str) -> PromiseSighting {
    let promise = promise.trim();
    let message = final_message(output);
    let output = message.as_deref().unwrap_or(output);
    let (prompt, mut output) = (prompt.trim(), output.to_owned());
    if prompt.contains(promise) && prompt != promise {
        output = output.replace(prompt, "");
    }
    let bare = |text: &str| text.trim().trim_matches(['*', '`', '_', '#', ' ']).to_owned();
    let wanted = bare(promise);
    if wanted.is_empty() {
        return PromiseSighting::Absent;
    }
    let tagged = format!("{}{promise}{}", TAGS.0, TAGS.1);
    if output.contains(&tagged) || output.lines().any(|line| bare(line) == wanted) {
        return PromiseSighting::Kept;
    }
    if contains_words(&output, promise) { PromiseSighting::WithinLine } else { PromiseSighting::Absent }
}

/// Returns what the user and the agent are told about a promise within a line.
pub(crate) fn within_line_note(promise: &str) -> String {
    let promise = promise.trim();
    format!(
        "{promise:?} was seen within a line, which does not count. If the work is complete, print it on a line of its own."
    )
}

/// Returns whether a text contains these words, and not only as a part of longer words.
fn contains_words(text: &str, words: &str) -> bool {
    let is_part = |char: Option<char>| char.is_some_and(|char| char.is_alphanumeric() || char == '_');
    text.match_indices(words).any(|(start, found)| {
        !is_part(text[..start].chars().next_back()) && !is_part(text[start + found.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROMPT: &str = "Work.\nWhen all is well, print\nDONE\n";

    fn sighting(output: &str) -> PromiseSighting {
        find_promise(output, "DONE", PROMPT)
    }

    #[test]
    fn a_promise_counts_on_its_own_line_or_in_its_tags() {
        for output in [
            "all is well\nDONE\n",
            "  DONE  \r\nsome more",
            "**DONE**",
            "## DONE",
            "`DONE`",
            "I am finished:\n```\nDONE\n```\n",
            "It is <promise>DONE</promise>.",
            r#"{"result":"All is well.\nDONE","cost":1}"#,
        ] {
            assert_eq!(sighting(output), PromiseSighting::Kept, "{output}");
        }
    }

    /// It does not count, because it may say the opposite, but the user and the agent are told.
    #[test]
    fn a_promise_within_a_longer_line_is_seen_but_does_not_count() {
        for output in [
            "this is not DONE yet\n",
            "All tests pass. DONE",
            "DONE.",
            "- DONE",
            "> DONE",
            "DONE-ish\n",
            r#"{"result":"All is well. DONE"}"#,
        ] {
            assert_eq!(sighting(output), PromiseSighting::WithinLine, "{output}");
        }
        assert_eq!(
            within_line_note(" DONE "),
            "\"DONE\" was seen within a line, which does not count. If the work is complete, print it on a line of its own."
        );
    }

    #[test]
    fn other_outputs_have_no_promise() {
        for output in ["", "UNDONE", "DONE_LATER = 1", "done", "<promise>done</promise>"] {
            assert_eq!(sighting(output), PromiseSighting::Absent, "{output}");
        }
        let echo = "> Work.\nWhen all is well, print\nDONE\nI begin.";
        assert_eq!(sighting(echo), PromiseSighting::Absent, "the prompt, printed again");
        let read = "{\"type\":\"tool\",\"text\":\"print\\nDONE\"}\n{\"type\":\"result\",\"result\":\"I read the plan.\"}";
        assert_eq!(sighting(read), PromiseSighting::Absent, "text that an agent read is not its message");
        assert_eq!(find_promise("\n\n", " ", ""), PromiseSighting::Absent);
        assert_eq!(find_promise("anything", "", ""), PromiseSighting::Absent);
    }
}
