//! Healthy work: sessions of Claude Code, and customer service.

use std::collections::HashMap;
use std::path::PathBuf;

use super::eval_figures::{EvalFigures, JudgeFigures};
use super::first_measurement::first_measurement;
use super::page_parts::PagePart;
use super::part_table::{PartRow, part_table};
use super::replayed_run::{ReplayedRun, TurnFinding};
use super::sample_folder::SampleFolder;
use super::share::counted;
use crate::chore_failure::ChoreFailure;

/// The folders of sessions below `raw/`, which are also the names of their sets.
const FOLDERS: [&str; 2] = ["claude-code", "claude-code-sessions"];

/// Measures the sessions of Claude Code. A log counts once, however many runs it has.
pub(super) fn sessions(samples: &SampleFolder, parts: &[&str]) -> Result<Vec<PagePart>, ChoreFailure> {
    let mut read = Vec::new();
    for set in FOLDERS {
        read.push((set, by_file(samples.analyze(&[samples.path(&format!("raw/{set}"))])?)));
    }
    let (mut columns, mut list) = (Vec::new(), String::new());
    for part in parts {
        let mut rows: Vec<PartRow> = Vec::new();
        for (set, files) in &read {
            let names = samples.split().names(part, set);
            let meant: Vec<(&str, &[ReplayedRun])> =
                names.iter().filter_map(|name| Some((*name, files.get(*name)?.as_slice()))).collect();
            rows.extend(rows_of(set, names.len(), &meant));
            for (name, runs) in meant {
                list += &listed(part, name, runs);
            }
        }
        let paths: Vec<PathBuf> = FOLDERS.iter().map(|set| samples.path(&format!("raw/{set}"))).collect();
        rows.extend(rule_rows(&samples.eval(&paths, &samples.part_arguments(part))?));
        columns.push(rows);
    }
    let table = part_table("healthy sessions", parts, &columns, |row| first_measurement("sessions", row));
    if list.is_empty() {
        list.push_str("None.\n");
    }
    Ok(vec![PagePart { name: "sessions", text: table }, PagePart { name: "sessions warned", text: list }])
}

/// Measures customer service.
pub(super) fn taubench(samples: &SampleFolder, parts: &[&str]) -> Result<Vec<PagePart>, ChoreFailure> {
    let mut columns = Vec::new();
    for part in parts {
        let found = samples.eval(&[samples.steps("taubench")], &samples.part_arguments(part))?;
        columns.push(signal_rows(&found));
    }
    let text = part_table("runs with a signal", parts, &columns, |row| first_measurement("taubench", row));
    Ok(vec![PagePart { name: "taubench", text }])
}

/// Returns a row for each level of each judge: runs with a signal.
pub(super) fn signal_rows(found: &EvalFigures) -> Vec<PartRow> {
    let levels = found.judges.iter().flat_map(JudgeFigures::titled_levels);
    levels.map(|(title, level)| (title, counted(level.signals, found.runs))).collect()
}

/// Returns the rows of the rules to compare with.
fn rule_rows(found: &EvalFigures) -> Vec<PartRow> {
    signal_rows(found).into_iter().filter(|(title, _)| !title.starts_with("Loopbreak")).collect()
}

fn by_file(runs: Vec<ReplayedRun>) -> HashMap<String, Vec<ReplayedRun>> {
    let mut files: HashMap<String, Vec<ReplayedRun>> = HashMap::new();
    for run in runs {
        let name = run.source.file_name().unwrap_or_default().to_string_lossy().into_owned();
        files.entry(name).or_default().push(run);
    }
    files
}

fn rows_of(set: &str, logs: usize, read: &[(&str, &[ReplayedRun])]) -> Vec<PartRow> {
    let with = |holds: fn(&ReplayedRun) -> bool| {
        read.iter().filter(|(_, runs)| runs.iter().any(holds)).count() as u64
    };
    let whole = read.len() as u64;
    [
        ("logs", logs.to_string()),
        ("logs with steps", whole.to_string()),
        ("warned", counted(with(ReplayedRun::is_warned), whole)),
        ("intervened", counted(with(ReplayedRun::is_stopped), whole)),
    ]
    .map(|(name, cell)| (format!("`{set}`: {name}"), cell))
    .into()
}

/// Lists the findings of a log. Texts of findings are left out: they quote private paths.
fn listed(part: &str, name: &str, runs: &[ReplayedRun]) -> String {
    let findings = runs.iter().flat_map(|run| &run.findings).filter(|finding| finding.is_signal());
    let texts: Vec<String> = findings.map(TurnFinding::text).collect();
    if texts.is_empty() { String::new() } else { format!("- {part}, `{name}`: {}\n", texts.join("; ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(source: &str, verdict: &str, stop: &str) -> ReplayedRun {
        let finding = r#"{"turn":3,"detector":"errors","pattern":"p","severity":"warn","acted":true}"#;
        let findings = if verdict == "clear" { "" } else { finding };
        let json = format!(
            r#"{{"run":"r","source":"{source}","steps":9,"verdict":"{verdict}","first_warning":null,"first_stop":{stop},
                "ending":null,"progress_after_ending":null,"findings":[{findings}]}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    #[test]
    fn a_log_with_several_runs_counts_once() {
        let stop = r#"{"turn":8,"detector":"cycle","pattern":"exact"}"#;
        let files = by_file(vec![
            run("x/a.jsonl", "warn", "null"),
            run("x/a.jsonl", "stop", stop),
            run("x/b.jsonl", "clear", "null"),
        ]);
        let read: Vec<(&str, &[ReplayedRun])> =
            ["a.jsonl", "b.jsonl"].map(|name| (name, files[name].as_slice())).into();
        let cells: Vec<String> = rows_of("x", 3, &read).into_iter().map(|(_, cell)| cell).collect();
        assert_eq!(cells, ["3", "2", "1 of 2, 50 % (9–91)", "1 of 2, 50 % (9–91)"]);
        let list = listed("look", "a.jsonl", &files["a.jsonl"]);
        assert_eq!(list, "- look, `a.jsonl`: turn 3, `errors`: p; turn 3, `errors`: p\n");
        assert_eq!(listed("look", "b.jsonl", &files["b.jsonl"]), "");
    }
}
