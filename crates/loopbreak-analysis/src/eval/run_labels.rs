//! Labels of runs: one JSON object per line, with the id of the run under `run`.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::label_file_error::LabelFileError;

/// A line of a label file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelError {
    /// The line, counted from 1.
    pub line: u64,
    /// The reason.
    pub reason: String,
}

impl fmt::Display for LabelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.reason)
    }
}

impl std::error::Error for LabelError {}

/// The labels of all runs.
#[derive(Clone, Debug, Default)]
pub struct RunLabels {
    by_run: HashMap<String, LabelEntry>,
    files: usize,
}

/// The labels of a run, and their place.
#[derive(Clone, Debug)]
struct LabelEntry {
    labels: Value,
    file: usize,
    line: u64,
}

impl RunLabels {
    /// Reads label files.
    pub fn read(files: &[PathBuf]) -> Result<Self, LabelFileError> {
        let mut labels = RunLabels::default();
        for file in files {
            let text = fs::read_to_string(file)
                .map_err(|error| LabelFileError::Unreadable { file: file.clone(), error })?;
            labels.add(&text).map_err(|error| LabelFileError::Line { file: file.clone(), error })?;
        }
        Ok(labels)
    }

    /// Adds the content of a file. The first broken line is an error: half of the labels would give a wrong result.
    pub fn add(&mut self, text: &str) -> Result<(), LabelError> {
        self.files += 1;
        for (index, line) in text.trim_start_matches('\u{FEFF}').lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let number = index as u64 + 1;
            self.line(line, number).map_err(|reason| LabelError { line: number, reason })?;
        }
        Ok(())
    }

    fn line(&mut self, line: &str, number: u64) -> Result<(), String> {
        let labels: Value = serde_json::from_str(line).map_err(|error| without_position(&error))?;
        let run = match labels.get("run") {
            Some(Value::String(run)) => run.clone(),
            Some(Value::Number(run)) => run.to_string(),
            Some(_) => return Err("\"run\" is neither a string nor a number".to_owned()),
            None if labels.is_object() => return Err("the key \"run\" is missing".to_owned()),
            None => return Err("not a JSON object".to_owned()),
        };
        if let Some(before) = self.by_run.get(&run) {
            let file = if before.file == self.files { "" } else { " of an earlier file" };
            return Err(format!("the run {run:?} already has labels, on line {}{file}", before.line));
        }
        self.by_run.insert(run, LabelEntry { labels, file: self.files, line: number });
        Ok(())
    }

    /// Returns the labels of a run.
    pub fn get(&self, run: &str) -> Option<&Value> {
        self.by_run.get(run).map(|known| &known.labels)
    }

    /// Returns the number of labelled runs.
    pub fn len(&self) -> usize {
        self.by_run.len()
    }

    /// Returns whether there are no labels.
    pub fn is_empty(&self) -> bool {
        self.by_run.is_empty()
    }

    /// Returns the ids of labelled runs, sorted.
    pub fn runs(&self) -> Vec<&str> {
        let mut runs: Vec<&str> = self.by_run.keys().map(String::as_str).collect();
        runs.sort_unstable();
        runs
    }
}

/// Formats an error of the parser. It sees one line at a time, so its line number is left out.
fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or(&text);
    format!("not JSON: {what} (column {})", error.column())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eval_labels_are_found_by_run_and_the_name_may_be_a_number() {
        let mut labels = RunLabels::default();
        labels.add("{\"run\":\"a\",\"x\":1}\n\n{\"run\":7}\n").unwrap();
        assert_eq!((labels.len(), labels.runs()), (2, vec!["7", "a"]));
        assert!(labels.get("7").is_some() && labels.get("b").is_none());
    }

    #[test]
    fn eval_invalid_labels_name_the_line() {
        for (text, message) in [
            ("{\"run\":\"a\"}\n{\"run\":", "2: not JSON: EOF while parsing a value (column 7)"),
            ("{\"run\":\"a\"}\n\n[1]", "3: not a JSON object"),
            ("{\"id\":\"a\"}", "1: the key \"run\" is missing"),
            ("{\"run\":null}", "1: \"run\" is neither a string nor a number"),
            ("{\"run\":\"a\"}\n{\"run\":\"a\"}", "2: the run \"a\" already has labels, on line 1"),
        ] {
            assert_eq!(RunLabels::default().add(text).unwrap_err().to_string(), message);
        }
    }
}
