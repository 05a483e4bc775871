//! Test results for build servers: one suite per source, one case per run, and a failure if Loopbreak would
//! have intervened.

use std::fmt::Write as _;
use std::io::{self, Write};

use loopbreak::{Finding, Intervention, Severity, step::EpochMillis};

use super::verdict_reason::VerdictReason;
use super::xml::{attribute, content};
use crate::mode_note::mode_note;
use crate::unread_items::unread_items;
use loopbreak_analysis::{Report, RunReport, SeriesReport, VerdictName};

/// Maximum number of interventions per run. Build servers keep results in memory.
const TOLD: usize = 40;

/// Writes the report as test results in XML.
pub fn junit(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    // A suite has the counts of its cases before the cases, so the runs are visited twice.
    let mut suites: Vec<JunitSuite> = Vec::new();
    report.runs.each(&mut |run| {
        // Runs of one source follow each other.
        match suites.last_mut().filter(|suite| suite.source == run.source) {
            Some(suite) => suite.add(run),
            None => suites.push(JunitSuite::begun_with(run)),
        }
        Ok(())
    })?;
    let mut text = String::new();
    head(&mut text, report, &suites);
    let (mut rest, mut left) = (suites.iter(), 0);
    report.runs.each(&mut |run| {
        if left == 0
            && let Some(suite) = rest.next()
        {
            suite.begin(&mut text);
            left = suite.tests;
        }
        case(&mut text, run);
        left -= 1;
        if left == 0 {
            text.push_str("  </testsuite>\n");
        }
        out.write_all(text.as_bytes())?;
        text.clear();
        Ok(())
    })?;
    tail(&mut text, report);
    out.write_all(text.as_bytes())
}

fn head(out: &mut String, report: &Report, suites: &[JunitSuite]) {
    let failures = suites.iter().map(|suite| suite.failures).sum::<usize>() + series_failed(report);
    *out += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"loopbreak\"";
    let skipped = caveats(report).len();
    counts(out, report.runs.len() + report.series.len() + skipped, failures, skipped);
    attribute(out, "time", &seconds(suites.iter().map(|suite| suite.lasted).sum()));
    *out += ">\n";
}

fn series_failed(report: &Report) -> usize {
    report
        .series
        .iter()
        .filter(|series| VerdictName::from_findings(&series.findings) == VerdictName::Stop)
        .count()
}

fn tail(out: &mut String, report: &Report) {
    if !report.series.is_empty() {
        *out += "  <testsuite name=\"series\"";
        counts(out, report.series.len(), series_failed(report), 0);
        *out += " time=\"0.000\">\n";
        report.series.iter().for_each(|series| series_case(out, series));
        *out += "  </testsuite>\n";
    }
    for (name, message) in caveats(report) {
        *out += "  <testsuite";
        attribute(out, "name", name);
        counts(out, 1, 0, 1);
        *out += " time=\"0.000\">\n    <testcase";
        attribute(out, "name", name);
        *out += " classname=\"logs\" time=\"0.000\">\n      <skipped";
        attribute(out, "message", &message);
        *out += "/>\n    </testcase>\n  </testsuite>\n";
    }
    *out += "</testsuites>\n";
}

/// Returns what the results cannot say, each as the name and the message of a skipped test.
fn caveats(report: &Report) -> Vec<(&'static str, String)> {
    let unread = unread_items(report.totals.unread_items).map(|unread| ("unread items", unread));
    let mode = mode_note(report.mode).map(|note| ("mode", note.to_owned()));
    unread.into_iter().chain(mode).collect()
}

fn counts(out: &mut String, tests: usize, failures: usize, skipped: usize) {
    _ = write!(out, " tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\"");
}

/// Returns the duration of a run in milliseconds; 0 if its log has no times.
fn lasted(run: &RunReport) -> u64 {
    run.started.zip(run.ended).map_or(0, |(first, last)| last.saturating_sub(first).max(0).unsigned_abs())
}

fn seconds(millis: u64) -> String {
    format!("{}.{:03}", millis / 1000, millis % 1000)
}

/// The runs of one source.
#[derive(Default)]
struct JunitSuite {
    source: String,
    tests: usize,
    failures: usize,
    lasted: u64,
    began: Option<i64>,
}

impl JunitSuite {
    fn begun_with(run: &RunReport) -> Self {
        let mut suite = JunitSuite { source: run.source.clone(), ..JunitSuite::default() };
        suite.add(run);
        suite
    }

    fn add(&mut self, run: &RunReport) {
        self.tests += 1;
        self.failures += usize::from(run.verdict == VerdictName::Stop);
        self.lasted += lasted(run);
        self.began = self.began.into_iter().chain(run.started).min();
    }

    fn begin(&self, out: &mut String) {
        out.push_str("  <testsuite");
        attribute(out, "name", &self.source);
        counts(out, self.tests, self.failures, 0);
        attribute(out, "time", &seconds(self.lasted));
        if let Some(began) = self.began.and_then(|at| EpochMillis(at).rfc3339()) {
            // Without fractions and zone, as in the schema of the build servers.
            attribute(out, "timestamp", &began[..19]);
        }
        out.push_str(">\n");
    }
}

fn case(out: &mut String, run: &RunReport) {
    out.push_str("    <testcase");
    attribute(out, "name", &run.run);
    attribute(out, "classname", &run.source);
    attribute(out, "time", &seconds(lasted(run)));
    let Some(why) = VerdictReason::from_run(run) else {
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

/// Returns the interventions in a run, and what they save and cost.
fn details(run: &RunReport) -> String {
    let mut lines = String::new();
    let told = |intervention: Intervention| intervention != Intervention::Hint;
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
            None => "the log has no progress signal",
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
    let worst = |finding: &&Finding| finding.enforced && finding.severity == Severity::Hard;
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
