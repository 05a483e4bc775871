//! The evaluation as text.

use std::fmt::{self, Write};

use unicode_width::UnicodeWidthStr as _;

use super::holdout;
use crate::number::{self, grouped, percent, plural};
use crate::text::TextStyle;
use loopbreak_analysis::EffectCounts;
use loopbreak_analysis::VerdictName;
use loopbreak_analysis::eval::{
    EffectShare, EvalReport, JudgeResult, LeftOutRuns, MisjudgedRun, SignalScores,
};

/// Width of the first column: names of judges and detectors.
const NAME: usize = 14;
/// Number of runs listed.
const LISTED: usize = 20;
/// Maximum width: no table needs more, and longer lines are hard to read.
const WIDEST: usize = 100;
/// Indentation of the id of a run in a list.
const INDENT: usize = 9;

/// Renders the evaluation as text.
pub fn render(evaluation: &EvalReport, look: &TextStyle) -> String {
    let look = TextStyle { width: look.width.min(WIDEST), ..*look };
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut out, evaluation, &look);
    out
}

fn write(out: &mut String, evaluation: &EvalReport, look: &TextStyle) -> fmt::Result {
    head(out, evaluation, look)?;
    signals(out, evaluation, look)?;
    detectors(out, evaluation, look)?;
    savings(out, evaluation, look)?;
    after_warning(out, evaluation, look)?;
    if let Some(report) = &evaluation.holdout {
        out.push('\n');
        holdout::write(out, report, look)?;
    }
    list(out, ["missed run", "missed runs"], "positive runs without a warning", &evaluation.missed, look)?;
    list(
        out,
        ["false alarm", "false alarms"],
        "negative runs with a warning or worse",
        &evaluation.false_alarms,
        look,
    )?;
    Ok(())
}

fn head(out: &mut String, evaluation: &EvalReport, look: &TextStyle) -> fmt::Result {
    let (bold, dim) = (look.bold(), look.dim());
    let runs = format!(
        "{}, {}",
        plural(evaluation.looked_at.runs, "run"),
        plural(evaluation.looked_at.steps, "step")
    );
    match (&evaluation.looked_at.positive, evaluation.looked_at.positives) {
        (Some(positive), Some(positives)) => {
            let text = format!("{runs}: {} positive ({positive})", grouped(positives));
            writeln!(out, "{bold}{}{bold:#}", look.fit_words(&text, look.width))?;
        }
        _ => writeln!(out, "{bold}{runs}, no labels{bold:#}")?,
    }
    if let Some(part) = &evaluation.part {
        writeln!(out, "{dim}part of the split: {part}{dim:#}")?;
    }
    let left_out = left_out(&evaluation.left_out);
    if !left_out.is_empty() {
        writeln!(out, "{dim}left out: {left_out}{dim:#}")?;
    }
    Ok(())
}

pub(super) fn left_out(left_out: &LeftOutRuns) -> String {
    let parts = [
        (left_out.unlabelled_runs, "run", "without labels"),
        (left_out.undecided_runs, "run", "undecided"),
        (left_out.excluded_runs, "run", "by --where"),
        (left_out.other_part_runs, "run", "in other parts of the split"),
        (left_out.runs_without_part, "run", "not in the split"),
        (left_out.labels_without_run, "label", "without a run"),
    ];
    let told = parts.into_iter().filter(|(count, ..)| *count > 0);
    told.map(|(count, noun, what)| format!("{} {what}", plural(count, noun))).collect::<Vec<_>>().join(", ")
}

/// Writes all judges next to each other.
fn signals(out: &mut String, evaluation: &EvalReport, look: &TextStyle) -> fmt::Result {
    heading(out, "", evaluation.looked_at.positives.is_some(), look)?;
    for judge in &evaluation.judges {
        for level in &judge.levels {
            row(out, judge.name, level.level, &level.all, look)?;
        }
    }
    Ok(())
}

/// Writes the detectors of the first judge, which is Loopbreak with the current settings.
fn detectors(out: &mut String, evaluation: &EvalReport, look: &TextStyle) -> fmt::Result {
    let levels = evaluation.judges.first().map_or(&[][..], |judge: &JudgeResult| &judge.levels);
    if levels.iter().all(|level| level.detectors.is_empty()) {
        return Ok(());
    }
    heading(out, "by detector", evaluation.looked_at.positives.is_some(), look)?;
    for level in levels {
        for detector in &level.detectors {
            row(out, detector.detector.as_str(), level.level, &detector.scores, look)?;
        }
    }
    Ok(())
}

fn heading(out: &mut String, title: &str, labelled: bool, look: &TextStyle) -> fmt::Result {
    let dim = look.dim();
    write!(out, "\n{dim}{title:<NAME$} {:<5}", "level")?;
    if labelled {
        write!(out, "{:>5}{:>5}{:>5}{:>5}", "tp", "fp", "fn", "tn")?;
        write!(out, "{:>15}{:>15}{:>5}", "precision", "recall", "F1")?;
    } else {
        write!(out, "{:>8}", "signals")?;
    }
    writeln!(out, "{:>5}{dim:#}", "step")
}

fn row(
    out: &mut String,
    name: &str,
    level: VerdictName,
    scores: &SignalScores,
    look: &TextStyle,
) -> fmt::Result {
    let (style, dash) = (look.verdict_style(level), look.sign("–", "-"));
    write!(out, "{name:<NAME$} {style}{:<5}{style:#}", level.as_str())?;
    if let Some(counts) = &scores.counts {
        write!(out, "{:>5}{:>5}{:>5}{:>5}", counts.tp, counts.fp, counts.missed, counts.tn)?;
        for share in [scores.precision, scores.recall] {
            write!(out, "{:>15}", share.map_or(dash.to_owned(), |share| number::share(&share, dash)))?;
        }
        write!(out, "{:>5}", scores.f1.map_or(dash.to_owned(), |f1| format!("{f1:.2}")))?;
    } else {
        write!(out, "{:>8}", grouped(scores.signals))?;
    }
    writeln!(out, "{:>5}", scores.mean_first_step.map_or(dash.to_owned(), |step| format!("{step:.0}")))
}

fn savings(out: &mut String, evaluation: &EvalReport, look: &TextStyle) -> fmt::Result {
    let dim = look.dim();
    writeln!(out, "\n{dim}{:<NAME$} {:>10}{:>19}  progress lost{dim:#}", "", "ended", "saved")?;
    for JudgeResult { name, savings, .. } in &evaluation.judges {
        let saves = format!(
            "{} ({} %)",
            plural(savings.steps, "step"),
            percent(savings.steps, evaluation.looked_at.steps)
        );
        let mut destroys = match (savings.progress_destroyed, savings.progress_unknown) {
            (0, unknown) if unknown == savings.ended && unknown > 0 => {
                "unknown (no progress signal)".to_owned()
            }
            _ if savings.ended == 0 => look.sign("–", "-").to_owned(),
            (0, _) => "none".to_owned(),
            (runs, _) => format!("in {}", plural(runs, "run")),
        };
        if savings.progress_unknown > 0 && savings.progress_unknown < savings.ended {
            let _ = write!(destroys, " (unknown in {})", grouped(savings.progress_unknown));
        }
        writeln!(out, "{name:<NAME$} {:>10}{saves:>19}  {destroys}", plural(savings.ended, "run"))?;
    }
    Ok(())
}

/// Writes how loops continued after their first warning, which the agents did not see in a replay.
fn after_warning(out: &mut String, evaluation: &EvalReport, look: &TextStyle) -> fmt::Result {
    let told = evaluation.judges.iter().filter_map(|judge| Some((judge.name, judge.after_warning.as_ref()?)));
    let told: Vec<_> = told.filter(|(_, after)| after.all.effects.totals().0 > 0).collect();
    if told.is_empty() {
        return Ok(());
    }
    let (dim, dash) = (look.dim(), look.sign("–", "-"));
    // The names of detectors are indented.
    let width = NAME + 2;
    let line = |out: &mut String, name: &str, share: &EffectShare| {
        let EffectCounts { changed_course, went_on, ended } = share.effects;
        let loops = plural(share.effects.totals().0, "loop");
        let share = share.went_on_share.map_or(dash.to_owned(), |share| number::share(&share, dash));
        writeln!(out, "{name:<width$} {loops:>10}{went_on:>11}{changed_course:>9}{ended:>9}{share:>17}")
    };
    let head = ["loops", "continued", "stopped", "ended", "share continued"];
    writeln!(
        out,
        "\n{dim}{:<width$} {:>10}{:>11}{:>9}{:>9}{:>17}{dim:#}",
        "after warning", head[0], head[1], head[2], head[3], head[4]
    )?;
    // The detectors of the first judge, which is Loopbreak with the current settings.
    let own = evaluation.judges.first().map(|judge| judge.name);
    for (name, after) in &told {
        line(out, name, &after.all)?;
        for detector in after.detectors.iter().filter(|_| own == Some(name)) {
            line(out, &format!("  {}", detector.detector), &detector.all)?;
        }
    }
    Ok(())
}

fn list(
    out: &mut String,
    nouns: [&str; 2],
    meaning: &str,
    runs: &[MisjudgedRun],
    look: &TextStyle,
) -> fmt::Result {
    if runs.is_empty() {
        return Ok(());
    }
    let (bold, dim) = (look.bold(), look.dim());
    let noun = nouns[usize::from(runs.len() != 1)];
    writeln!(out, "\n{bold}{} {noun}{bold:#}{dim}: {meaning}{dim:#}", grouped(runs.len() as u64))?;
    for run in runs.iter().take(LISTED) {
        listed(out, run, look)?;
    }
    if runs.len() > LISTED {
        writeln!(out, "  {dim}+{} more; --json lists all{dim:#}", runs.len() - LISTED)?;
    }
    Ok(())
}

/// Writes a run in one line if that fits. Its id and its file are never cut, so that they can be copied.
fn listed(out: &mut String, run: &MisjudgedRun, look: &TextStyle) -> fmt::Result {
    let (style, dim) = (look.verdict_style(run.verdict), look.dim());
    let (steps, room) = (plural(run.steps, "step"), WIDEST - INDENT);
    let name = look.fit_name(&run.run, room);
    let source = look.fit_name(&run.source, room - steps.len() - 2);
    let whole = INDENT + name.width() + steps.len() + source.width() + 4;
    write!(out, "  {style}{:<5}{style:#}  {name}", run.verdict.as_str())?;
    let gap = if whole <= look.width { "  ".to_owned() } else { format!("\n{:INDENT$}", "") };
    writeln!(out, "{gap}{dim}{steps}  {source}{dim:#}")?;
    if run.findings.is_empty() {
        return writeln!(out, "{:INDENT$}{dim}{}{dim:#}", "", run.explain);
    }
    let each = run
        .findings
        .iter()
        .map(|found| format!("turn {} {} {}", found.turn, found.detector.as_str(), found.pattern));
    let text = each.collect::<Vec<_>>().join(", ");
    writeln!(out, "{:INDENT$}{}", "", look.fit_words(&text, look.width.saturating_sub(INDENT)))?;
    writeln!(out, "{:INDENT$}{dim}{}{dim:#}", "", run.explain)
}
