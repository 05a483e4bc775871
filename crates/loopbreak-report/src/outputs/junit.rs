//! Test results for build servers: a suite a source, a case a run, a failure where Loopbreak would have stepped in.

use std::fmt::Write as _;

use loopbreak::{Finding, Intervention, Millis, Severity};

use super::why::Why;
use super::xml::{attribute, content};
use crate::json::{Report, RunReport, SeriesReport, VerdictName};

/// How many interventions of a run are told. Build servers keep results in memory.
const TOLD: usize = 40;

/// The report as test results in XML.
pub fn junit(report: &Report) -> String {
    let mut suites: Vec<(&str, Vec<&RunReport>)> = Vec::new();
    for run in &report.runs {
        // Runs of one source follow each other.
        match suites.last_mut().filter(|(source, _)| *source == run.source) {
            Some((_, runs)) => runs.push(run),
            None => suites.push((&run.source, vec![run])),
        }
    }
    let failed = |series: &&SeriesReport| VerdictName::of(&series.findings) == VerdictName::Stop;
    let series_failed = report.series.iter().filter(failed).count();
    let tests = report.runs.len() + report.series.len();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out += "<testsuites name=\"loopbreak\"";
    counts(&mut out, tests, stopped(report.runs.iter()) + series_failed);
    attribute(&mut out, "time", &seconds(report.runs.iter().map(lasted).sum()));
    out += ">\n";
    for (source, runs) in suites {
        suite(&mut out, source, &runs);
    }
    if !report.series.is_empty() {
        out += "  <testsuite name=\"series\"";
        counts(&mut out, report.series.len(), series_failed);
        out += " time=\"0.000\">\n";
        report.series.iter().for_each(|series| series_case(&mut out, series));
        out += "  </testsuite>\n";
    }
    out += "</testsuites>\n";
    out
}

fn counts(out: &mut String, tests: usize, failures: usize) {
    _ = write!(out, " tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\"");
}

fn stopped<'r>(runs: impl Iterator<Item = &'r RunReport>) -> usize {
    runs.filter(|run| run.verdict == VerdictName::Stop).count()
}

/// How long a run lasted, in milliseconds; 0 where its log tells no times.
fn lasted(run: &RunReport) -> u64 {
    run.started.zip(run.ended).map_or(0, |(first, last)| last.saturating_sub(first).max(0).unsigned_abs())
}

fn seconds(millis: u64) -> String {
    format!("{}.{:03}", millis / 1000, millis % 1000)
}

fn suite(out: &mut String, source: &str, runs: &[&RunReport]) {
    out.push_str("  <testsuite");
    attribute(out, "name", source);
    counts(out, runs.len(), stopped(runs.iter().copied()));
    attribute(out, "time", &seconds(runs.iter().map(|run| lasted(run)).sum()));
    if let Some(began) = runs.iter().filter_map(|run| run.started).min().and_then(|at| Millis(at).rfc3339()) {
        // Without fractions and zone, as the build servers' own schema has it.
        attribute(out, "timestamp", &began[..19]);
    }
    out.push_str(">\n");
    for run in runs {
        case(out, run);
    }
    out.push_str("  </testsuite>\n");
}

fn case(out: &mut String, run: &RunReport) {
    out.push_str("    <testcase");
    attribute(out, "name", &run.run);
    attribute(out, "classname", &run.source);
    attribute(out, "time", &seconds(lasted(run)));
    let Some(why) = Why::of(run) else {
        out.push_str("/>\n");
        return;
    };
    out.push_str(">\n");
    if run.verdict == VerdictName::Stop {
        out.push_str("      <failure");
        attribute(out, "message", &format!("turn {}: {}", why.turn, why.reason));
        attribute(out, "type", &format!("{}.{}", why.detector, why.pattern));
        out.push('>');
        content(out, &details(run));
        out.push_str("</failure>\n");
    } else {
        out.push_str("      <system-out>");
        content(out, &details(run));
        out.push_str("</system-out>\n");
    }
    out.push_str("    </testcase>\n");
}

/// What would have been done in a run, and what that saves and destroys.
fn details(run: &RunReport) -> String {
    let mut lines = String::new();
    let told = |intervention: Intervention| intervention >= Intervention::Warn;
    let acts: Vec<_> = run.interventions.iter().filter(|act| told(act.intervention)).collect();
    for act in acts.iter().take(TOLD) {
        let observed = if act.acted { "" } else { " (observed)" };
        _ = writeln!(
            lines,
            "turn {}: {}, {}: {}{observed}",
            act.turn,
            act.intervention.as_str(),
            act.detector,
            act.reason
        );
    }
    if acts.len() > TOLD {
        _ = writeln!(lines, "and {} more", acts.len() - TOLD);
    }
    if run.ending.is_some() {
        let destroys = match run.progress_after_ending {
            Some(true) => "progress was made after it",
            Some(false) => "no progress was made after it",
            None => "the log does not tell whether progress was made after it",
        };
        _ = writeln!(
            lines,
            "{} of {} steps came after the end; {destroys}",
            run.steps_after_ending, run.steps
        );
    }
    lines
}

fn series_case(out: &mut String, series: &SeriesReport) {
    out.push_str("    <testcase");
    attribute(out, "name", &series.key);
    attribute(out, "classname", "series");
    out.push_str(" time=\"0.000\"");
    let worst = |finding: &&Finding| finding.acted && finding.severity == Severity::Hard;
    let Some(finding) = series.findings.iter().find(worst) else {
        out.push_str("/>\n");
        return;
    };
    out.push_str(">\n      <failure");
    attribute(out, "message", &format!("{} after {} attempts", finding.pattern, series.attempts));
    attribute(out, "type", &format!("{}.{}", finding.detector, finding.pattern));
    out.push('>');
    content(out, &format!("runs: {}\n", series.runs.join(", ")));
    out.push_str("</failure>\n    </testcase>\n");
}
