//! One run step by step, with loops marked in the margin and findings between the lines.

mod flag;
mod row;
mod row_folder;
mod track;

use std::collections::VecDeque;

use loopbreak::text::output_signature;
use loopbreak::{DetectorName, Step, Verdict, verdict::Audience};

use crate::text::TextStyle;
use loopbreak_analysis::RepeatTracker;
use row::{ExplainRow, masked_outcome};
use row_folder::RowFolder;
use track::LoopTracks;

/// Number of last steps that are held back, because a loop is found only after it has lasted for a while and its start
/// is marked then.
const HELD_BACK: usize = 64;

/// Explains one run. Its memory grows with the findings, not with the length of the run.
#[derive(Debug)]
pub struct RunExplanation {
    look: TextStyle,
    /// Shows hints and the signatures of outputs too.
    full: bool,
    held: VecDeque<ExplainRow>,
    /// The number of the first row that is held.
    first: usize,
    tracks: LoopTracks,
    score: Option<f64>,
    /// The outcome of the step before.
    outcome: Option<String>,
    repeats: RepeatTracker,
    /// Advice that was shown already. Further advice is similar.
    advised: Vec<(DetectorName, Audience)>,
    fold: RowFolder,
}

impl RunExplanation {
    /// Creates the explanation of a run without steps. `full` shows hints and the signatures of outputs too.
    pub fn new(look: TextStyle, full: bool) -> Self {
        RunExplanation {
            look,
            full,
            held: VecDeque::with_capacity(HELD_BACK + 1),
            first: 0,
            tracks: LoopTracks::default(),
            score: None,
            outcome: None,
            repeats: RepeatTracker::default(),
            advised: Vec::new(),
            fold: RowFolder::new(look),
        }
    }

    /// Adds a step and its verdict.
    pub fn add(&mut self, step: &Step<'_>, verdict: &Verdict) {
        let score = step.score.filter(|score| score.is_finite());
        let moved = score.filter(|score| self.score != Some(*score));
        self.score = score.or(self.score);
        let mut row = ExplainRow::new(step, verdict.turn, moved, self.outcome.as_deref(), &self.look);
        self.outcome = masked_outcome(step);
        row.repeats = self.repeats.observe(step, verdict.turn);
        row.flags = flag::render(verdict, self.full, &mut self.advised, &self.look);
        if let Some(signature) = output_signature(step).filter(|_| self.full) {
            row.flags.insert(0, flag::render_signature(&signature, &self.look));
        }
        self.held.push_back(row);
        self.tracks.add(verdict, &mut self.held, self.first);
        if self.held.len() > HELD_BACK {
            self.let_go();
        }
    }

    fn let_go(&mut self) {
        if let Some(row) = self.held.pop_front() {
            self.first += 1;
            self.fold.add(row, self.held.front());
        }
    }

    /// Returns the whole text.
    pub fn finish(mut self) -> String {
        while !self.held.is_empty() {
            self.let_go();
        }
        self.fold.finish()
    }
}

#[cfg(test)]
mod tests {
    use loopbreak::{Config, Guard};

    use super::*;

    fn explained(lines: &[String], look: TextStyle) -> String {
        let mut guard = Guard::new(Config::default());
        let mut explanation = RunExplanation::new(look, false);
        for line in lines {
            let step = Step::from_json(line).unwrap();
            let verdict = guard.observe(&step);
            explanation.add(&step, &verdict);
        }
        explanation.finish()
    }

    fn steps(words: &str) -> Vec<String> {
        let step = |word: &str| {
            format!(
                r#"{{"action":{{"name":"bash","args":{{"command":"{word}"}}}},"outcome":"{word} came to this"}}"#
            )
        };
        words.split(' ').map(step).collect()
    }

    #[test]
    fn explained_loops_are_marked_from_their_beginning_with_their_rounds() {
        let mut words: Vec<String> = (0..30).map(|number| format!("new{number}")).collect();
        words.extend(["look", "move"].iter().cycle().take(9).map(|word| (*word).to_owned()));
        words.extend((30..60).map(|number| format!("new{number}")));
        insta::assert_snapshot!(explained(&steps(&words.join(" ")), TextStyle::default()));
    }

    #[test]
    fn explained_without_colours_and_signs_it_is_plain() {
        let text =
            explained(&steps("a b c d d d d d d e"), TextStyle { unicode: false, ..TextStyle::default() });
        assert!(text.is_ascii(), "{text}");
        insta::assert_snapshot!(text);
    }

    #[test]
    fn explained_a_long_run_is_folded_and_no_longer_than_what_is_found() {
        let mut lines = steps(&(0..5000).map(|number| format!("new{number}")).collect::<Vec<_>>().join(" "));
        lines.extend(steps("same ".repeat(2000).trim_end()));
        let text = explained(&lines, TextStyle::default());
        assert!(text.lines().count() < 300, "{}", text.lines().count());
        assert!(text.contains("more steps of the loop"), "{text}");
        assert!(text.lines().all(|line| unicode_width::UnicodeWidthStr::width(line) <= 80), "{text}");
    }

    #[test]
    fn explained_secrets_are_masked_and_the_cursor_stays_where_it_is() {
        let line = r#"{"action":"curl -H 'Authorization: Bearer abcdefghijklmnopqrstuvwxyz0123456789'","outcome":"\u001b[2Jgone\nmore"}"#;
        let text = explained(&[line.to_owned()], TextStyle::default());
        assert!(!text.contains("ghijklmnopqrstuvwxyz") && !text.contains('\u{1b}'), "{text}");
    }
}
