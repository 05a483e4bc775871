//! The prompt of the agent: the user's text, the current task, and the guard's advice.

use std::path::Path;

use loopbreak_config::read_limited_file;

use crate::error::RunError;
use crate::options::RunOptions;
use crate::prompt::agent_answer::final_message;

/// The placeholder for the prompt in the command.
const PLACEHOLDER: &str = "{prompt}";

/// The largest prompt file that is read, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The prompt of a run.
#[derive(Debug)]
pub(crate) struct RunPrompt<'a> {
    options: &'a RunOptions,
    /// The user's text, as last read.
    text: Option<String>,
    /// True if the prompt file is a regular file, which can be read again.
    is_file: bool,
    /// The description of the current task.
    brief: String,
    /// The text and the brief.
    whole: String,
}

impl<'a> RunPrompt<'a> {
    pub(crate) fn new(options: &'a RunOptions) -> Result<Self, RunError> {
        let text = match &options.prompt_file {
            Some(path) => {
                Some(read_file(path).map_err(|why| RunError::usage(format!("--prompt-file {why}")))?)
            }
            None => options.prompt.clone(),
        };
        if text.is_none()
            && options.roadmap.is_none()
            && options.command.iter().any(|word| word.contains(PLACEHOLDER))
        {
            return Err(RunError::usage("the command has {prompt}, but there is no prompt")
                .hint("give one with --prompt or --prompt-file"));
        }
        let whole = text.clone().unwrap_or_default();
        let is_file = options.prompt_file.as_ref().is_some_and(|path| path.is_file());
        Ok(RunPrompt { options, text, is_file, brief: String::new(), whole })
    }

    /// Reads the prompt file again and returns the prompt. If the file can no longer be read, returns an
    /// error, and the last text stays in use.
    pub(crate) fn reload(&mut self) -> Result<&str, String> {
        // A stream can be read only once.
        if let Some(path) = self.options.prompt_file.as_ref().filter(|_| self.is_file) {
            match read_file(path) {
                Ok(text) => {
                    self.text = Some(text);
                    self.update_whole();
                }
                Err(why) => return Err(format!("--prompt-file {why}; continuing with the last prompt")),
            }
        }
        Ok(self.current())
    }

    /// Returns the prompt as last read, with the current task.
    pub(crate) fn current(&self) -> &str {
        &self.whole
    }

    /// Sets the description of the current task.
    pub(crate) fn set_brief(&mut self, brief: String) {
        self.brief = brief;
        self.update_whole();
    }

    fn update_whole(&mut self) {
        let text = self.text.as_deref().unwrap_or_default();
        self.whole = match (text, self.brief.as_str()) {
            (text, "") => text.to_owned(),
            ("", brief) => brief.to_owned(),
            (text, brief) => format!("{}\n\n{brief}", text.trim_end()),
        };
    }

    /// Returns the words of the command and the text for its standard input.
    pub(crate) fn command_line(&self, advice: Option<&str>) -> (Vec<String>, Option<String>) {
        let input = match (self.current(), advice) {
            (prompt, None) => prompt.to_owned(),
            ("", Some(advice)) => format!("{advice}\n"),
            (prompt, Some(advice)) => format!("{}\n\n{advice}\n", prompt.trim_end()),
        };
        let command = &self.options.command;
        if command.iter().any(|word| word.contains(PLACEHOLDER)) {
            // An argument cannot hold NUL.
            let input = input.replace('\0', " ");
            return (command.iter().map(|word| word.replace(PLACEHOLDER, &input)).collect(), None);
        }
        (command.clone(), (!input.is_empty()).then_some(input))
    }
}

fn read_file(path: &Path) -> Result<String, String> {
    let bytes = read_limited_file(path, MAX_BYTES).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns whether an output contains the promise on its own line or in its tags. A repeated prompt does not
/// count.
pub(crate) fn contains_promise(output: &str, promise: &str, prompt: &str) -> bool {
    let promise = promise.trim();
    let message = final_message(output);
    let output = message.as_deref().unwrap_or(output);
    let (prompt, mut output) = (prompt.trim(), output.to_owned());
    if prompt.contains(promise) && prompt != promise {
        output = output.replace(prompt, "");
    }
    let bare = |text: &str| text.trim().trim_matches(['*', '`', '_', '#', ' ']).to_owned();
    let wanted = bare(promise);
    !wanted.is_empty()
        && (output.contains(&format!("<promise>{promise}</promise>"))
            || output.lines().any(|line| bare(line) == wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_promise_counts_on_its_own_line_and_not_within_a_sentence() {
        let is_kept = |output| contains_promise(output, "DONE", "Work.\nWhen all is well, print\nDONE\n");
        assert!(is_kept("all is well\nDONE\n") && is_kept("**DONE**") && is_kept("<promise>DONE</promise>."));
        assert!(is_kept(r#"{"result":"All is well.\nDONE","cost":1}"#));
        assert!(!is_kept("this is not DONE yet\n") && !is_kept("DONE-ish\n") && !is_kept(""));
        assert!(!is_kept("> Work.\nWhen all is well, print\nDONE\nI begin."), "the prompt, printed again");
        let read = "{\"type\":\"tool\",\"text\":\"print\\nDONE\"}\n{\"type\":\"result\",\"result\":\"I read the plan.\"}";
        assert!(!is_kept(read), "text that an agent read is not its message");
        assert!(!contains_promise("\n\n", " ", ""));
    }
}
