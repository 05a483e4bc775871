//! The search as text.

use std::fmt::{self, Write};

use loopbreak_analysis::eval::ShareEstimate;
use loopbreak_analysis::tune::{OptionChange, OutcomeTotals, TuneChoice, TuneResult, shown};

use crate::number::{self, grouped, percent};
use crate::text::TextStyle;

/// Number of points of the frontier listed.
const POINTS: usize = 12;

/// Renders the result as text.
pub fn render(search: &TuneResult, look: &TextStyle) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut out, search, look);
    out
}

fn write(out: &mut String, search: &TuneResult, look: &TextStyle) -> fmt::Result {
    let (bold, dim, dash) = (look.bold(), look.dim(), look.sign("–", "-"));
    let (runs, trials) = (grouped(search.looked_at.runs), grouped(search.trials));
    let settings = if search.trials == 1 { "setting" } else { "settings" };
    writeln!(
        out,
        "{bold}{runs} runs, {} steps, {trials} {settings} tried{bold:#}",
        grouped(search.looked_at.steps)
    )?;
    if let (Some(positive), Some(positives)) = (&search.looked_at.positive, search.looked_at.positives) {
        let text = format!("{} positive runs ({positive})", grouped(positives));
        writeln!(out, "{dim}{}{dim:#}", look.fit_words(&text, look.width))?;
    }
    if let Some(only) = &search.looked_at.only {
        let text = format!("only runs with {only}");
        writeln!(out, "{dim}{}{dim:#}", look.fit_words(&text, look.width))?;
    }
    writeln!(out)?;
    let choice = &search.choice;
    let labelled = choice.now.warned.is_some();
    let head = if labelled { ["precision", "recall", "F0.5"] } else { ["", "", ""] };
    write!(out, "{dim}{:<16}", "")?;
    if labelled {
        write!(out, "{:>15}{:>15}{:>6}", head[0], head[1], head[2])?;
    }
    writeln!(out, "{:>17}  progress lost{dim:#}", "saved")?;
    let held_out = format!("best, {} folds", choice.folds);
    for (name, figures) in [
        ("current", &choice.now),
        ("best, all runs", &choice.in_sample),
        (held_out.as_str(), &choice.cross_validated),
    ] {
        write!(out, "{name:<16}")?;
        if labelled {
            let share = |share: Option<ShareEstimate>| {
                share.map_or(dash.to_owned(), |share| number::share(&share, dash))
            };
            write!(out, "{:>15}{:>15}", share(figures.precision()), share(figures.recall()))?;
            write!(out, "{:>6}", figures.f_half().map_or(dash.to_owned(), |value| format!("{value:.2}")))?;
        }
        let saves =
            format!("{} ({} %)", grouped(figures.saved), percent(figures.saved, search.looked_at.steps));
        writeln!(out, "{saves:>17}  {}", destroys(figures))?;
    }
    writeln!(out)?;
    changes(out, choice, look)?;
    frontier(out, choice, labelled, look)
}

fn destroys(figures: &OutcomeTotals) -> String {
    match (figures.destroyed, figures.unknown) {
        (0, unknown) if unknown > 0 && unknown == figures.ended => "unknown".to_owned(),
        (0, _) => "none".to_owned(),
        (1, _) => "in 1 run".to_owned(),
        (runs, _) => format!("in {} runs", grouped(runs)),
    }
}

fn changes(out: &mut String, choice: &TuneChoice, look: &TextStyle) -> fmt::Result {
    let (bold, dim) = (look.bold(), look.dim());
    if choice.best.changes.is_empty() {
        return writeln!(out, "no trial is better than the current settings");
    }
    writeln!(out, "{bold}best{bold:#}")?;
    for (option, value) in &choice.best.changes {
        writeln!(out, "  {option} = {}", shown(*value))?;
    }
    if !choice.holds {
        let warning =
            "On held-out runs, settings chosen this way are no better than the current ones: keep those.";
        writeln!(out, "{dim}{}{dim:#}", look.fit_words(warning, 2 * look.width))?;
    }
    Ok(())
}

fn frontier(out: &mut String, choice: &TuneChoice, labelled: bool, look: &TextStyle) -> fmt::Result {
    let (bold, dim) = (look.bold(), look.dim());
    let (gain, harm) =
        if labelled { ("runs warned", "false alarms") } else { ("steps saved", "progress lost") };
    writeln!(
        out,
        "\n{bold}frontier{bold:#}{dim}: no other setting is at least as good in both columns{dim:#}"
    )?;
    writeln!(out, "{dim}{harm:>14}{gain:>13}  settings{dim:#}")?;
    for point in choice.frontier.iter().take(POINTS) {
        let settings = in_words(&point.trial.changes);
        let settings = look.fit_words(&settings, look.width.saturating_sub(29));
        writeln!(out, "{:>14}{:>13}  {settings}", grouped(point.harm), grouped(point.gain))?;
    }
    if choice.frontier.len() > POINTS {
        writeln!(out, "  {dim}+{} more; --json lists all{dim:#}", choice.frontier.len() - POINTS)?;
    }
    Ok(())
}

/// Formats changes on one line.
fn in_words(changes: &[OptionChange]) -> String {
    if changes.is_empty() {
        return "current settings".to_owned();
    }
    changes.iter().map(|(option, value)| format!("{option}={}", shown(*value))).collect::<Vec<_>>().join(" ")
}
