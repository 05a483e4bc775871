//! Draws a run in three strips: the score, the places, and the periods without progress, the first warning
//! and the ending.

use std::fmt::Write as _;

use anstyle::AnsiColor;
use loopbreak::Intervention;
use unicode_width::UnicodeWidthStr as _;

use super::style::TextStyle;
use loopbreak_analysis::RunReport;
use loopbreak_analysis::{PlaceTurns, RunTimeline, TimelineBucket};

const BLOCKS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
const LEVELS: [&str; 8] = ["_", ".", ",", "-", "=", "+", "*", "#"];
/// A colour for each place with a letter.
const COLOURS: [AnsiColor; 5] =
    [AnsiColor::Cyan, AnsiColor::Magenta, AnsiColor::Yellow, AnsiColor::Green, AnsiColor::Blue];

/// Draws the score. Returns `None` without scores.
pub(super) fn scores(timeline: &RunTimeline, columns: &[TimelineBucket], look: &TextStyle) -> Option<String> {
    let (low, high) = timeline.range()?;
    let level = |score: f64| {
        let share = if high > low { (score - low) / (high - low) } else { 0.0 };
        (share * 7.0).round().clamp(0.0, 7.0) as usize
    };
    let sign = |column: &TimelineBucket| {
        column.score.map_or(" ", |score| look.sign(BLOCKS[level(score)], LEVELS[level(score)]))
    };
    Some(columns.iter().map(sign).collect())
}

/// Draws counts as columns. A count above 0 is always visible.
pub(super) fn bars(counts: &[u64], look: &TextStyle) -> String {
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let sign = |count: &u64| {
        if *count == 0 {
            return look.sign("·", " ");
        }
        let level = ((*count as f64 / most as f64) * 7.0).round().clamp(0.0, 7.0) as usize;
        look.sign(BLOCKS[level], LEVELS[level])
    };
    counts.iter().map(sign).collect()
}

/// The places with most turns, each with a letter and a label, as many as fit into the width.
pub(super) struct PlaceStrip {
    places: Vec<(u32, String)>,
    others: usize,
}

impl PlaceStrip {
    pub(super) fn new(timeline: &RunTimeline, look: &TextStyle, width: usize) -> Self {
        let mut places: Vec<_> = (0..).zip(timeline.places()).collect();
        places.sort_by_key(|(index, place)| (std::cmp::Reverse(place.turns), *index));
        let mut used = 0;
        let labels = places.iter().take(COLOURS.len()).map(|(index, place)| (*index, label(place, look)));
        let fitting = labels.take_while(|(_, label)| {
            used += label.width() + 4;
            used <= width + 2
        });
        let places: Vec<_> = fitting.collect();
        PlaceStrip { others: timeline.places().len() - places.len(), places }
    }

    fn rank(&self, column: &TimelineBucket) -> Option<usize> {
        self.places.iter().position(|(known, _)| Some(*known) == column.place)
    }

    /// Draws the places. Returns `None` without places.
    pub(super) fn strip(&self, columns: &[TimelineBucket], look: &TextStyle) -> Option<String> {
        if self.places.is_empty() && self.others == 0 {
            return None;
        }
        let mut strip = String::new();
        let alike = |a: &TimelineBucket, b: &TimelineBucket| {
            a.place.is_some() == b.place.is_some() && self.rank(a) == self.rank(b)
        };
        for same in columns.chunk_by(alike) {
            let rank = self.rank(&same[0]);
            let style = rank.map_or(look.dim(), |rank| look.coloured(COLOURS[rank]));
            let sign = match (rank, same[0].place) {
                (Some(rank), _) => letter(rank).to_string(),
                (None, Some(_)) => look.sign("·", ".").to_owned(),
                (None, None) => " ".to_owned(),
            };
            let _ = write!(strip, "{style}{}{style:#}", sign.repeat(same.len()));
        }
        Some(strip)
    }

    /// Returns the legend of the letters.
    pub(super) fn names(&self, look: &TextStyle) -> String {
        let names = self.places.iter().enumerate().map(|(rank, (_, label))| {
            let style = look.coloured(COLOURS[rank]);
            format!("{style}{}{style:#} {label}", letter(rank))
        });
        names.collect::<Vec<_>>().join("  ")
    }
}

fn label(place: &PlaceTurns, look: &TextStyle) -> String {
    format!("{} {}", look.fit(&place.name, 20), place.turns)
}

fn letter(rank: usize) -> char {
    (b'A' + rank as u8) as char
}

/// A column of the third strip.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum GuardMark {
    Healthy,
    Stuck,
    Warning,
    End,
    Saved,
}

impl GuardMark {
    fn sign(self, look: &TextStyle) -> &'static str {
        match self {
            GuardMark::Healthy => " ",
            GuardMark::Stuck => look.sign("─", "-"),
            GuardMark::Warning => "!",
            GuardMark::End => look.sign("■", "X"),
            GuardMark::Saved => look.sign("░", ":"),
        }
    }

    fn style(self, look: &TextStyle) -> anstyle::Style {
        match self {
            GuardMark::Healthy => anstyle::Style::new(),
            GuardMark::Stuck | GuardMark::Warning => look.coloured(AnsiColor::Yellow),
            GuardMark::End => look.coloured(AnsiColor::Red),
            GuardMark::Saved => look.dim(),
        }
    }
}

/// The third strip: periods without progress, the first warning and the ending.
pub(super) struct GuardStrip(Vec<GuardMark>);

impl GuardStrip {
    /// Returns `None` if there is nothing to mark.
    pub(super) fn from_run(run: &RunReport, columns: &[TimelineBucket]) -> Option<Self> {
        let column_of = |turn: u64| columns.iter().position(|column| column.turn >= turn);
        let mut marks = vec![GuardMark::Healthy; columns.len()];
        for period in &run.stuck {
            let from = column_of(period.from).unwrap_or(columns.len());
            let to = column_of(period.to).map_or(columns.len(), |to| to + 1);
            marks[from..to.max(from)].fill(GuardMark::Stuck);
        }
        let end = run.ending.as_ref().and_then(|ending| column_of(ending.turn));
        if let Some(end) = end {
            marks[end..].fill(GuardMark::Saved);
            marks[end] = GuardMark::End;
        }
        let warning = run.first_warning.as_ref().and_then(|warning| column_of(warning.turn));
        if let Some(warning) = warning.filter(|warning| end != Some(*warning)) {
            marks[warning] = GuardMark::Warning;
        }
        marks.iter().any(|mark| *mark != GuardMark::Healthy).then_some(GuardStrip(marks))
    }

    pub(super) fn strip(&self, look: &TextStyle) -> String {
        let mut strip = String::new();
        for same in self.0.chunk_by(|a, b| a == b) {
            let style = same[0].style(look);
            let _ = write!(strip, "{style}{}{style:#}", same[0].sign(look).repeat(same.len()));
        }
        strip
    }

    /// Returns the legend of the signs that occur.
    pub(super) fn names(&self, run: &RunReport, look: &TextStyle) -> String {
        let handed = run.ending.as_ref().is_some_and(|ending| ending.intervention == Intervention::Escalate);
        let names = [
            (GuardMark::Stuck, "no progress"),
            (
                GuardMark::Warning,
                if run.intervenes_without_warning() { "first intervention" } else { "first warning" },
            ),
            (GuardMark::End, if handed { "a human is called" } else { "stop" }),
            (GuardMark::Saved, "saved"),
        ];
        let shown = names.into_iter().filter(|(mark, _)| self.0.contains(mark)).map(|(mark, name)| {
            let style = mark.style(look);
            format!("{style}{}{style:#} {name}", mark.sign(look))
        });
        shown.collect::<Vec<_>>().join("  ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timeline(scores: &[f64]) -> RunTimeline {
        let mut timeline = RunTimeline::default();
        for (turn, score) in (1..).zip(scores) {
            timeline.add(turn, Some(*score), None);
        }
        timeline
    }

    fn drawn(scores_: &[f64], look: &TextStyle) -> String {
        let timeline = timeline(scores_);
        scores(&timeline, &timeline.columns(40), look).unwrap()
    }

    #[test]
    fn the_score_is_drawn_from_its_lowest_to_its_highest() {
        let look = TextStyle::default();
        assert_eq!(drawn(&[0.0, 10.0, 20.0, 70.0], &look), "▁▂▃█");
        assert_eq!(drawn(&[5.0, 5.0], &look), "▁▁", "a score that never moves lies flat");
        assert_eq!(drawn(&[-5.0, 0.0, 5.0], &TextStyle { unicode: false, ..look }), "_=#");
    }

    #[test]
    fn missing_values_are_not_drawn() {
        let mut timeline = RunTimeline::default();
        timeline.add(1, None, None);
        let columns = timeline.columns(10);
        assert_eq!(scores(&timeline, &columns, &TextStyle::default()), None);
        let look = TextStyle::default();
        assert_eq!(PlaceStrip::new(&timeline, &look, 40).strip(&columns, &look), None);
    }

    #[test]
    fn the_place_with_most_turns_is_a() {
        let mut timeline = RunTimeline::default();
        for (turn, name) in (1..).zip(["hall", "dam", "dam", "hall", "dam"]) {
            let place = loopbreak::Place { name: Some(name.into()), ..loopbreak::Place::default() };
            timeline.add(turn, None, Some(&place));
        }
        let look = TextStyle::default();
        let letters = PlaceStrip::new(&timeline, &look, 40);
        assert_eq!(letters.strip(&timeline.columns(10), &look).unwrap(), "BAABA");
        assert_eq!(letters.names(&look), "A dam 3  B hall 2");
        let few = PlaceStrip::new(&timeline, &look, 7);
        assert_eq!(few.strip(&timeline.columns(10), &look).unwrap(), "·AA·A");
        assert_eq!(few.names(&look), "A dam 3");
    }
}
