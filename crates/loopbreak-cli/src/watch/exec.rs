//! A command of the user's, started when a run should be stopped or needs a human.

use std::collections::VecDeque;
use std::io;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::notice::Notice;
use crate::error::UserError;

/// The variables that the command gets. They are no settings, should the command call us.
pub(crate) const VARIABLES: [&str; 8] = [
    "LOOPBREAK_RUN",
    "LOOPBREAK_REASON",
    "LOOPBREAK_DETECTOR",
    "LOOPBREAK_PATTERN",
    "LOOPBREAK_INTERVENTION",
    "LOOPBREAK_SOURCE",
    "LOOPBREAK_TURN",
    "LOOPBREAK_LOOP",
];

/// How many commands run at once, whatever the number of runs.
const AT_ONCE: usize = 16;

/// Starts the command, one at a time for each run.
#[derive(Debug)]
pub(crate) struct Exec {
    words: Vec<String>,
    running: Vec<(String, Child)>,
    /// At most one for each run and task: the latest.
    waiting: VecDeque<Notice>,
    quiet: bool,
}

impl Exec {
    /// `quiet` throws away what the command prints, where it would spoil the screen.
    pub(crate) fn new(command: &str, quiet: bool) -> Result<Self, UserError> {
        let words = words(command).filter(|words| !words.is_empty()).ok_or_else(|| {
            UserError::usage(format!("--exec {command:?}: no command, or a quote is left open"))
        })?;
        Ok(Exec { words, running: Vec::new(), waiting: VecDeque::new(), quiet })
    }

    /// Calls the command, now or when its turn comes.
    pub(crate) fn call(&mut self, notice: &Notice) {
        let key = key(notice);
        // What is told of another task is not out of date.
        self.waiting.retain(|waiting| self::key(waiting) != key || waiting.task != notice.task);
        self.waiting.push_back(notice.clone());
    }

    /// Takes in what has ended, and starts what can be. Gives what there is to tell.
    pub(crate) fn poll(&mut self) -> Vec<String> {
        let mut told = Vec::new();
        self.running.retain_mut(|(run, child)| match child.try_wait() {
            Ok(None) => true,
            Ok(Some(status)) if status.success() => false,
            Ok(Some(status)) => {
                told.push(format!("--exec for {run}: {status}"));
                false
            }
            Err(error) => {
                told.push(format!("--exec for {run}: {error}"));
                false
            }
        });
        for notice in std::mem::take(&mut self.waiting) {
            let key = key(&notice);
            if self.running.len() >= AT_ONCE || self.running.iter().any(|(running, _)| *running == key) {
                self.waiting.push_back(notice);
                continue;
            }
            match self.start(&notice) {
                Ok(child) => self.running.push((key, child)),
                Err(error) => told.push(format!("--exec: cannot start {:?}: {error}", self.words[0])),
            }
        }
        told
    }

    /// Waits until all are done, but not longer than this. Gives what there is to tell.
    pub(crate) fn finish(&mut self, longest: Duration) -> Vec<String> {
        let until = Instant::now() + longest;
        let mut told = self.poll();
        while !(self.running.is_empty() && self.waiting.is_empty()) {
            if Instant::now() >= until {
                told.push(format!("--exec: {} still running, left alone", self.running.len()));
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
            told.extend(self.poll());
        }
        told
    }

    fn start(&self, notice: &Notice) -> io::Result<Child> {
        let (intervention, turn) = (notice.intervention.as_str(), notice.turn.to_string());
        let loop_id = notice.loop_id.to_string();
        let values = [
            notice.run.as_str(),
            &notice.reason,
            notice.detector.as_str(),
            notice.pattern.as_str(),
            intervention,
            &notice.source,
            &turn,
            &loop_id,
        ];
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).stdin(Stdio::null());
        if self.quiet {
            command.stdout(Stdio::null()).stderr(Stdio::null());
        } else {
            // Standard output is for our data.
            command.stdout(io::stderr());
        }
        for (name, value) in VARIABLES.iter().zip(values) {
            // A variable cannot hold NUL.
            command.env(name, value.replace('\0', " "));
        }
        command.spawn()
    }
}

fn key(notice: &Notice) -> String {
    format!("{} ({})", notice.run, notice.source)
}

/// Splits at blanks; quotes and backslashes mean what they mean to a shell, nothing else does. Nothing if a quote is open.
pub(crate) fn words(text: &str) -> Option<Vec<String>> {
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
    fn words_are_split_as_a_shell_does_and_nothing_is_expanded() {
        let split = |text| words(text).unwrap();
        assert_eq!(split("a  b\tc"), ["a", "b", "c"]);
        assert_eq!(
            split(r#"sh -c 'kill "$X"' "a \"b\" $(c)" d\ e '' f"g"h"#),
            ["sh", "-c", "kill \"$X\"", "a \"b\" $(c)", "d e", "", "fgh"]
        );
        assert_eq!(split("a;b|c *"), ["a;b|c", "*"]);
        assert!(words("a 'b").is_none() && words("a \\").is_none());
        assert!(split("  ").is_empty());
    }
}
