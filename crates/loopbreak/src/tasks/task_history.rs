//! The attempts at one task that still count.

use serde::{Deserialize, Serialize};

use crate::evidence::redact_and_truncate;
use crate::memory::{KEY_BYTES, Key, Ring, key_of, key_of_parts};
use crate::step::Task;
use crate::text::clip::clip_escaped;

/// The longest id of a task that is kept.
pub(super) const ID_BYTES: usize = 64;
/// The longest status and session name that are kept.
const NAME_BYTES: usize = 32;
/// How many pieces of work are remembered, so that new work is known as new.
const WORK: usize = 16;
/// How many blockers are kept to be shown.
const BLOCKERS: usize = 5;
const BLOCKER_BYTES: usize = 40;

/// One attempt at a task.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TaskAttempt {
    #[serde(rename = "t")]
    pub(crate) turn: u64,
    #[serde(rename = "a", default, skip_serializing_if = "Option::is_none")]
    pub(crate) at: Option<i64>,
    #[serde(rename = "s")]
    pub(crate) status: String,
    #[serde(rename = "b")]
    pub(crate) blockers: Key,
    #[serde(rename = "w")]
    pub(crate) work: Key,
    /// It did something that no earlier attempt had done.
    #[serde(rename = "g", default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) grew: bool,
    #[serde(rename = "n", default, skip_serializing_if = "String::is_empty")]
    pub(crate) session: String,
}

/// The attempts at one task since its history was last cleared.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct TaskHistory {
    pub(crate) id: String,
    pub(crate) attempts: Ring<TaskAttempt>,
    /// How often the history was cleared: attempts after a clearing make a new loop.
    pub(crate) round: u64,
    /// The blockers of the latest attempt, to be shown.
    pub(crate) blockers: Vec<String>,
    work: Ring<Key>,
    /// The loop that was last reported, and its count: it is reported once, and again when it got twice as long.
    #[serde(skip_serializing_if = "Option::is_none")]
    reported: Option<(Key, u32)>,
}

/// The key of no blockers and no work.
pub(crate) const NOTHING: Key = 0;

impl TaskHistory {
    pub(crate) fn new(id: &str) -> Self {
        TaskHistory { id: id.to_owned(), ..TaskHistory::default() }
    }

    /// Records an attempt; at most `capacity` are kept.
    pub(crate) fn record(&mut self, task: &Task<'_>, turn: u64, at: Option<i64>, capacity: usize) {
        let work: Vec<Key> = task.work.iter().map(|work| key_of(work.trim())).collect();
        let mut grew = false;
        for item in &work {
            if !self.work.iter().any(|known| known == item) {
                self.work.push(*item, WORK);
                grew = self.attempts.len() > 0;
            }
        }
        let status = match task.status.as_deref().map(str::trim).unwrap_or_default() {
            "completed" => "done".to_owned(),
            status => clip_escaped(status, NAME_BYTES).to_ascii_lowercase(),
        };
        let session =
            task.session.as_ref().map(|session| clip_escaped(&session.as_text(), NAME_BYTES).to_owned());
        self.blockers = task
            .blockers
            .iter()
            .take(BLOCKERS)
            .map(|blocker| clip_escaped(&redact_and_truncate(blocker), BLOCKER_BYTES).to_owned())
            .collect();
        self.attempts.push(
            TaskAttempt {
                turn,
                at,
                status,
                blockers: set_key(task.blockers.iter().map(|blocker| key_of(blocker.trim())).collect()),
                work: set_key(work),
                grew,
                session: session.unwrap_or_default(),
            },
            capacity,
        );
    }

    /// What it takes in a snapshot, at most, where a turn takes so many digits.
    pub(crate) fn bytes(&self, digits: usize) -> usize {
        let attempt = digits + 20 + 2 * NAME_BYTES + 2 * KEY_BYTES + 50;
        ID_BYTES
            + 120
            + self.attempts.len() * attempt
            + self.blockers.len() * (BLOCKER_BYTES + 3)
            + self.work.len() * KEY_BYTES
    }

    /// The attempts inside the window that ends now, newest first. Without times, every attempt is.
    pub(crate) fn recent(&self, now: Option<i64>, window_ms: u64) -> impl Iterator<Item = &TaskAttempt> {
        let window = i64::try_from(window_ms).unwrap_or(i64::MAX);
        self.attempts.newest().take_while(move |attempt| {
            now.zip(attempt.at).is_none_or(|(now, at)| now.saturating_sub(at) <= window)
        })
    }

    /// Whether what is seen of the task now is news.
    pub(crate) fn is_news(&mut self, seen: Option<(Key, u32)>) -> bool {
        let Some((identity, count)) = seen else {
            self.reported = None;
            return false;
        };
        let known =
            self.reported.is_some_and(|(known, then)| known == identity && count < then.saturating_mul(2));
        if !known {
            self.reported = seen;
        }
        !known
    }

    /// Whatever comes now is news.
    pub(crate) fn forget_report(&mut self) {
        self.reported = None;
    }

    /// Forgets the attempts: what comes now is a fresh start.
    pub(crate) fn clear(&mut self) {
        self.attempts.clear();
        self.work.clear();
        self.round += 1;
    }
}

/// The key of a set: order and repeats do not matter.
fn set_key(mut items: Vec<Key>) -> Key {
    if items.is_empty() {
        return NOTHING;
    }
    items.sort_unstable();
    items.dedup();
    key_of_parts(&items)
}
