//! A notification as text for people, whatever shows it.

use loopbreak::text::{clip_masked, printable};

/// Upper bounds of the bytes of the parts.
const TITLE_BYTES: usize = 120;
const REASON_BYTES: usize = 600;
const PLACE_BYTES: usize = 300;

/// A notification as text for people: on few lines, with secrets masked, without control characters, and short.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotificationText {
    /// Subject, on one line.
    pub title: String,
    /// The reason, on one line.
    pub reason: String,
    /// Place, on one line: a log with its line, a command, or a project.
    pub place: String,
}

impl NotificationText {
    /// Makes a notification of its parts.
    pub fn new(title: &str, reason: &str, place: &str) -> Self {
        NotificationText {
            title: clean(title, TITLE_BYTES),
            reason: clean(reason, REASON_BYTES),
            place: clean(place, PLACE_BYTES),
        }
    }

    /// Returns the reason and the place, on a line each.
    pub fn body(&self) -> String {
        format!("{}\n{}", self.reason, self.place)
    }
}

fn clean(text: &str, most: usize) -> String {
    printable(&clip_masked(text, most))
}
