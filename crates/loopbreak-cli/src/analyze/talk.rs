//! What is told on standard error beside the report: what could not be read, and why.

use std::fmt::Display;

use anstyle::AnsiColor;

use super::log::Outcome;

/// How many notes about lines are told of all logs together, unless all are asked for.
const NOTES: usize = 12;
/// How many notes are kept of each log.
const NOTES_A_LOG: usize = 3;

/// Talks on standard error.
#[derive(Debug)]
pub(crate) struct Talk {
    quiet: bool,
    verbose: bool,
    told: usize,
    /// Notes left untold.
    untold: u64,
    hints: Vec<&'static str>,
}

impl Talk {
    pub(crate) fn new(quiet: bool, verbose: bool) -> Self {
        Talk { quiet, verbose, told: 0, untold: 0, hints: Vec::new() }
    }

    /// How many notes about lines are worth keeping of each log.
    pub(crate) fn notes(&self) -> usize {
        match (self.quiet, self.verbose) {
            (true, _) => 0,
            (_, true) => usize::MAX,
            _ => NOTES_A_LOG,
        }
    }

    /// Something could not be read.
    pub(crate) fn error(&mut self, name: &str, what: impl Display, hint: Option<&'static str>) {
        let style = AnsiColor::Red.on_default().bold();
        anstream::eprintln!("{style}error{style:#}: {}: {what}", clean(name));
        // What to do is said once, however many files it holds for.
        if let Some(hint) = hint.filter(|hint| !self.hints.contains(hint)) {
            let style = AnsiColor::Cyan.on_default().bold();
            anstream::eprintln!("{style}hint{style:#}: {hint}");
            self.hints.push(hint);
        }
    }

    /// Something worth knowing.
    pub(crate) fn warning(&self, name: &str, what: impl Display) {
        if !self.quiet {
            let style = AnsiColor::Yellow.on_default().bold();
            anstream::eprintln!("{style}warning{style:#}: {}: {what}", clean(name));
        }
    }

    /// Where logs were looked for, because none were named.
    pub(crate) fn looked(&self, what: &str) {
        if !self.quiet {
            let style = anstyle::Style::new().dimmed();
            anstream::eprintln!("{style}{}{style:#}", clean(what));
        }
    }

    /// Something for who wants to know everything.
    pub(crate) fn aside(&self, name: &str, what: impl Display) {
        if self.verbose {
            let style = anstyle::Style::new().dimmed();
            anstream::eprintln!("{style}ignored: {}: {what}{style:#}", clean(name));
        }
    }

    /// What there is to say about the lines of a log.
    pub(crate) fn lines(&mut self, name: &str, outcome: &Outcome) {
        for note in &outcome.notes {
            if self.told >= NOTES && !self.verbose {
                self.untold += 1;
                continue;
            }
            self.told += 1;
            self.warning(&format!("{name}:{}", note.line), &note.text);
        }
        self.untold += outcome.unsaid;
    }

    /// Says how much was left unsaid.
    pub(crate) fn finish(&self) {
        if self.untold > 0 && !self.quiet {
            let style = anstyle::Style::new().dimmed();
            let lines = if self.untold == 1 { "line" } else { "lines" };
            anstream::eprintln!("{style}+{} more {lines} like this; -v shows all{style:#}", self.untold);
        }
    }
}

/// A file may be called anything; its name is not to move the cursor.
fn clean(name: &str) -> String {
    name.chars().map(|char| if char.is_control() { '?' } else { char }).collect()
}
