//! Detects tasks that are attempted in turn without anything new, such as A B A B.

use super::TaskHistories;
use crate::memory::{HashKey, RingBuffer, key_of_parts, snapshot_row, snapshot_type};
use crate::settings::TaskSettings;
use crate::verdict::Severity;

/// Largest number of visits that a cycle needs: six tasks, eight rounds.
const VISITS: usize = 48;

snapshot_row! {
    /// One attempt at a task, or several in a row.
    #[derive(Clone, Copy, Debug)]
    struct TaskVisit {
        task: HashKey,
        /// Number of times the history of the task had been cleared.
        round: u64,
        turn: u64,
        at: Option<i64>,
        /// True if it brought something that the earlier attempts at the task did not.
        news: bool,
        /// True if it reported nothing but a status.
        bare: bool,
    }
}

snapshot_type! {
    /// The order in which tasks were attempted.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(crate) struct TaskCycleTracker {
        #[serde(rename = "v")]
        visits: RingBuffer<TaskVisit, VISITS>,
        /// The last reported cycle and its number of visits. It is reported once, and again when it is worse.
        #[serde(rename = "r", skip_serializing_if = "Option::is_none")]
        reported: Option<(HashKey, u32)>,
    }
}

/// Tasks that are attempted in turn, or send each other back.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TaskCycle {
    /// Ids of the tasks, sorted.
    pub(crate) tasks: Vec<String>,
    /// Number of rounds, including the first.
    pub(crate) rounds: u32,
    /// Number of attempts, or of send-backs.
    pub(crate) count: u32,
    pub(crate) since: u64,
    pub(crate) severity: Severity,
    /// Identifies the cycle: A B and B A are one.
    pub(crate) identity: HashKey,
    /// True if the tasks sent each other back.
    pub(crate) sent_back: bool,
}

impl TaskCycleTracker {
    pub(crate) fn is_empty(&self) -> bool {
        self.visits.len() == 0
    }

    /// Records the latest attempt at a task. Attempts at one task in a row are one visit.
    pub(crate) fn record(&mut self, task: HashKey, tasks: &TaskHistories) {
        let Some(history) = tasks.by_key(task) else { return };
        let Some(attempt) = history.attempts.last() else { return };
        let visit = TaskVisit {
            task,
            round: history.round,
            turn: attempt.turn,
            at: attempt.at,
            news: history.brought_news(),
            bare: attempt.blockers == HashKey::NONE && attempt.work == HashKey::NONE,
        };
        let last = self.visits.iter_mut().next_back();
        match last.filter(|last| (last.task, last.round) == (visit.task, visit.round)) {
            Some(last) => {
                (last.at, last.news, last.bare) =
                    (visit.at, last.news || visit.news, last.bare && visit.bare);
            }
            None => self.visits.push(visit),
        }
    }

    /// Finds a cycle at the end of the sequence: the last attempts inside the window, since the last one that brought
    /// something new.
    pub(crate) fn find(
        &self,
        tasks: &TaskHistories,
        settings: &TaskSettings,
        now: Option<i64>,
    ) -> Option<TaskCycle> {
        let window = i64::try_from(settings.attempt_window.millis).unwrap_or(i64::MAX);
        let counts = |visit: &&TaskVisit| {
            let inside = now.zip(visit.at).is_none_or(|(now, at)| now.saturating_sub(at) <= window);
            let cleared = tasks.by_key(visit.task).is_none_or(|history| history.round != visit.round);
            inside && !cleared && !visit.news
        };
        let visits: Vec<&TaskVisit> = self.visits.newest().take_while(counts).collect();
        let keys: Vec<HashKey> = visits.iter().map(|visit| visit.task).collect();
        (2..=settings.cycle_tasks as usize).find_map(|period| {
            let length = repeated_length(&keys, period);
            let rounds = (length / period) as u32;
            // Where attempts report nothing but a status, one round more has to show that nothing changes.
            let bare = u32::from(visits[..length].iter().all(|visit| visit.bare));
            let severity = settings.cycle_severity(rounds.saturating_sub(bare), 1)?;
            let mut names: Vec<String> = keys[..period]
                .iter()
                .filter_map(|key| tasks.by_key(*key).map(|history| history.id.to_string()))
                .collect();
            names.sort();
            names.dedup();
            Some(TaskCycle {
                tasks: names,
                rounds,
                count: length as u32,
                since: visits[length - 1].turn,
                severity,
                identity: smallest_rotation(&keys[..period]),
                sent_back: false,
            })
        })
    }

    /// Returns whether a cycle is new, worse or twice as long, without remembering it.
    pub(crate) fn would_be_news(&self, cycle: &TaskCycle) -> bool {
        cycle.is_news_after(self.reported)
    }

    /// Returns whether a cycle is new, worse or twice as long, and remembers it.
    pub(crate) fn is_news(&mut self, cycle: Option<&TaskCycle>) -> bool {
        let news = cycle.is_some_and(|cycle| self.would_be_news(cycle));
        match cycle {
            Some(cycle) if news => self.reported = Some(cycle.report_key()),
            Some(_) => {}
            None => self.reported = None,
        }
        news
    }

    /// Starts over, after a message from the user.
    pub(crate) fn clear(&mut self) {
        self.visits.clear();
        self.reported = None;
    }
}

impl TaskCycle {
    /// Returns what is remembered of a report.
    pub(super) fn report_key(&self) -> (HashKey, u32) {
        let hard = HashKey(u64::from(self.severity == Severity::Hard));
        (key_of_parts(&[self.identity, hard]), self.count)
    }

    /// Returns whether the cycle is new, worse or twice as long as when it was last reported.
    pub(super) fn is_news_after(&self, reported: Option<(HashKey, u32)>) -> bool {
        let (identity, count) = self.report_key();
        !reported.is_some_and(|(known, then)| known == identity && count < then.saturating_mul(2))
    }
}

/// Returns the number of elements, newest first, that form full rounds of a period and the begun one. 0 if there are not two full
/// rounds.
pub(super) fn repeated_length<K: PartialEq>(newest_first: &[K], period: usize) -> usize {
    let pairs = newest_first.iter().zip(newest_first.iter().skip(period));
    let equal = pairs.take_while(|(newer, older)| newer == older).count();
    if equal < period { 0 } else { equal + period }
}

/// Returns the key of the smallest rotation of a round.
pub(super) fn smallest_rotation(round: &[HashKey]) -> HashKey {
    let rotations = (0..round.len()).map(|by| [&round[by..], &round[..by]].concat());
    key_of_parts(&rotations.min().unwrap_or_default())
}
