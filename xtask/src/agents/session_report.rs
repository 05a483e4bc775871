//! The report about a session.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::expectation::{SessionExpectation, show_range};
use super::observation::SessionObservation;

/// A session with what was expected of it.
pub(super) struct SessionReport<'r> {
    pub(super) agent: &'r str,
    pub(super) version: &'r str,
    pub(super) part: &'r str,
    pub(super) expected: &'r SessionExpectation,
    pub(super) seen: &'r SessionObservation,
    pub(super) time: Duration,
    /// The folder of the session, if it is kept.
    pub(super) folder: Option<&'r Path>,
}

/// The first line of the table.
pub(super) fn header() -> String {
    row(["agent", "part", "told", "refused", "ran", "ending", "requests", "time", "result"])
}

fn row(cells: [&str; 9]) -> String {
    let [agent, part, told, refused, ran, ending, requests, time, result] = cells;
    format!(
        "{agent:<10} {part:<18} {told:<10} {refused:<10} {ran:<12} {ending:<20} {requests:<10} {time:>6}  {result}"
    )
}

impl SessionReport<'_> {
    /// Lists how the session differs from what was expected.
    pub(super) fn faults(&self) -> Vec<String> {
        self.expected.faults(self.seen)
    }

    /// Renders one line of the table, and a line for each fault below it.
    pub(super) fn render(&self) -> String {
        let SessionReport { seen, expected, .. } = self;
        let round = |round: Option<usize>| round.map_or_else(|| "-".to_owned(), |round| round.to_string());
        let mut endings: Vec<String> = expected.endings.iter().map(ToString::to_string).collect();
        if endings.len() > 1 {
            endings = vec!["any".to_owned()];
        }
        let at_most = |most: usize| if most == usize::MAX { "any".to_owned() } else { format!("<={most}") };
        let faults = self.faults();
        let mut text = row([
            self.agent,
            self.part,
            &format!("{} ({})", round(seen.told), expected.told),
            &format!("{} ({})", round(seen.refused), expected.refused),
            &format!("{} ({})", seen.ran, show_range(expected.ran)),
            &format!("{} ({})", seen.ending, endings.join(", ")),
            &format!("{} ({})", seen.requests, at_most(expected.requests)),
            &format!("{:.0} s", self.time.as_secs_f32()),
            if faults.is_empty() { "ok" } else { "FAIL" },
        ]);
        for fault in &faults {
            text.extend(["\n    ", fault]);
        }
        if let Some(folder) = self.folder {
            text.extend(["\n    folder: ", &folder.display().to_string()]);
        }
        text
    }

    /// Renders the session as JSON.
    pub(super) fn json(&self) -> Value {
        json!({
            "agent": self.agent, "version": self.version, "part": self.part, "seen": self.seen,
            "expected": {
                "told": self.expected.told.to_string(), "refused": self.expected.refused.to_string(),
                "ran": self.expected.ran, "endings": self.expected.endings, "requests": self.expected.requests,
            },
            "faults": self.faults(), "seconds": self.time.as_secs_f32(),
            "folder": self.folder.map(|folder| folder.display().to_string()),
        })
    }
}

/// Shows what is going on, on a terminal only. An empty text removes the line.
pub(super) fn show_progress(text: &str) {
    let mut terminal = std::io::stderr();
    if terminal.is_terminal() {
        _ = write!(terminal, "\r\x1b[2K{text}");
        _ = terminal.flush();
    }
}
