//! The result of a wait.

use std::time::Duration;

use loopbreak_report::exit;

/// Upper bound of the output that is shown, in bytes and lines. The end of an output says most.
const SHOWN_BYTES: usize = 4_000;
const SHOWN_LINES: usize = 40;

/// The reason why a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WaitEnd {
    /// The condition was met.
    Met,
    /// The condition was not met in time.
    TimedOut,
    /// The command that shows a failure succeeded.
    Failed,
    /// The user pressed Ctrl-C, or the program was asked to end.
    Interrupted,
}

/// The result of a wait.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WaitReport {
    /// The reason why it ended.
    pub end: WaitEnd,
    /// Duration of the wait.
    pub waited: Duration,
    /// Number of tries.
    pub tries: u64,
    /// The way the last try ended, such as `exit code 1`.
    pub last: String,
    /// Exit code of the last try, if it had one.
    pub exit: Option<i32>,
    /// Output of the last try: its end, if it is long.
    pub output: String,
}

impl WaitEnd {
    /// Returns the name for programs.
    pub fn as_str(self) -> &'static str {
        match self {
            WaitEnd::Met => "met",
            WaitEnd::TimedOut => "timeout",
            WaitEnd::Failed => "failed",
            WaitEnd::Interrupted => "interrupted",
        }
    }

    /// Returns the exit code of a program that waits.
    pub fn code(self) -> u8 {
        match self {
            WaitEnd::Met => exit::DONE,
            WaitEnd::TimedOut => exit::LIMIT,
            WaitEnd::Failed => exit::FAILED,
            WaitEnd::Interrupted => exit::INTERRUPTED,
        }
    }
}

impl WaitReport {
    /// Describes the end on one line.
    pub fn render_line(&self) -> String {
        let end = match self.end {
            WaitEnd::Met => "condition met",
            WaitEnd::TimedOut => "condition not met: timed out",
            WaitEnd::Failed => "condition not met: --fail-when succeeded",
            WaitEnd::Interrupted => "interrupted",
        };
        let tries = if self.tries == 1 { "1 try".to_owned() } else { format!("{} tries", self.tries) };
        let last = if self.last.is_empty() { String::new() } else { format!(" (last: {})", self.last) };
        format!("{end} after {}, {tries}{last}", render_time(self.waited))
    }

    /// Returns the output of the last try, shortened from its beginning.
    pub(super) fn shorten(output: &str) -> String {
        let output = output.trim_end();
        let from = output.len().saturating_sub(SHOWN_BYTES);
        let shown = &output[output.ceil_char_boundary(from)..];
        let lines: Vec<&str> = shown.lines().collect();
        let shown = lines[lines.len().saturating_sub(SHOWN_LINES)..].join("\n");
        if shown.len() < output.len() { format!("[...]\n{shown}") } else { shown }
    }
}

/// Renders a duration for people: `340 ms`, `12 s`, `3 min 20 s`, `1 h 5 min`.
pub fn render_time(time: Duration) -> String {
    match time.as_secs() {
        0 => format!("{} ms", time.as_millis()),
        seconds @ 1..60 => format!("{seconds} s"),
        seconds @ 60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        seconds => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_of_a_long_output_is_shown() {
        assert_eq!(WaitReport::shorten("a\nb\n\n"), "a\nb");
        let numbers: Vec<String> = (1..=100).map(|number| number.to_string()).collect();
        let shown = WaitReport::shorten(&numbers.join("\n"));
        assert!(shown.starts_with("[...]\n61\n") && shown.ends_with("\n100"), "{shown}");
        let wide = WaitReport::shorten(&"é".repeat(5_000));
        assert!(wide.len() <= SHOWN_BYTES + 6 && wide.starts_with("[...]\né"), "{}", wide.len());
    }

    #[test]
    fn times_have_two_units_at_most() {
        for (ms, text) in
            [(340, "340 ms"), (12_900, "12 s"), (200_000, "3 min 20 s"), (3_900_000, "1 h 5 min")]
        {
            assert_eq!(render_time(Duration::from_millis(ms)), text);
        }
    }
}
