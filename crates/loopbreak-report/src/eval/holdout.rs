//! Held-out runs compared with the others.

use std::fmt::{self, Write};

use loopbreak_analysis::eval::{HoldoutReport, MeanDifference};

use crate::markup::{END, row, section};
use crate::number::{dollars, grouped};
use crate::text::TextStyle;

/// Width of the first column.
const NAME: usize = 20;

/// A row of the table: its name, the figures of both groups, and their difference.
type HoldoutRow = (&'static str, [String; 3]);

/// Renders the comparison as a table.
pub fn render_holdout(report: &HoldoutReport, look: &TextStyle) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut out, report, look);
    out
}

pub(super) fn write(out: &mut String, report: &HoldoutReport, look: &TextStyle) -> fmt::Result {
    let dim = look.dim();
    let head = ["held out", "others", "difference (95 %)"];
    writeln!(out, "{dim}{:<NAME$}{:>11}{:>11}  {}{dim:#}", "holdout", head[0], head[1], head[2])?;
    for (name, [held_out, others, difference]) in rows(report, look.sign("–", "-")) {
        let line = format!("{name:<NAME$}{held_out:>11}{others:>11}  {difference}");
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// Writes the comparison as a section of a page.
pub(super) fn write_section(out: &mut String, report: &HoldoutReport) {
    let text = "Runs that were only observed, compared with the others, from the first warning to the last step of its \
                loop. The runs were held out by chance, so the difference is the effect of Loopbreak.";
    let columns = ["", "held out", "others", "difference (95 %)"];
    section(out, "holdout", "Held-out runs", text, &columns);
    for (name, cells) in rows(report, "–") {
        row(out, name, &cells);
    }
    *out += END;
}

fn rows(report: &HoldoutReport, dash: &str) -> Vec<HoldoutRow> {
    let counts = |held_out: u64, all: u64| [grouped(held_out), grouped(all - held_out), String::new()];
    let mut rows = vec![
        ("runs", counts(report.held_out, report.runs)),
        ("with a loop", counts(report.looping_held_out, report.looping_runs)),
        ("steps after warning", cells(&report.steps(), dash, |steps| format!("{steps:.1}"))),
    ];
    if let Some(tokens) = &report.tokens_after_warning {
        rows.push(("tokens after warning", cells(tokens, dash, |tokens| grouped(tokens.round() as u64))));
    }
    if let Some(cost) = &report.cost_after_warning_usd {
        rows.push(("cost after warning", cells(cost, dash, dollars)));
    }
    rows
}

/// Formats a comparison. `format` gets no negative number.
fn cells(found: &MeanDifference, dash: &str, format: impl Fn(f64) -> String) -> [String; 3] {
    let signed = |value: f64| {
        let text = format(value.abs());
        let is_zero = !text.contains(|char: char| ('1'..='9').contains(&char));
        if value < 0.0 && !is_zero { format!("-{text}") } else { text }
    };
    let mean = |mean: Option<f64>| mean.map_or(dash.to_owned(), signed);
    let difference = match (found.difference, found.interval) {
        (None, _) => "too few runs".to_owned(),
        (Some(difference), None) => signed(difference),
        (Some(difference), Some(ends)) => {
            format!("{} ({} to {})", signed(difference), signed(ends.low), signed(ends.high))
        }
    };
    [mean(found.mean.held_out), mean(found.mean.others), difference]
}

#[cfg(test)]
mod tests {
    use loopbreak_analysis::RunCost;
    use loopbreak_analysis::eval::{HoldoutRun, LoopRemainder};

    use super::*;

    fn run(held_out: bool, steps: u64) -> HoldoutRun {
        let cost = RunCost { tokens: Some(1000 * steps), cost_usd: Some(0.01 * steps as f64) };
        HoldoutRun { held_out, remainder: Some(LoopRemainder { steps, cost }) }
    }

    #[test]
    fn the_table_shows_both_groups_and_their_difference() {
        let healthy = HoldoutRun { held_out: false, remainder: None };
        let runs = [
            run(true, 10),
            run(true, 12),
            run(true, 14),
            run(false, 2),
            run(false, 3),
            run(false, 4),
            healthy,
        ];
        let text = render_holdout(&HoldoutReport::new(&runs), &TextStyle::default());
        let expected = "\
holdout                held out     others  difference (95 %)
runs                          3          4
with a loop                   3          3
steps after warning        12.0        3.0  9.0 (4.8 to 13.2)
tokens after warning     12,000      3,000  9,000 (4,845 to 13,155)
cost after warning        $0.12      $0.03  $0.09 ($0.05 to $0.13)
";
        assert_eq!(text, expected);
    }

    #[test]
    fn too_few_runs_have_no_difference() {
        let runs = [run(true, 10), run(false, 2), run(false, 3)];
        let text = render_holdout(&HoldoutReport::new(&runs), &TextStyle::default());
        assert!(text.contains("steps after warning        10.0        2.5  too few runs\n"), "{text}");
        let text =
            render_holdout(&HoldoutReport::new(&[]), &TextStyle { unicode: false, ..TextStyle::default() });
        assert!(text.contains("steps after warning           -          -  too few runs\n"), "{text}");
        assert!(!text.contains("tokens"), "{text}");
    }

    #[test]
    fn a_negative_difference_has_a_sign() {
        let same = |held_out, steps| [run(held_out, steps), run(held_out, steps)];
        let found = HoldoutReport::new(&[same(true, 1), same(false, 4)].concat());
        assert_eq!(cells(&found.steps(), "–", |steps| format!("{steps:.1}"))[2], "-3.0");
        assert_eq!(
            cells(&MeanDifference { difference: Some(-0.01), ..found.steps() }, "–", |steps| format!(
                "{steps:.1}"
            ))[2],
            "0.0"
        );
    }
}
