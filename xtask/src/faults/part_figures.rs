//! The figures of a part, and the table of all parts.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

/// Number of broken promises of a part that are printed in full.
const SHOWN: usize = 20;

/// The figures of a part.
#[derive(Debug, Default)]
pub(super) struct PartFigures {
    /// Number of trials: injected faults, damaged stores, rounds.
    pub(super) trials: u64,
    /// Number of hooks that were started.
    pub(super) hooks: u64,
    /// Hooks whose step was acknowledged.
    pub(super) acknowledged: u64,
    /// Hooks that exited with 0 and said that the step was not recorded.
    pub(super) unrecorded: u64,
    /// Hooks that were killed by the trial.
    pub(super) killed: u64,
    /// Hooks that the loader or the runtime of C ended, most of them before `main`.
    pub(super) ended_by_runtime: u64,
    /// Acknowledged steps that are not in the log.
    pub(super) lost: u64,
    /// Steps that are in the log more than once.
    pub(super) twice: u64,
    /// Hooks that exceeded their time. Each is a broken promise too.
    pub(super) late: u64,
    /// The longest time of a hook that was not killed.
    pub(super) slowest: Duration,
    /// Other things worth counting.
    pub(super) notes: BTreeMap<&'static str, u64>,
    /// The promises that were not kept, each with the trial that showed it.
    pub(super) broken: Vec<String>,
}

impl PartFigures {
    pub(super) fn note(&mut self, what: &'static str) {
        *self.notes.entry(what).or_default() += 1;
    }

    /// Adds the figures of another trial.
    pub(super) fn add(&mut self, other: PartFigures) {
        self.trials += other.trials;
        self.hooks += other.hooks;
        self.acknowledged += other.acknowledged;
        self.unrecorded += other.unrecorded;
        self.killed += other.killed;
        self.ended_by_runtime += other.ended_by_runtime;
        self.lost += other.lost;
        self.twice += other.twice;
        self.slowest = self.slowest.max(other.slowest);
        for (what, count) in other.notes {
            *self.notes.entry(what).or_default() += count;
        }
        self.late += other.late;
        self.broken.extend(other.broken);
    }

    /// Returns the number of broken promises.
    pub(super) fn failures(&self) -> usize {
        self.broken.len()
    }

    /// Renders the broken promises, the first of them in full.
    pub(super) fn render_failures(&self, part: &str) -> String {
        let mut text = String::new();
        for failure in self.broken.iter().take(SHOWN) {
            // Writing to a text cannot fail.
            _ = writeln!(text, "  {part}: {failure}");
        }
        if self.failures() > SHOWN {
            _ = writeln!(text, "  {part}: and {} more", self.failures() - SHOWN);
        }
        text
    }
}

/// Renders the figures of all parts as a table in Markdown.
pub(super) fn render_table<'p>(parts: impl IntoIterator<Item = (&'p str, &'p PartFigures)>) -> String {
    let mut table = "\
| fault | trials | hooks | acknowledged | told: not recorded | killed | ended by the runtime | lost | twice | late | slowest | besides |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|
"
    .to_owned();
    for (name, figures) in parts {
        let PartFigures {
            trials,
            hooks,
            acknowledged,
            unrecorded,
            killed,
            ended_by_runtime,
            lost,
            twice,
            late,
            ..
        } = figures;
        let slowest = figures.slowest.as_secs_f64();
        let notes: Vec<String> =
            figures.notes.iter().map(|(what, count)| format!("{count} {what}")).collect();
        _ = writeln!(
            table,
            "| {name} | {trials} | {hooks} | {acknowledged} | {unrecorded} | {killed} | {ended_by_runtime} | {lost} | {twice} | \
             {late} | {slowest:.2} s | {} |",
            notes.join("; ")
        );
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_add_up_and_failures_are_cut() {
        let mut sum = PartFigures::default();
        for number in 0..25 {
            let mut figures =
                PartFigures { hooks: 2, broken: vec![format!("trial {number}")], ..PartFigures::default() };
            figures.note("put aside");
            sum.add(figures);
        }
        assert_eq!((sum.hooks, sum.failures(), sum.notes["put aside"]), (50, 25, 25));
        let text = sum.render_failures("kill");
        assert!(text.contains("kill: trial 19\n  kill: and 5 more"), "{text}");
        assert!(render_table([("kill", &sum)]).contains("| kill | 0 | 50 |"));
    }
}
