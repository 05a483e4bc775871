//! A notification as text for people, whatever shows it.

use loopbreak::text::clip_masked;
use loopbreak_report::printable;

use super::LoopNotification;

/// Upper bounds of the bytes of the parts.
const TITLE_BYTES: usize = 120;
const REASON_BYTES: usize = 600;
const PLACE_BYTES: usize = 300;

/// A notification as text for people: on few lines, with secrets masked, without control characters, and short.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotificationText {
    /// The intervention and the run, on one line.
    pub title: String,
    /// The turn, the detector and the reason, on one line.
    pub reason: String,
    /// The log with the line, or the command that runs.
    pub place: String,
}

impl NotificationText {
    /// Renders a notification.
    pub fn new(notification: &LoopNotification) -> Self {
        let LoopNotification { run, turn, detector, reason, source, line, intervention, .. } = notification;
        let what = if intervention.as_str() == "stop" { "should stop" } else { "needs you" };
        NotificationText {
            title: clean(&format!("Loopbreak: {run} {what}"), TITLE_BYTES),
            reason: clean(&format!("turn {turn}, {detector}: {reason}"), REASON_BYTES),
            place: clean(&format!("{source}:{line}"), PLACE_BYTES),
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
