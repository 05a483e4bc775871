//! The evaluation as one page: no network, no script, light and dark, printable.

mod chart;
mod curve;

use std::fmt::Write as _;

use super::holdout;
use crate::markup::{END, HtmlPage, escape, row, section};
use crate::number::{self, grouped, percent};
use loopbreak_analysis::VerdictName;
use loopbreak_analysis::eval::ShareEstimate;
use loopbreak_analysis::eval::{EffectShare, EvalReport, JudgeResult, MisjudgedRun, SignalScores};

const STYLE: &str = include_str!("style.css");

/// Renders the page.
pub fn page(evaluation: &EvalReport) -> String {
    let mut out = "<header>\n<h1>Evaluation</h1>\n".to_owned();
    head(&mut out, evaluation);
    out += "<nav aria-label=\"Sections\"><ul>";
    for (id, name) in sections(evaluation) {
        let _ = write!(out, "<li><a href=\"#{id}\">{name}</a></li>");
    }
    out += "</ul></nav>\n</header>\n<main>\n";
    signals(&mut out, evaluation);
    savings(&mut out, evaluation);
    curve::write(&mut out, evaluation);
    after_warning(&mut out, evaluation);
    if let Some(report) = &evaluation.holdout {
        holdout::write_section(&mut out, report);
    }
    list(&mut out, "missed", "Missed runs", "Positive runs without a warning.", &evaluation.missed);
    list(
        &mut out,
        "false-alarms",
        "False alarms",
        "Negative runs with a warning or worse.",
        &evaluation.false_alarms,
    );
    out += "</main>\n";
    HtmlPage { title: "Loopbreak evaluation", style: STYLE, script: None, body: &out }.write()
}

fn sections(evaluation: &EvalReport) -> Vec<(&'static str, &'static str)> {
    let mut sections = vec![("signals", "Signals"), ("savings", "Savings")];
    if evaluation.curve.is_some() {
        sections.push(("curve", "Gain against harm"));
    }
    sections.push(("after", "After the warnings"));
    if evaluation.holdout.is_some() {
        sections.push(("holdout", "Held-out runs"));
    }
    if evaluation.looked_at.positives.is_some() {
        sections.extend([("missed", "Missed runs"), ("false-alarms", "False alarms")]);
    }
    sections
}

fn head(out: &mut String, evaluation: &EvalReport) {
    let runs =
        format!("{} runs, {} steps", grouped(evaluation.looked_at.runs), grouped(evaluation.looked_at.steps));
    let _ = match (&evaluation.looked_at.positive, evaluation.looked_at.positives) {
        (Some(positive), Some(positives)) => {
            writeln!(
                out,
                "<p>{runs}: {} positive (<code>{}</code>)</p>",
                grouped(positives),
                escape(positive)
            )
        }
        _ => writeln!(out, "<p>{runs}, no labels</p>"),
    };
    if let Some(only) = &evaluation.looked_at.only {
        let _ = writeln!(out, "<p>Only runs with <code>{}</code>.</p>", escape(only));
    }
    if let Some(part) = &evaluation.part {
        let _ = writeln!(out, "<p>Part of the split: <code>{}</code>.</p>", escape(part));
    }
    let left_out = super::text::left_out(&evaluation.left_out);
    if !left_out.is_empty() {
        let _ = writeln!(out, "<p class=\"dim\">Left out: {}.</p>", escape(&left_out));
    }
}

fn level(level: VerdictName) -> String {
    format!("<span class=\"{0}\">{0}</span>", level.as_str())
}

fn share(share: Option<ShareEstimate>) -> String {
    share.map_or("–".to_owned(), |share| number::share(&share, "–"))
}

fn scored(level_name: VerdictName, scores: &SignalScores) -> Vec<String> {
    let mut cells = vec![level(level_name)];
    match &scores.counts {
        Some(counts) => {
            cells.extend([counts.tp, counts.fp, counts.missed, counts.tn].map(grouped));
            cells.extend([share(scores.precision), share(scores.recall)]);
            cells.push(scores.f1.map_or("–".to_owned(), |f1| format!("{f1:.2}")));
        }
        None => cells.push(grouped(scores.signals)),
    }
    cells.push(scores.mean_first_step.map_or("–".to_owned(), |step| format!("{step:.0}")));
    cells
}

fn signals(out: &mut String, evaluation: &EvalReport) {
    let labelled: &[&str] =
        &["", "level", "tp", "fp", "fn", "tn", "precision (95 %)", "recall (95 %)", "F1", "step"];
    let columns =
        if evaluation.looked_at.positives.is_some() { labelled } else { &["", "level", "signals", "step"] };
    let text = "All detectors together, and other rules on the same runs. The 95 % Wilson interval is in parentheses.";
    section(out, "signals", "Signals", text, columns);
    for judge in &evaluation.judges {
        for level in &judge.levels {
            row(out, judge.name, &scored(level.level, &level.all));
        }
    }
    *out += END;
    let levels = evaluation.judges.first().map_or(&[][..], |judge| &judge.levels);
    if levels.iter().all(|level| level.detectors.is_empty()) {
        return;
    }
    let text = "Each detector alone, as if only its findings counted.";
    section(out, "detectors", "By detector", text, columns);
    for level in levels {
        for detector in &level.detectors {
            row(out, detector.detector.as_str(), &scored(level.level, &detector.scores));
        }
    }
    *out += END;
}

fn savings(out: &mut String, evaluation: &EvalReport) {
    let text = "Steps saved by ending runs, and the number of runs that made progress after that.";
    let columns = ["", "runs ended", "steps saved", "share", "progress lost", "unknown"];
    section(out, "savings", "Savings", text, &columns);
    for JudgeResult { name, savings, .. } in &evaluation.judges {
        let cells = [
            grouped(savings.ended),
            grouped(savings.steps),
            format!("{} %", percent(savings.steps, evaluation.looked_at.steps)),
            grouped(savings.progress_destroyed),
            grouped(savings.progress_unknown),
        ];
        row(out, name, &cells);
    }
    *out += END;
}

fn after_warning(out: &mut String, evaluation: &EvalReport) {
    let text = "Loops after their first warning, which the agents did not see in the replay. A loop that continued was \
                a real one.";
    let columns = ["", "loops", "continued", "stopped", "run ended", "share continued (95 %)"];
    section(out, "after", "After the warnings", text, &columns);
    let cells = |all: &EffectShare| {
        let effects = &all.effects;
        let counts =
            [effects.totals().0, effects.went_on, effects.changed_course, effects.ended].map(grouped);
        counts.into_iter().chain([share(all.went_on_share)]).collect::<Vec<_>>()
    };
    for (index, judge) in evaluation.judges.iter().enumerate() {
        let Some(after) = &judge.after_warning else { continue };
        row(out, judge.name, &cells(&after.all));
        for detector in after.detectors.iter().filter(|_| index == 0) {
            row(out, &format!("{}: {}", judge.name, detector.detector), &cells(&detector.all));
        }
    }
    *out += END;
}

fn list(out: &mut String, id: &str, title: &str, meaning: &str, runs: &[MisjudgedRun]) {
    if runs.is_empty() {
        return;
    }
    let title = format!("{title} ({})", grouped(runs.len() as u64));
    section(out, id, &title, meaning, &["run", "verdict", "steps", "first findings", "show it step by step"]);
    for run in runs {
        let findings: Vec<String> = run
            .findings
            .iter()
            .map(|found| format!("turn {} {} {}", found.turn, found.detector, found.pattern))
            .collect();
        let _ = writeln!(
            out,
            "<tr><td class=\"wrap\">{}</td><td>{}</td><td>{}</td><td class=\"wrap text\">{}</td>\
             <td class=\"wrap text\"><code>{}</code></td></tr>",
            escape(&run.run),
            level(run.verdict),
            grouped(run.steps),
            escape(&findings.join(", ")),
            escape(&run.explain)
        );
    }
    *out += END;
}
