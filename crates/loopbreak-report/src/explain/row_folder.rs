//! Writes rows, and folds long stretches without findings.

use std::collections::VecDeque;
use std::fmt::Write as _;

use super::row::{ExplainRow, LoopMark};
use crate::text::TextStyle;
use loopbreak_analysis::VerdictName;

/// Number of steps shown around findings.
const AROUND: usize = 3;
/// Minimum number of steps shown at the start of a loop.
const BEGINNING: usize = 6;

/// Writes rows one by one.
#[derive(Debug)]
pub(super) struct RowFolder {
    look: TextStyle,
    out: String,
    /// Rows that may be folded, with their sign in the margin. The last few are shown if something follows.
    waiting: VecDeque<(ExplainRow, String)>,
    folded: usize,
    folded_in_loop: usize,
    /// Number of further rows that are shown in any case.
    owed: usize,
    before: Option<LoopMark>,
}

impl RowFolder {
    pub(super) fn new(look: TextStyle) -> Self {
        let (corner, bar, dots) = (look.sign("┌", "+"), look.sign("│", "|"), look.sign("┊", ":"));
        let dim = look.dim();
        let legend = format!(
            "turn  step; {corner}{bar} loop, with its round or the turn it repeats; {dots} no progress"
        );
        let out = format!("  {dim}{}{dim:#}\n", look.fit_words(&legend, look.width.saturating_sub(2)));
        RowFolder {
            look,
            out,
            waiting: VecDeque::new(),
            folded: 0,
            folded_in_loop: 0,
            owed: AROUND,
            before: None,
        }
    }

    /// Adds the next row, given the one after it, which decides whether a loop ends here.
    pub(super) fn add(&mut self, row: ExplainRow, next: Option<&ExplainRow>) {
        let follows = |mark: LoopMark| next.and_then(|next| next.mark).is_some_and(|next| same(mark, next));
        let begins = |mark: LoopMark| self.before.is_none_or(|before| !same(before, mark));
        let sign = self.sign(&row, row.mark.is_some_and(begins), row.mark.is_some_and(|mark| !follows(mark)));
        let left = self.before.is_some() && row.mark.is_none();
        self.before = row.mark;
        let fresh = row.mark.is_some_and(|mark| mark.at < BEGINNING.max(2 * mark.period.unwrap_or(1)));
        if !row.flags.is_empty() || left {
            self.owed = AROUND;
        } else if self.owed > 0 {
            self.owed -= 1;
        } else if !fresh && next.is_some() {
            self.wait(row, sign);
            return;
        }
        self.unfold();
        self.write(&row, &sign);
    }

    fn wait(&mut self, row: ExplainRow, sign: String) {
        self.waiting.push_back((row, sign));
        if self.waiting.len() > AROUND
            && let Some((gone, _)) = self.waiting.pop_front()
        {
            self.folded += 1;
            self.folded_in_loop += usize::from(gone.mark.is_some());
        }
    }

    fn unfold(&mut self) {
        if self.folded > 0 {
            let (dots, dim) = (self.look.sign("…", "..."), self.look.dim());
            let steps = if self.folded == 1 { "step" } else { "steps" };
            let text = if self.folded_in_loop == self.folded {
                format!("{dots} {} more {steps} of the loop {dots}", self.folded)
            } else {
                format!("{dots} {} {steps} {dots}", self.folded)
            };
            let _ = writeln!(self.out, "{:>6}  {dim}{text}{dim:#}", "");
            (self.folded, self.folded_in_loop) = (0, 0);
        }
        for (row, sign) in std::mem::take(&mut self.waiting) {
            self.write(&row, &sign);
        }
    }

    fn write(&mut self, row: &ExplainRow, sign: &str) {
        let style = self.look.verdict_style(VerdictName::Warn);
        let (on, stuck) = (row.mark.is_some(), if row.stuck { self.look.sign("┊", ":") } else { " " });
        let text = if on { format!("{style}{sign:<5}{style:#}") } else { format!("{sign:<5}") };
        let line = format!("{:>6} {stuck}{text} {}", row.turn, row.text);
        let _ = writeln!(self.out, "{}", line.trim_end());
        for flag in &row.flags {
            let _ = writeln!(self.out, "{flag}");
        }
    }

    /// Returns the sign of a loop: a bracket, and the number of a round at its start.
    fn sign(&self, row: &ExplainRow, begins: bool, ends: bool) -> String {
        let Some(mark) = row.mark else { return String::new() };
        let look = &self.look;
        let round =
            mark.period.filter(|period| mark.at.is_multiple_of(*period)).map(|period| mark.at / period + 1);
        let bracket = match (begins, ends) {
            (true, _) => look.sign("┌", "+"),
            (false, true) => look.sign("└", "+"),
            (false, false) if round.is_some() => look.sign("├", "|"),
            (false, false) => look.sign("│", "|"),
        };
        match (round, mark.period, row.repeats) {
            (Some(round), _, _) => format!("{bracket}{round}"),
            // Without rounds, the step it repeats is shown.
            (None, None, Some(turn)) => format!("{bracket}={turn}"),
            _ => bracket.to_owned(),
        }
    }

    pub(super) fn finish(mut self) -> String {
        self.unfold();
        self.out
    }
}

/// Returns whether two consecutive rows belong to one loop.
fn same(one: LoopMark, next: LoopMark) -> bool {
    one.id == next.id
}
