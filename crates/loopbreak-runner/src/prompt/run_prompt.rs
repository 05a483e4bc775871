//! The prompt of the agent: the user's text, the current task, and the guard's advice.

use std::path::Path;

use loopbreak_config::read_limited_file;

use crate::error::RunError;
use crate::options::RunOptions;

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

    /// Returns the words of the command and the text for its standard input: the prompt, and the notes after it.
    pub(crate) fn command_line(&self, notes: &[&str]) -> (Vec<String>, Option<String>) {
        let input = match (self.current(), notes.join("\n\n").as_str()) {
            (prompt, "") => prompt.to_owned(),
            ("", notes) => format!("{notes}\n"),
            (prompt, notes) => format!("{}\n\n{notes}\n", prompt.trim_end()),
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
