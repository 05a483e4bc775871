//! The commands that wait for a shard. Small requests come from agents that wait for their verdict, and large ones from those that
//! send what they have gathered. The small ones are carried out first, and never keep the others waiting for ever.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Number of steps in one transaction, above which no more commands are added to it.
const BATCH_STEPS: usize = 200;
/// Largest number of steps of a small request.
const LIVE_STEPS: usize = 10;

/// The order of a command among the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommandLane {
    /// Before large requests.
    Live,
    /// After small ones.
    Bulk,
    /// When nothing else waits.
    Last,
}

/// The commands that wait for a shard, each with its number of steps.
pub(super) struct ShardQueue<T> {
    lanes: Mutex<CommandLanes<T>>,
    arrived: Condvar,
}

struct CommandLanes<T> {
    live: VecDeque<(usize, T)>,
    bulk: VecDeque<(usize, T)>,
    last: Option<T>,
    /// The last transaction was of small requests.
    was_live: bool,
    /// Nobody adds commands any more.
    has_ended: bool,
    /// Nobody takes commands any more.
    is_closed: bool,
}

/// Closes a queue when the thread that takes its commands ends, also by a panic.
pub(super) struct QueueReader<'q, T>(pub(super) &'q ShardQueue<T>);

impl CommandLane {
    /// Returns the lane of a request with this number of steps.
    pub(super) fn of_request(steps: usize) -> Self {
        if steps <= LIVE_STEPS { CommandLane::Live } else { CommandLane::Bulk }
    }

    /// Returns how many steps may wait when a request of this lane is added. Large requests leave room for small ones.
    pub(super) fn limit(self, max_queued: usize) -> usize {
        match self {
            CommandLane::Live | CommandLane::Last => max_queued,
            CommandLane::Bulk => max_queued - max_queued / 4,
        }
    }
}

impl<T> Default for ShardQueue<T> {
    fn default() -> Self {
        let lanes = CommandLanes {
            live: VecDeque::new(),
            bulk: VecDeque::new(),
            last: None,
            was_live: false,
            has_ended: false,
            is_closed: false,
        };
        ShardQueue { lanes: Mutex::new(lanes), arrived: Condvar::new() }
    }
}

impl<T> fmt::Debug for ShardQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lanes = self.lanes();
        let (live, bulk) = (lanes.live.len(), lanes.bulk.len());
        f.debug_struct("ShardQueue").field("live", &live).field("bulk", &bulk).finish_non_exhaustive()
    }
}

impl<T> ShardQueue<T> {
    fn lanes(&self) -> MutexGuard<'_, CommandLanes<T>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a command. Returns whether somebody will take it.
    pub(super) fn add(&self, lane: CommandLane, steps: usize, command: T) -> bool {
        let mut lanes = self.lanes();
        if lanes.is_closed || lanes.has_ended {
            return false;
        }
        match lane {
            CommandLane::Live => lanes.live.push_back((steps, command)),
            CommandLane::Bulk => lanes.bulk.push_back((steps, command)),
            CommandLane::Last => lanes.last = Some(command),
        }
        drop(lanes);
        self.arrived.notify_one();
        true
    }

    /// Accepts no more commands.
    pub(super) fn end(&self) {
        self.lanes().has_ended = true;
        self.arrived.notify_one();
    }

    /// Takes the commands of one transaction, or none if nothing came for a time. Returns `None` when no more can come.
    pub(super) fn next_batch(&self, longest: Duration) -> Option<Vec<T>> {
        let started = Instant::now();
        let mut lanes = self.lanes();
        loop {
            let batch = lanes.take_batch();
            if !batch.is_empty() {
                return Some(batch);
            }
            if lanes.has_ended {
                return None;
            }
            let left = longest.checked_sub(started.elapsed()).filter(|left| !left.is_zero());
            let Some(left) = left else { return Some(Vec::new()) };
            lanes = self.arrived.wait_timeout(lanes, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl<T> CommandLanes<T> {
    /// Takes small requests and large ones by turns, if there are both. Small ones are not stored together with large ones, which take
    /// longer.
    fn take_batch(&mut self) -> Vec<T> {
        let is_bulk_turn = !self.bulk.is_empty() && (self.was_live || self.live.is_empty());
        self.was_live = !is_bulk_turn;
        let lane = if is_bulk_turn { &mut self.bulk } else { &mut self.live };
        let (mut batch, mut steps) = (Vec::new(), 0);
        while steps < BATCH_STEPS
            && let Some((count, command)) = lane.pop_front()
        {
            steps += count;
            batch.push(command);
        }
        if batch.is_empty() {
            batch.extend(self.last.take());
        }
        batch
    }
}

impl<T> Drop for QueueReader<'_, T> {
    fn drop(&mut self) {
        let mut lanes = self.0.lanes();
        lanes.is_closed = true;
        let dropped = (std::mem::take(&mut lanes.live), std::mem::take(&mut lanes.bulk), lanes.last.take());
        drop(lanes);
        // Those who wait for an answer are told that there is none.
        drop(dropped);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::ZERO;

    #[test]
    fn small_requests_come_before_large_ones_and_neither_waits_for_ever() {
        let queue = ShardQueue::default();
        for number in 0..3 {
            assert!(queue.add(CommandLane::of_request(150), 150, format!("large {number}")));
        }
        for number in 0..300 {
            assert!(queue.add(CommandLane::of_request(1), 1, format!("small {number}")));
        }
        let next = || queue.next_batch(NOW).unwrap();
        let first = next();
        assert_eq!((first.len(), &*first[0], &*first[199]), (200, "small 0", "small 199"));
        assert_eq!(next(), ["large 0", "large 1"], "they have their turn however many small ones come");
        let third = next();
        assert_eq!((third.len(), &*third[99]), (100, "small 299"));
        assert_eq!(next(), ["large 2"]);
        assert!(queue.next_batch(NOW).unwrap().is_empty());
    }

    #[test]
    fn large_requests_leave_room_for_small_ones() {
        assert_eq!(CommandLane::of_request(LIVE_STEPS).limit(2000), 2000);
        assert_eq!(CommandLane::of_request(LIVE_STEPS + 1).limit(2000), 1500);
    }

    #[test]
    fn everything_that_came_before_the_end_is_carried_out() {
        let queue = ShardQueue::default();
        queue.add(CommandLane::Last, 0, "end");
        queue.add(CommandLane::Bulk, 300, "large");
        assert_eq!(queue.next_batch(NOW).unwrap(), ["large"]);
        assert_eq!(queue.next_batch(NOW).unwrap(), ["end"]);
        queue.add(CommandLane::Live, 1, "small");
        queue.end();
        assert!(!queue.add(CommandLane::Live, 1, "late"));
        assert_eq!(queue.next_batch(NOW).unwrap(), ["small"]);
        assert_eq!(queue.next_batch(Duration::from_mins(1)), None);
    }

    #[test]
    fn nobody_waits_for_a_reader_that_is_gone() {
        let queue = ShardQueue::default();
        let (reply, answer) = std::sync::mpsc::channel::<()>();
        queue.add(CommandLane::Live, 1, reply.clone());
        drop(QueueReader(&queue));
        assert!(!queue.add(CommandLane::Live, 1, reply));
        assert!(answer.recv().is_err(), "the command was dropped");
    }
}
