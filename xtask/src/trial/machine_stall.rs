//! The time for which other work kept the processes of this machine waiting.
//!
//! A hook that waited for a processor is not slow, and one that waited for a lock is. Linux counts the time in which at least one
//! process was ready and could not run (`/proc/pressure`), and the time that a hypervisor took away. Both together bound what a
//! hook may have lost to other work. On a machine with nothing else to do they are near zero, so no late hook is excused there.

use std::fs;
use std::time::Duration;

/// Clock ticks per second in `/proc/stat`, which is the same on all Linux systems.
const TICKS: u64 = 100;
/// Position of the stolen time among the numbers of the first line of `/proc/stat`.
const STEAL: usize = 7;

/// The time for which the machine has kept processes waiting since it was started.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MachineStall {
    waited: Duration,
}

impl MachineStall {
    /// Reads the present values. What the kernel does not count is zero.
    pub(crate) fn now() -> Self {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let waited = parse_pressure(&read("/proc/pressure/cpu")) + parse_pressure(&read("/proc/pressure/io"));
        MachineStall { waited: waited + parse_stolen(&read("/proc/stat")) }
    }

    /// Returns the time for which processes were kept waiting since an earlier moment.
    pub(crate) fn since(self, earlier: MachineStall) -> Duration {
        self.waited.saturating_sub(earlier.waited)
    }
}

/// Parses a line such as `some avg10=0.00 avg60=0.00 avg300=0.00 total=1234`, whose total is in microseconds.
fn parse_pressure(text: &str) -> Duration {
    let some = text.lines().find(|line| line.starts_with("some "));
    let total = some.and_then(|line| line.split_once("total=")?.1.trim().parse().ok());
    Duration::from_micros(total.unwrap_or(0))
}

/// Parses the first line of `/proc/stat`: `cpu`, then times in ticks.
fn parse_stolen(text: &str) -> Duration {
    let numbers = text.lines().next().unwrap_or_default().split_whitespace().skip(1);
    let ticks = numbers.filter_map(|number| number.parse::<u64>().ok()).nth(STEAL);
    Duration::from_millis(ticks.unwrap_or(0) * 1000 / TICKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_and_stolen_time_are_read_and_missing_files_count_as_zero() {
        let pressure = "some avg10=99.54 avg60=99.50 avg300=78.87 total=527535236\nfull avg10=0.00 total=7\n";
        assert_eq!(parse_pressure(pressure), Duration::from_micros(527_535_236));
        assert_eq!(
            parse_stolen("cpu  190893 21145 24526 80665 3209 0 194 702 0 0\n"),
            Duration::from_millis(7020)
        );
        assert_eq!((parse_pressure(""), parse_stolen("")), (Duration::ZERO, Duration::ZERO));
        let (before, after) = (MachineStall::now(), MachineStall::now());
        assert!(after.since(before) < Duration::from_mins(1) && before.since(after) <= after.since(before));
    }
}
