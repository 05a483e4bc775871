//! What the agent is told: the prompt, and what the guard has to say.

use std::fs;
use std::path::Path;

use crate::error::RunError;
use crate::options::RunOptions;
use crate::prompt::agent_answer::answer;

/// Where the prompt stands in the command.
const PLACE: &str = "{prompt}";

/// The prompt of a run.
#[derive(Debug)]
pub(crate) struct RunPrompt<'a> {
    options: &'a RunOptions,
    /// As it was read last.
    text: Option<String>,
    /// What is said of the task at hand.
    brief: String,
    /// Both together.
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

    /// The prompt as it is now. A file that cannot be read any more is told of; the last text goes on to hold.
    pub(crate) fn read(&mut self) -> Result<&str, String> {
        if let Some(path) = &self.options.prompt_file {
            match read(path) {
                Ok(text) => {
                    self.text = Some(text);
                    self.join();
                }
                Err(why) => return Err(format!("--prompt-file {why}; going on with the last prompt")),
            }
        }
        Ok(self.last())
    }

    /// As it was read last, with the task at hand.
    pub(crate) fn last(&self) -> &str {
        &self.whole
    }

    /// Says what the task at hand is.
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

    /// The words of the command, and what goes to its standard input.
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

/// Whether an output keeps the promise: on a line of its own or in its own tags, and not in the prompt that is printed again.
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
    fn a_promise_is_kept_by_a_line_and_not_by_a_mention() {
        let keeps = |output| keeps_promise(output, "DONE", "Work.\nWhen all is well, print\nDONE\n");
        assert!(keeps("all is well\nDONE\n") && keeps("**DONE**") && keeps("<promise>DONE</promise>."));
        assert!(keeps(r#"{"result":"All is well.\nDONE","cost":1}"#));
        assert!(!keeps("this is not DONE yet\n") && !keeps("DONE-ish\n") && !keeps(""));
        assert!(!keeps("> Work.\nWhen all is well, print\nDONE\nI begin."), "the prompt, printed again");
        let read = "{\"type\":\"tool\",\"text\":\"print\\nDONE\"}\n{\"type\":\"result\",\"result\":\"I read the plan.\"}";
        assert!(!keeps(read), "what an agent read is not what it says");
        assert!(!keeps_promise("\n\n", " ", ""));
    }
}
