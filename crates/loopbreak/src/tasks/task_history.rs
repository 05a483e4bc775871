//! The attempts at one task.

use crate::evidence::redact_and_truncate;
use crate::facts::is_sensitive_blocker;
use crate::memory::{BoundedList, ClippedText, HashKey, RingBuffer, key_of, key_of_parts, snapshot_type};
use crate::step::Task;

/// Length limit of a task id, in bytes.
pub(super) const ID_BYTES: usize = 64;
/// Length limit of a status and of a session name, in bytes.
const NAME_BYTES: usize = 32;
/// Largest number of attempts that a setting can ask for.
const ATTEMPTS: usize = 50;
/// Number of work items that are remembered to recognize new work.
const WORK: usize = 16;
/// Number of blockers that are kept for display.
const BLOCKERS: usize = 5;
const BLOCKER_BYTES: usize = 40;

snapshot_type! {
    /// One attempt at a task.
    #[derive(Clone, Debug)]
    pub(crate) struct TaskAttempt {
        #[serde(rename = "t")]
        pub(crate) turn: u64,
        #[serde(rename = "a", default, skip_serializing_if = "Option::is_none")]
        pub(crate) at: Option<i64>,
        #[serde(rename = "s")]
        pub(crate) status: ClippedText<NAME_BYTES>,
        #[serde(rename = "b")]
        pub(crate) blockers: HashKey,
        #[serde(rename = "w")]
        pub(crate) work: HashKey,
        /// True if it did work that no earlier attempt did.
        #[serde(rename = "g", default, skip_serializing_if = "std::ops::Not::not")]
        pub(crate) grew: bool,
        #[serde(rename = "n", default, skip_serializing_if = "str::is_empty")]
        pub(crate) session: ClippedText<NAME_BYTES>,
    }
}

snapshot_type! {
    /// The attempts at one task since its history was last cleared.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(crate) struct TaskHistory {
        pub(crate) id: ClippedText<ID_BYTES>,
        pub(crate) attempts: RingBuffer<TaskAttempt, ATTEMPTS>,
        /// Number of times the history was cleared. Attempts after that form a new loop.
        pub(crate) round: u64,
        /// Blockers of the latest attempt, for display.
        pub(crate) blockers: BoundedList<ClippedText<BLOCKER_BYTES>, BLOCKERS>,
        /// Set if one of them is about a secret, a signature, a payment or an approval.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        pub(crate) has_sensitive_blocker: bool,
        work: RingBuffer<HashKey, WORK>,
        /// The last reported loop and its count. It is reported once, and again when it is twice as long.
        #[serde(skip_serializing_if = "Option::is_none")]
        reported: Option<(HashKey, u32)>,
    }
}

impl TaskHistory {
    pub(crate) fn new(id: &str) -> Self {
        TaskHistory { id: id.into(), ..TaskHistory::default() }
    }

    /// Records an attempt. Keeps at most `capacity` attempts.
    pub(crate) fn record(&mut self, task: &Task<'_>, turn: u64, at: Option<i64>, capacity: usize) {
        let work: Vec<HashKey> = task.work.iter().map(|work| key_of(work.trim())).collect();
        let mut grew = false;
        for item in &work {
            if !self.work.iter().any(|known| known == item) {
                self.work.push(*item);
                grew = self.attempts.len() > 0;
            }
        }
        let status = match task.status.as_deref().map(str::trim).unwrap_or_default() {
            "completed" => "done".into(),
            status => status.to_ascii_lowercase().into(),
        };
        let session = task.session.as_ref().map(|session| ClippedText::from(&*session.as_text()));
        self.blockers = task
            .blockers
            .iter()
            .take(BLOCKERS)
            .map(|blocker| ClippedText::from(redact_and_truncate(blocker)))
            .collect();
        self.has_sensitive_blocker = task.blockers.iter().any(|blocker| is_sensitive_blocker(blocker));
        self.attempts.push_within(
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

    /// Returns the attempts inside the window that ends now, newest first. Attempts without a time are always inside.
    pub(crate) fn recent(&self, now: Option<i64>, window_ms: u64) -> impl Iterator<Item = &TaskAttempt> {
        let window = i64::try_from(window_ms).unwrap_or(i64::MAX);
        self.attempts.newest().take_while(move |attempt| {
            now.zip(attempt.at).is_none_or(|(now, at)| now.saturating_sub(at) <= window)
        })
    }

    /// Returns whether the latest attempt brought something that the earlier ones did not: new work, another status than the
    /// attempt before it, or blockers that none of them had. The first attempt is the baseline.
    pub(crate) fn brought_news(&self) -> bool {
        let mut attempts = self.attempts.newest();
        let (Some(latest), Some(previous)) = (attempts.next(), attempts.next()) else { return false };
        let known_blockers =
            self.attempts.newest().skip(1).any(|attempt| attempt.blockers == latest.blockers);
        latest.grew || latest.status != previous.status || !known_blockers
    }

    /// Returns whether a loop is new or has become twice as long, and remembers it.
    pub(crate) fn is_news(&mut self, seen: Option<(HashKey, u32)>) -> bool {
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

    /// Makes the next loop count as new.
    pub(crate) fn forget_report(&mut self) {
        self.reported = None;
    }

    /// Forgets the attempts, for a fresh start.
    pub(crate) fn clear(&mut self) {
        self.attempts.clear();
        self.work.clear();
        self.round += 1;
    }
}

/// Returns the key of a set. Ignores order and duplicates.
fn set_key(mut items: Vec<HashKey>) -> HashKey {
    if items.is_empty() {
        return HashKey::NONE;
    }
    items.sort_unstable();
    items.dedup();
    key_of_parts(&items)
}
