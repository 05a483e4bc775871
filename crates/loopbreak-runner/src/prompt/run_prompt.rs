//! The prompt of the agent: the user's text, the current task, and the guard's advice.

use std::fs;
use std::path::Path;

use crate::error::RunError;
use crate::options::RunOptions;
use crate::prompt::agent_answer::answer;

/// The placeholder for the prompt in the command.
const PLACE: &str = "{prompt}";

/// The prompt of a run.
#[derive(Debug)]
pub(crate) struct RunPrompt<'a> {
    options: &'a RunOptions,
    /// The user's text, as last read.
    text: Option<String>,
    /// The description of the current task.
    brief: String,
    /// The text and the brief.
    whole: String,
}

impl<'a> RunPrompt<'a> {
    pub(crate) fn new(options: &'a RunOptions) -> Result<Self, RunError> {
        let text = match &options.prompt_file {
            Some(path) => Some(read(path).map_err(|why| RunError::usage(format!("--prompt-file {why}")))?),
            None => options.prompt.clone(),
        };
        if text.is_none()
            && options.roadmap.is_none()
            && options.command.iter().any(|word| word.contains(PLACE))
        {
            return Err(RunError::usage("the command has {prompt}, but there is no prompt")
                .hint("give one with --prompt or --prompt-file"));
        }
        let whole = text.clone().unwrap_or_default();
        Ok(RunPrompt { options, text, brief: String::new(), whole })
    }

    /// Reads the prompt file again and returns the prompt. If the file can no longer be read, returns an
    /// error, and the last text stays in use.
    pub(crate) fn read(&mut self) -> Result<&str, String> {
        if let Some(path) = &self.options.prompt_file {
            match read(path) {
                Ok(text) => {
                    self.text = Some(text);
                    self.join();
                }
                Err(why) => return Err(format!("--prompt-file {why}; continuing with the last prompt")),
            }
        }
        Ok(self.last())
    }

    /// Returns the prompt as last read, with the current task.
    pub(crate) fn last(&self) -> &str {
        &self.whole
    }

    /// Sets the description of the current task.
    pub(crate) fn set_brief(&mut self, brief: String) {
        self.brief = brief;
        self.join();
    }

    fn join(&mut self) {
        let text = self.text.as_deref().unwrap_or_default();
        self.whole = match (text, self.brief.as_str()) {
            (text, "") => text.to_owned(),
            ("", brief) => brief.to_owned(),
            (text, brief) => format!("{}\n\n{brief}", text.trim_end()),
        };
    }

    /// Returns the words of the command and the text for its standard input.
    pub(crate) fn words(&self, advice: Option<&str>) -> (Vec<String>, Option<String>) {
        let told = match (self.last(), advice) {
            (prompt, None) => prompt.to_owned(),
            ("", Some(advice)) => format!("{advice}\n"),
            (prompt, Some(advice)) => format!("{}\n\n{advice}\n", prompt.trim_end()),
        };
        let command = &self.options.command;
        if command.iter().any(|word| word.contains(PLACE)) {
            // An argument cannot hold NUL.
            let told = told.replace('\0', " ");
            return (command.iter().map(|word| word.replace(PLACE, &told)).collect(), None);
        }
        (command.clone(), (!told.is_empty()).then_some(told))
    }
}

fn read(path: &Path) -> Result<String, String> {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns whether an output contains the promise on its own line or in its tags. A repeated prompt does not
/// count.
pub(crate) fn keeps_promise(output: &str, promise: &str, prompt: &str) -> bool {
    let promise = promise.trim();
    let own = answer(output);
    let output = own.as_deref().unwrap_or(output);
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
        let keeps = |output| keeps_promise(output, "DONE", "Work.\nWhen all is well, print\nDONE\n");
        assert!(keeps("all is well\nDONE\n") && keeps("**DONE**") && keeps("<promise>DONE</promise>."));
        assert!(keeps(r#"{"result":"All is well.\nDONE","cost":1}"#));
        assert!(!keeps("this is not DONE yet\n") && !keeps("DONE-ish\n") && !keeps(""));
        assert!(!keeps("> Work.\nWhen all is well, print\nDONE\nI begin."), "the prompt, printed again");
        let read = "{\"type\":\"tool\",\"text\":\"print\\nDONE\"}\n{\"type\":\"result\",\"result\":\"I read the plan.\"}";
        assert!(!keeps(read), "text that an agent read is not its message");
        assert!(!keeps_promise("\n\n", " ", ""));
    }
}
