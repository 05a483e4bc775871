//! The text of a tool's result, without what the agent put around it.

use std::borrow::Cow;

use loopbreak::step::StepText;

/// The text of a tool's result, without what the agent put around it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolText<'a> {
    /// The text that the tool returned.
    pub text: Cow<'a, str>,
    /// Exit code of a command, if the text states it.
    pub exit: Option<i64>,
}

/// Wrapper around content that the agent does not trust.
const UNTRUSTED: (&str, &str) = ("<untrusted_context>", "</untrusted_context>");
/// Wrapper around texts that hooks have added.
const HOOK: (&str, &str) = ("<hook_context>", "</hook_context>");
/// Beginning of the guard's advice below a result, for agents that put nothing around it.
const ADDED_ADVICE: &str = "\nLoop guard: ";
/// Beginnings of the results of commands.
const COMMAND_HEADS: [&str; 2] = ["Output: ", "Command: "];
/// Beginnings of the lines below the output of a command.
const COMMAND_FOOT: [&str; 5] =
    ["Error: ", EXIT_CODE, "Signal: ", "Background PIDs: ", "Process Group PGID: "];
/// Those that differ between equal results.
const VOLATILE: [&str; 2] = ["Background PIDs: ", "Process Group PGID: "];
const EXIT_CODE: &str = "Exit Code: ";

/// Removes what an agent puts around the result of a tool, so that equal results are equal texts. Readers of logs and
/// hooks both use it: a session gives the same findings live and afterwards.
///
/// - A wrapper `<untrusted_context>…</untrusted_context>` around the whole text.
/// - Blocks `<hook_context>…</hook_context>` before and after it, which are texts of hooks, Loopbreak's included.
/// - Advice of Loopbreak below the text.
/// - Below the output of a command, the lines `Process Group PGID: n` and `Background PIDs: n`. They differ in each call.
///   The line `Exit Code: n` gives the exit code. Without this line, and without `Error:` or `Signal:`, the code is 0.
///
/// ```
/// use loopbreak_trace::unwrap_tool_text;
///
/// let result = "<untrusted_context>\nOutput: no such file\nExit Code: 2\nProcess Group PGID: 26923\n</untrusted_context>";
/// let unwrapped = unwrap_tool_text(result);
/// assert_eq!((&*unwrapped.text, unwrapped.exit), ("Output: no such file\nExit Code: 2", Some(2)));
/// ```
pub fn unwrap_tool_text(text: &str) -> ToolText<'_> {
    let outer = without_hook_context(text);
    let inner = without_hook_context(wrapped(outer, UNTRUSTED).map_or(outer, str::trim));
    // Only commands are changed, so that the content of a file stays as it is.
    if !COMMAND_HEADS.iter().any(|head| inner.starts_with(head)) {
        return ToolText { text: inner.into(), exit: None };
    }
    let foot = foot_of(inner);
    let (output, foot) = inner.split_at(foot);
    let line = |start: &str| foot.lines().find_map(|line| line.strip_prefix(start)).map(str::trim);
    let is_volatile = |line: &str| VOLATILE.iter().any(|start| line.starts_with(start));
    if !foot.lines().any(is_volatile) && line(EXIT_CODE).is_none() {
        return ToolText { text: inner.into(), exit: None };
    }
    let is_set = |start: &str| line(start).is_some_and(|value| value != "(none)" && value != "0");
    let exit = match line(EXIT_CODE) {
        Some(code) => code.parse().ok(),
        None => (!is_set("Error: ") && !is_set("Signal: ")).then_some(0),
    };
    let kept = foot.lines().filter(|line| !is_volatile(line));
    let text = std::iter::once(output.trim_end_matches('\n')).chain(kept).collect::<Vec<_>>().join("\n");
    ToolText { text: text.into(), exit }
}

/// Does the same for the text of a step, and returns the exit code too.
pub(crate) fn unwrap_step_text(text: StepText<'_>) -> (StepText<'_>, Option<i64>) {
    let ToolText { text: unwrapped, exit } = unwrap_tool_text(&text);
    let changed = (unwrapped.len() != text.len()).then(|| StepText::from(unwrapped.into_owned()));
    (changed.unwrap_or(text), exit)
}

/// Returns the position at which the lines below the output of a command start.
fn foot_of(text: &str) -> usize {
    let mut at = text.len();
    for line in text.lines().rev() {
        if !COMMAND_FOOT.iter().any(|start| line.starts_with(start)) {
            break;
        }
        // Both are parts of the same text.
        at = (line.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    }
    at
}

/// Returns what is inside of a wrapper around the whole text.
fn wrapped<'a>(text: &'a str, (start, end): (&str, &str)) -> Option<&'a str> {
    text.trim().strip_prefix(start)?.strip_suffix(end)
}

/// Removes advice below a text.
fn without_added_advice(text: &str) -> &str {
    text.find(ADDED_ADVICE).map_or(text, |end| text[..end].trim_end_matches('\n'))
}

/// Removes texts of hooks from both ends.
fn without_hook_context(text: &str) -> &str {
    let mut rest = text;
    loop {
        let end = rest.trim_end().strip_suffix(HOOK.1).and_then(|inside| inside.rfind(HOOK.0));
        let start = rest.trim_start().strip_prefix(HOOK.0).and_then(|inside| inside.split_once(HOOK.1));
        rest = match (end, start) {
            (Some(end), _) => rest[..end].trim_end(),
            (None, Some((_, after))) => after.trim_start(),
            (None, None) => return without_added_advice(rest),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unwrapped(text: &str) -> (String, Option<i64>) {
        let ToolText { text, exit } = unwrap_tool_text(text);
        (text.into_owned(), exit)
    }

    #[test]
    fn advice_below_a_result_does_not_belong_to_it() {
        assert_eq!(
            unwrapped("no such file\n\nLoop guard: since turn 2: again.\n\nLoop guard: more"),
            ("no such file".into(), None)
        );
        let wrapped = "x\n\n<hook_context>Loop guard: one\n\nLoop guard: two</hook_context>";
        assert_eq!(unwrapped(wrapped).0, "x");
        assert_eq!(unwrapped("Loop guard: a heading\n\ntext").0, "Loop guard: a heading\n\ntext");
    }

    #[test]
    fn equal_commands_have_equal_results() {
        for (text, expected, exit) in [
            ("Output: (empty)\nProcess Group PGID: 20496", "Output: (empty)", Some(0)),
            (
                "<untrusted_context>\nOutput: a\nb\nExit Code: 2\nBackground PIDs: 1, 2\nProcess Group PGID: 7\n</untrusted_context>",
                "Output: a\nb\nExit Code: 2",
                Some(2),
            ),
            (
                "Command: ls\nDirectory: (root)\nOutput: x\nError: (none)\nExit Code: 0\nSignal: 0\nBackground PIDs: (none)\nProcess Group PGID: 8",
                "Command: ls\nDirectory: (root)\nOutput: x\nError: (none)\nExit Code: 0\nSignal: 0",
                Some(0),
            ),
            ("Output: x\nSignal: 9\nProcess Group PGID: 8", "Output: x\nSignal: 9", None),
            ("Output: Process Group PGID: 3\nprinted", "Output: Process Group PGID: 3\nprinted", None),
        ] {
            assert_eq!(unwrapped(text), (expected.to_owned(), exit), "{text}");
        }
    }

    #[test]
    fn texts_of_hooks_are_removed_from_the_ends_only() {
        let hook = "<hook_context>Loop guard: 4 times</hook_context>";
        assert_eq!(unwrapped(&format!("the file\n\n{hook}")).0, "the file");
        assert_eq!(unwrapped(&format!("{hook}\n{hook}\nthe file")).0, "the file");
        assert_eq!(unwrapped(hook).0, "");
        let untrusted =
            format!("<untrusted_context>\nOutput: a\nProcess Group PGID: 1\n</untrusted_context>\n\n{hook}");
        assert_eq!(unwrapped(&untrusted), ("Output: a".to_owned(), Some(0)));
        let inside = format!("one\n{hook}\ntwo");
        assert_eq!(unwrapped(&inside).0, inside);
    }

    #[test]
    fn other_texts_stay_as_they_are() {
        for text in
            ["", "plain ", "log\nExit Code: 3", "Output: x\n", "<untrusted_context>", "</hook_context>"]
        {
            assert_eq!(unwrapped(text), (text.to_owned(), None));
        }
    }
}
