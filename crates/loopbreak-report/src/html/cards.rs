//! The totals as cards: a figure each, and what it means in words.

use std::fmt::Write as _;

use loopbreak_analysis::{Report, RunTotals};

use crate::number::{grouped, partly_known, percent, plural, rough};
use crate::spending::amount;

/// Writes the cards.
pub(super) fn cards(out: &mut String, report: &Report) {
    let totals = &report.totals;
    *out += "<dl class=\"cards\" aria-label=\"Totals\">\n";
    card(out, "", "Runs", &grouped(totals.runs), &verdicts(totals));
    let note = format!(
        "of {}, {} %: after the points where runs would have ended",
        grouped(totals.steps),
        percent(totals.steps_after_ending, totals.steps)
    );
    card(out, "", "Steps wasted", &grouped(totals.steps_after_ending), &note);
    if totals.llm_calls_saved != totals.steps_after_ending {
        let calls = grouped(totals.llm_calls_saved);
        card(out, "", "Model calls wasted", &calls, "that the wasted steps stand for");
    }
    if let Some(tokens) = totals.tokens {
        let wasted = totals.tokens_after_ending.unwrap_or(0);
        let (value, note) = partly_known(rough(wasted), totals.uncounted_endings, totals.wasteful_endings);
        let share = format!("of {}, {} %{note}", rough(tokens), percent(wasted, tokens));
        card(out, "", "Tokens wasted", &value, &share);
    }
    let spending = &totals.spending;
    let is_estimate = spending.estimated_usd.is_some();
    if let Some(cost) = spending.spent_usd {
        let wasted = spending.after_ending_usd.unwrap_or(0.0);
        let (value, note) =
            partly_known(amount(wasted, is_estimate), totals.unpriced_endings, totals.wasteful_endings);
        card(out, "", "Cost wasted", &value, &format!("of {}{note}", amount(cost, is_estimate)));
    }
    lost_progress(out, totals);
    stubborn_loops(out, totals);
    *out += "</dl>\n";
}

fn card(out: &mut String, class: &str, name: &str, value: &str, note: &str) {
    let _ = writeln!(
        out,
        "<div class=\"card {class}\"><dt>{name}</dt><dd><strong>{value}</strong><span>{note}</span></dd></div>"
    );
}

fn verdicts(totals: &RunTotals) -> String {
    let clear = totals.runs - totals.warned;
    let steered = totals.stopped.saturating_sub(totals.ended);
    let mut note = format!("{} ended, ", grouped(totals.ended));
    if steered > 0 {
        let _ = write!(note, "{} only steered, ", grouped(steered));
    }
    let _ = write!(note, "{} only warned, {} clear", grouped(totals.warned - totals.stopped), grouped(clear));
    if let Some(mean) = totals.mean_steps.filter(|_| totals.runs > 1) {
        let _ = write!(note, "; {mean:.0} steps each on average");
    }
    note
}

/// The price of a stop: runs that got further after the point where they would have ended.
fn lost_progress(out: &mut String, totals: &RunTotals) {
    let destroyed = totals.progress_after_ending;
    let measured = totals.ended - totals.unmeasured_endings;
    let (class, value, note) = match (totals.ended, measured) {
        (0, _) => ("", "–".to_owned(), "no run would have ended".to_owned()),
        (_, 0) => ("", "unknown".to_owned(), "the logs have no score, objective or progress mark".to_owned()),
        (_, measured) if destroyed == 0 => (
            "good",
            "none".to_owned(),
            format!(
                "none of the {} that would have ended, and whose progress is known, got further after that",
                plural(measured, "run")
            ),
        ),
        (_, measured) => (
            "bad",
            plural(destroyed, "run"),
            format!(
                "got further after the point where they would have ended, of {} whose progress is known",
                grouped(measured)
            ),
        ),
    };
    card(out, class, "Progress that a stop would have cost", &value, &note);
}

/// Loops that the agent did not leave without help.
fn stubborn_loops(out: &mut String, totals: &RunTotals) {
    let effects = &totals.effects;
    let (all, _) = effects.totals();
    if all == 0 {
        return;
    }
    let mut note = format!(
        "continued after the point of the first warning, which the agent did not see; {} stopped on their own",
        grouped(effects.changed_course)
    );
    if effects.ended > 0 {
        let _ = write!(note, ", {} ended with the run", grouped(effects.ended));
    }
    card(
        out,
        "",
        "Loops that needed help",
        &format!("{} of {}", grouped(effects.went_on), grouped(all)),
        &note,
    );
}
