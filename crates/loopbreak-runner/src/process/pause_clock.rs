//! Measures how long a command was paused.

use std::time::{Duration, Instant};

use loopbreak_process::is_stopped;

/// The interval between two looks at the command.
const INTERVAL: Duration = Duration::from_millis(100);

/// Measures how long a command was paused: that time counts towards no limit.
#[derive(Debug)]
pub(crate) struct PauseClock {
    pid: u32,
    last_look: Instant,
    was_stopped: bool,
    /// The time for which the command was paused so far.
    pub(crate) total: Duration,
}

impl PauseClock {
    pub(crate) fn new(pid: u32) -> Self {
        PauseClock { pid, last_look: Instant::now(), was_stopped: false, total: Duration::ZERO }
    }

    /// Looks at the command, unless that was just done.
    pub(crate) fn update(&mut self) {
        let passed = self.last_look.elapsed();
        if passed < INTERVAL {
            return;
        }
        self.last_look = Instant::now();
        let is_stopped = is_stopped(self.pid);
        if is_stopped && self.was_stopped {
            self.total += passed;
        }
        self.was_stopped = is_stopped;
    }
}
