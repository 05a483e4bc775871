//! Gain against harm for more and less patience.

use std::fmt::Write as _;

use super::chart::{ChartPoint, GainChart};
use crate::markup::{END, row, table};
use crate::number::{grouped, percent};
use loopbreak_analysis::VerdictName;
use loopbreak_analysis::eval::{CurvePoint, EvalReport, JudgeResult};

/// Writes the charts, and the same figures as a table.
pub(super) fn write(out: &mut String, evaluation: &EvalReport) {
    let Some(points) = &evaluation.curve else { return };
    *out += "<section id=\"curve\" aria-labelledby=\"curve-h\">\n<h2 id=\"curve-h\">Gain against harm</h2>\n\
             <p>The same runs with more and less patience: every limit of turns and repeats is multiplied by this factor. The ring \
             marks the current settings; other rules are separate points. Higher and further left is better.</p>\n";
    if let Some(chart) = saved(evaluation, points) {
        *out += &chart.draw();
    }
    if let Some(chart) = seen(evaluation, points) {
        *out += &chart.draw();
    }
    let labelled = evaluation.looked_at.positives.is_some();
    let mut columns = vec!["patience", "runs ended", "steps saved", "share", "progress lost", "unknown"];
    if labelled {
        columns.extend(["rightly warned", "false alarms"]);
    }
    table(out, "Gain against harm", &columns);
    for point in points {
        let figures = &point.figures;
        let mut cells = vec![
            grouped(figures.ended),
            grouped(figures.saved),
            format!("{} %", percent(figures.saved, evaluation.looked_at.steps)),
            grouped(figures.destroyed),
            grouped(figures.unknown),
        ];
        if let Some(counts) = &figures.warned {
            cells.extend([grouped(counts.tp), grouped(counts.fp)]);
        }
        row(out, &name(point), &cells);
    }
    let _ = write!(out, "{END}");
}

fn name(point: &CurvePoint) -> String {
    if is_now(point) { "× 1 (current)".to_owned() } else { format!("× {}", point.patience) }
}

fn is_now(point: &CurvePoint) -> bool {
    (point.patience - 1.0).abs() < f64::EPSILON
}

/// Steps saved against progress lost; against wrong interventions without a progress signal.
fn saved<'c>(evaluation: &EvalReport, points: &[CurvePoint]) -> Option<GainChart<'c>> {
    let share = |steps: u64| steps as f64 * 100.0 / evaluation.looked_at.steps.max(1) as f64;
    let measured = points.iter().any(|point| point.figures.ended > point.figures.unknown);
    let labelled = evaluation.looked_at.positives.is_some();
    let (x, title) = match (measured, labelled) {
        (true, _) => ("runs with progress lost", "Steps saved against progress lost"),
        (false, true) => {
            ("negative runs with an intervention", "Steps saved against interventions in negative runs")
        }
        (false, false) => return None,
    };
    let line = points.iter().map(|point| {
        let wrong = point.figures.stopped.map_or(0, |counts| counts.fp);
        let harm = if measured { point.figures.destroyed } else { wrong };
        ChartPoint { x: harm as f64, y: share(point.figures.saved), label: name(point), now: is_now(point) }
    });
    let others = evaluation.judges.iter().skip(1).map(|judge: &JudgeResult| {
        let stop = judge.levels.iter().find(|level| level.level == VerdictName::Stop);
        let wrong = stop.and_then(|level| level.all.counts).map_or(0, |counts| counts.fp);
        let harm = if measured { judge.savings.progress_destroyed } else { wrong };
        ChartPoint { x: harm as f64, y: share(judge.savings.steps), label: judge.name.to_owned(), now: false }
    });
    let (line, others) = (line.collect(), others.collect());
    Some(GainChart { id: "saved", title, x, y: "% of steps saved", line, others })
}

/// Positive runs with a warning against false alarms.
fn seen<'c>(evaluation: &EvalReport, points: &[CurvePoint]) -> Option<GainChart<'c>> {
    let positives = evaluation.looked_at.positives.filter(|positives| *positives > 0)? as f64;
    let line = points.iter().filter_map(|point| {
        let counts = point.figures.warned?;
        let (x, y) = (counts.fp as f64, counts.tp as f64 * 100.0 / positives);
        Some(ChartPoint { x, y, label: name(point), now: is_now(point) })
    });
    let others = evaluation.judges.iter().skip(1).filter_map(|judge| {
        let counts = judge.levels.first()?.all.counts?;
        let (x, y) = (counts.fp as f64, counts.tp as f64 * 100.0 / positives);
        Some(ChartPoint { x, y, label: judge.name.to_owned(), now: false })
    });
    let (line, others) = (line.collect(), others.collect());
    let (title, x) = ("Positive runs warned against false alarms", "negative runs with a warning");
    Some(GainChart { id: "seen", title, x, y: "% of positive runs warned", line, others })
}
