//! Diagnostics about inputs: what could not be read, and why.

use std::fmt::Display;
use std::io::Write;

use anstyle::AnsiColor;
use loopbreak_analysis::{DiagnosticSink, LineNote};

/// Number of files with a note about a line, unless all notes are asked for.
const NOTES: usize = 5;
/// Number of notes that are kept of a log, and printed if it is the only one with any.
const NOTES_PER_LOG: usize = 3;

/// Prints diagnostics, usually to standard error. If nobody reads them any more, they are dropped. Notes about lines are printed
/// at the end, one per file if there are several, unless all are asked for.
#[derive(Debug)]
pub struct DiagnosticPrinter<W> {
    out: W,
    quiet: bool,
    verbose: bool,
    notes: Vec<(String, LineNote)>,
    unprinted_notes: u64,
    hints: Vec<String>,
}

impl<W: Write> DiagnosticPrinter<W> {
    /// Creates a printer. It prints errors, warnings unless it is quiet, and everything if it is verbose.
    pub fn new(out: W, quiet: bool, verbose: bool) -> Self {
        DiagnosticPrinter { out, quiet, verbose, notes: Vec::new(), unprinted_notes: 0, hints: Vec::new() }
    }

    /// Returns how many notes about lines are worth keeping per log.
    pub fn notes_per_log(&self) -> usize {
        match (self.quiet, self.verbose) {
            (true, _) => 0,
            (_, true) => usize::MAX,
            _ => NOTES_PER_LOG,
        }
    }

    /// Prints where logs were looked for, because none were named.
    pub fn searched(&mut self, message: &str) {
        if !self.quiet {
            let style = anstyle::Style::new().dimmed();
            let _ = writeln!(self.out, "{style}{}{style:#}", without_controls(message));
        }
    }

    /// Prints the notes about lines, and how many of them were left out.
    pub fn finish(&mut self) {
        for (name, note) in std::mem::take(&mut self.notes) {
            self.warning(&format!("{name}:{}", note.line), &note.text);
        }
        if self.unprinted_notes > 0 && !self.quiet {
            let style = anstyle::Style::new().dimmed();
            let lines = if self.unprinted_notes == 1 { "line" } else { "lines" };
            let _ = writeln!(
                self.out,
                "{style}+{} more {lines} like this; -v shows all{style:#}",
                self.unprinted_notes
            );
        }
    }
}

impl<W: Write> DiagnosticSink for DiagnosticPrinter<W> {
    fn error(&mut self, name: &str, message: &dyn Display, hint: Option<&str>) {
        let style = AnsiColor::Red.on_default().bold();
        let _ = writeln!(self.out, "{style}error{style:#}: {}: {message}", without_controls(name));
        // A hint is printed once, however many files it holds for.
        if let Some(hint) = hint.filter(|hint| !self.hints.iter().any(|known| known == hint)) {
            let style = AnsiColor::Cyan.on_default().bold();
            let _ = writeln!(self.out, "{style}hint{style:#}: {hint}");
            self.hints.push(hint.to_owned());
        }
    }

    fn warning(&mut self, name: &str, message: &dyn Display) {
        if !self.quiet {
            let style = AnsiColor::Yellow.on_default().bold();
            let _ = writeln!(self.out, "{style}warning{style:#}: {}: {message}", without_controls(name));
        }
    }

    fn ignored(&mut self, name: &str, message: &dyn Display) {
        if self.verbose {
            let style = anstyle::Style::new().dimmed();
            let _ = writeln!(self.out, "{style}ignored: {}: {message}{style:#}", without_controls(name));
        }
    }

    fn line_notes(&mut self, name: &str, notes: &[LineNote], unlisted: u64) {
        let room = match self.notes.len() {
            _ if self.verbose => usize::MAX,
            0 => NOTES_PER_LOG,
            NOTES.. => 0,
            _ => 1,
        };
        if !self.verbose && !notes.is_empty() && self.notes.len() > 1 && self.notes[0].0 == self.notes[1].0 {
            // Only a single log has more than one.
            self.unprinted_notes += self.notes.len() as u64 - 1;
            self.notes.truncate(1);
        }
        let kept = notes.iter().take(room).map(|note| (name.to_owned(), note.clone()));
        self.notes.extend(kept);
        self.unprinted_notes += notes.len().saturating_sub(room) as u64 + unlisted;
    }
}

/// Removes control characters: a file may be called anything, and its name must not move the cursor.
fn without_controls(name: &str) -> String {
    name.chars().map(|char| if char.is_control() { '?' } else { char }).collect()
}
