//! Runs a command and measures it.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::chore_failure::ChoreFailure;

/// The time that a command took.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommandTime {
    /// From its start to its end.
    pub(super) wall: Duration,
    /// In which a processor worked for it: what other programs do at the same time hardly matters.
    pub(super) processor: Duration,
}

impl CommandTime {
    /// Returns the shorter of both times, each by itself.
    pub(super) fn least(self, other: Self) -> Self {
        CommandTime { wall: self.wall.min(other.wall), processor: self.processor.min(other.processor) }
    }
}

/// Runs a command with its output in a file. The shell tells what its processes took.
pub(super) fn measure(command: &[&str], state: &Path, output: &Path) -> Result<CommandTime, ChoreFailure> {
    let times = output.with_extension("times");
    let script = "out=$1; times=$2; shift 2; \"$@\" >\"$out\" 2>&1 || exit $?; times >\"$times\"";
    let start = Instant::now();
    let status = Command::new("sh")
        .args(["-c", script, "sh"])
        .args([output, &times])
        .args(command)
        .env("XDG_STATE_HOME", state)
        .status()
        .map_err(|error| ChoreFailure::io("start sh", &error))?;
    let wall = start.elapsed();
    if !status.success() {
        return Err(ChoreFailure::Failed(format!("{} failed: {status}", command.join(" "))));
    }
    let text = fs::read_to_string(&times).map_err(|error| ChoreFailure::io("read the times", &error))?;
    let processor = children_time(&text)
        .ok_or_else(|| ChoreFailure::Failed(format!("unknown output of `times`: {text:?}")))?;
    Ok(CommandTime { wall, processor })
}

/// Reads the second line of `times`: the time of all processes that the shell started, in the program and in the system.
fn children_time(text: &str) -> Option<Duration> {
    let parts = text.lines().nth(1)?.split_whitespace().map(|part| {
        let (minutes, seconds) = part.strip_suffix('s')?.split_once('m')?;
        Some(minutes.parse::<f64>().ok()? * 60.0 + seconds.parse::<f64>().ok()?)
    });
    let sum: Option<f64> = parts.sum();
    Duration::try_from_secs_f64(sum?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_the_command_is_that_of_the_children_of_the_shell() {
        let text = "0m0.010s 0m0.020s\n1m2.500s 0m0.250s\n";
        assert_eq!(children_time(text), Some(Duration::from_millis(62_750)));
        assert_eq!(children_time("0m0.010s 0m0.020s\n"), None);
    }
}
