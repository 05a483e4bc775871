//! Coding agents with labelled repetitions, and traces with labelled resource abuse.

use std::fmt::Write as _;

use super::eval_figures::{EvalFigures, JudgeFigures, ReportedRun};
use super::first_measurement::first_measurement;
use super::page_parts::PagePart;
use super::part_table::part_table;
use super::sample_folder::SampleFolder;
use crate::chore_failure::ChoreFailure;

/// A labelled set and its question.
struct LabelledSet {
    set: &'static str,
    positive: &'static str,
    /// The name of the table, here and in the first measurement.
    table: &'static str,
    /// The name of the list of runs that were judged otherwise, if the page has one.
    list: Option<&'static str>,
}

const SETS: [LabelledSet; 3] = [
    LabelledSet {
        set: "llmagents_study",
        positive: "labels.repetition_pairs>=1",
        table: "coding 1",
        list: None,
    },
    LabelledSet {
        set: "llmagents_study",
        positive: "labels.repetition_pairs>=3",
        table: "coding 3",
        list: Some("coding 3 judged otherwise"),
    },
    LabelledSet {
        set: "trail",
        positive: "labels.resource_abuse",
        table: "trail",
        list: Some("trail judged otherwise"),
    },
];

/// Measures the labelled sets.
pub(super) fn labelled(samples: &SampleFolder, parts: &[&str]) -> Result<Vec<PagePart>, ChoreFailure> {
    let mut written = Vec::new();
    for LabelledSet { set, positive, table, list } in SETS {
        let (mut columns, mut lines) = (Vec::new(), String::new());
        for part in parts {
            let arguments = samples.labelled_arguments(set, part, positive);
            let found = samples.eval(&[samples.steps(set)], &arguments)?;
            let levels = found.judges.iter().flat_map(JudgeFigures::titled_levels);
            columns.push(levels.map(|(title, level)| (title, level.scores().cell())).collect());
            lines += &judged_otherwise(part, &found);
        }
        let first = |row: &str| first_measurement(table, row);
        let text = part_table("found / false / missed", parts, &columns, first);
        written.push(PagePart { name: table, text });
        written.extend(list.map(|name| PagePart { name, text: lines }));
    }
    Ok(written)
}

/// Lists the runs that were judged otherwise than by people.
fn judged_otherwise(part: &str, found: &EvalFigures) -> String {
    let mut out = String::new();
    let mut list = |what: &str, runs: &[ReportedRun]| {
        for run in runs {
            let texts = run
                .findings
                .iter()
                .map(|finding| format!("turn {} `{}`: {}", finding.turn, finding.detector, finding.pattern));
            let texts: Vec<String> = texts.collect();
            let found = if texts.is_empty() { String::new() } else { format!("; {}", texts.join("; ")) };
            _ = writeln!(out, "- {part}, {what}: `{}`, {} steps{found}", run.run, run.steps);
        }
    };
    list("missed", &found.missed);
    list("false", &found.false_alarms);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_judged_otherwise_are_listed_with_their_findings() {
        let json = r#"{"runs":2,"steps":9,"judges":[],
            "missed":[{"run":"a","steps":4,"findings":[]}],
            "false_alarms":[{"run":"b","steps":5,"findings":[{"turn":3,"detector":"cycle","pattern":"exact"}]}]}"#;
        let found = serde_json::from_str(json).unwrap();
        let expected = "- look, missed: `a`, 4 steps\n- look, false: `b`, 5 steps; turn 3 `cycle`: exact\n";
        assert_eq!(judged_otherwise("look", &found), expected);
    }
}
