//! A task of a roadmap.

use loopbreak::text::escaped_len;
use serde::{Deserialize, Serialize};

/// The longest id of a task, in bytes as JSON has them: the engine tells tasks apart by so many.
pub const ID_BYTES: usize = 64;

/// Whether a text can be the id of a task.
pub fn is_id(text: &str) -> bool {
    let blank = text.is_empty() || text.trim() != text || text.chars().any(char::is_control);
    !blank && escaped_len(text) <= ID_BYTES
}

/// How a task stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Nobody has begun, or it was opened again.
    #[default]
    Pending,
    /// It was worked on, and there is more to do.
    InProgress,
    /// Something stands in its way.
    Blocked,
    /// It is closed: see [`RoadmapTask::is_finished`].
    Done,
}

impl Status {
    /// All of them, by name.
    pub const NAMES: [&str; 4] = ["pending", "in_progress", "blocked", "done"];

    /// The status of this name, as agents write it.
    pub fn named(name: &str) -> Option<Self> {
        match name.trim().to_ascii_lowercase().replace([' ', '-'], "_").as_str() {
            "pending" | "todo" | "open" => Some(Status::Pending),
            "in_progress" | "working" => Some(Status::InProgress),
            "blocked" => Some(Status::Blocked),
            "done" | "completed" | "complete" => Some(Status::Done),
            _ => None,
        }
    }

    /// The name in all output.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Pending => "pending",
            Status::InProgress => "in_progress",
            Status::Blocked => "blocked",
            Status::Done => "done",
        }
    }
}

/// Whether a human was called about a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Escalation {
    /// No.
    #[default]
    None,
    /// Yes; it is taken up again only where nothing else is left to do.
    Called,
    /// Yes, and nothing but a human can help: it is not taken up again.
    Left,
}

impl Escalation {
    /// The name in the store and in all output.
    pub fn as_str(self) -> &'static str {
        match self {
            Escalation::None => "none",
            Escalation::Called => "called",
            Escalation::Left => "left",
        }
    }

    pub(crate) fn named(name: &str) -> Self {
        match name {
            "called" => Escalation::Called,
            "left" => Escalation::Left,
            _ => Escalation::None,
        }
    }
}

/// A task of a roadmap: what is to be done, and how it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RoadmapTask {
    /// Which task.
    pub id: String,
    /// What it is about, on one line.
    pub title: String,
    /// What is to be done, as long as it takes.
    pub details: String,
    /// The tasks that have to be finished before.
    pub after: Vec<String>,
    /// Its place in the roadmap: of all that can be worked on, the lowest comes first.
    pub position: u64,
    /// The command that checks the work; empty where there is none.
    pub check: String,
    /// How it stands.
    pub status: Status,
    /// It was moved on from: it is never taken up again, and nobody must mistake it for done work.
    pub forced: bool,
    /// Somebody finished it, whatever was done about it later.
    pub finished: bool,
    /// Another task sent it back: it comes first now.
    pub returned: bool,
    /// Whether a human was called.
    pub escalation: Escalation,
    /// What stands in its way.
    pub blockers: Vec<String>,
    /// The checks that could not be made and are still to be made.
    pub deferred: Vec<String>,
    /// Why it stands so.
    pub reason: String,
    /// When it was changed, in milliseconds since 1970.
    pub changed: i64,
}

impl RoadmapTask {
    /// Whether those that wait for it can begin. One that was only moved on from is closed, and not finished.
    pub fn is_finished(&self) -> bool {
        self.status == Status::Done && (self.finished || !self.forced)
    }

    /// Whether it may be taken up, once all that it waits for is finished.
    pub fn is_open(&self) -> bool {
        self.status != Status::Done && !self.forced && self.escalation != Escalation::Left
    }

    /// In a word, for people: how it stands, and what else is to be known of it at once.
    pub fn standing(&self) -> &'static str {
        match (self.forced, self.escalation, self.status) {
            (true, ..) => "forced",
            (_, Escalation::Called | Escalation::Left, status) if status != Status::Done => "escalated",
            (.., Status::Done) if !self.deferred.is_empty() => "done, check deferred",
            (.., status) => status.as_str(),
        }
    }

    /// Somebody says that it is finished.
    pub fn finish(&mut self, reason: &str, now: i64) {
        (self.status, self.finished, self.forced) = (Status::Done, true, false);
        (self.returned, self.escalation) = (false, Escalation::None);
        self.blockers.clear();
        self.because(reason, now);
    }

    /// Somebody opens it again, whatever was done about it before.
    pub fn reopen(&mut self, reason: &str, now: i64) {
        (self.status, self.finished, self.forced) = (Status::Pending, false, false);
        self.escalation = Escalation::None;
        self.blockers.clear();
        self.because(reason, now);
    }

    pub(crate) fn because(&mut self, reason: &str, now: i64) {
        reason.clone_into(&mut self.reason);
        self.changed = now;
    }
}
