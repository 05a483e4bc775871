//! Web agents: the same runs in three spellings.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::Value;

use super::action_spelling::ActionSpelling;
use super::eval_figures::JudgeFigures;
use super::first_measurement::first_measurement;
use super::page_parts::PagePart;
use super::part_table::{PartRow, part_table};
use super::repeated_action::most_repeated;
use super::replayed_run::ReplayedRun;
use super::sample_folder::{SampleFolder, json_lines};
use super::share::counted;
use crate::chore_failure::ChoreFailure;

const SET: &str = "agentrewardbench";
const POSITIVE: &str = "labels.looping";

/// The runs in one spelling.
struct SpelledRuns {
    spelling: ActionSpelling,
    file: PathBuf,
    runs: Vec<ReplayedRun>,
}

/// Measures the web agents.
pub(super) fn web_agents(samples: &SampleFolder, parts: &[&str]) -> Result<Vec<PagePart>, ChoreFailure> {
    let mut spellings = Vec::new();
    for spelling in ActionSpelling::ALL {
        let logged = samples.steps(SET);
        let file = match spelling {
            ActionSpelling::Inline => logged,
            _ => samples.convert(&logged, spelling.as_str(), |step| spelling.spell(step))?,
        };
        let runs = samples.analyze(std::slice::from_ref(&file))?;
        spellings.push(SpelledRuns { spelling, file, runs });
    }
    let mut columns = Vec::new();
    for part in parts {
        columns.push(rows(samples, part, &spellings)?);
    }
    let title = "found / false / missed";
    let table = part_table(title, parts, &columns, |row| first_measurement("web", row));
    let stopped = stopped_list(samples, parts, &spellings)?;
    Ok(vec![
        PagePart { name: "web agents", text: table },
        PagePart { name: "web agents stopped", text: stopped },
    ])
}

fn rows(samples: &SampleFolder, part: &str, spellings: &[SpelledRuns]) -> Result<Vec<PartRow>, ChoreFailure> {
    let (mut rows, mut rules): (Vec<PartRow>, Vec<PartRow>) = (Vec::new(), Vec::new());
    let arguments = samples.labelled_arguments(SET, part, POSITIVE);
    for spelled in spellings {
        let found = samples.eval(std::slice::from_ref(&spelled.file), &arguments)?;
        for (title, level) in found.judges.iter().flat_map(JudgeFigures::titled_levels) {
            let cell = level.scores().cell();
            if let Some(verb) = title.strip_prefix("Loopbreak ") {
                rows.push((format!("{}: {verb}", spelled.spelling.title()), cell));
            } else if spelled.spelling == ActionSpelling::Inline {
                rules.push((title, cell));
            }
        }
    }
    let [logged, others @ ..] = spellings else { return Ok(rows) };
    for other in others {
        let (differ, whole) =
            differing(&logged.runs, &other.runs, |run| samples.split().is_in(part, SET, run));
        rows.push((format!("judged otherwise as {}", other.spelling.title()), counted(differ, whole)));
    }
    rows.extend(rules);
    Ok(rows)
}

/// Counts the runs whose verdict, first warning or first intervention differs, and all runs that are meant.
fn differing(one: &[ReplayedRun], other: &[ReplayedRun], meant: impl Fn(&str) -> bool) -> (u64, u64) {
    let other: HashMap<&str, &ReplayedRun> = other.iter().map(|run| (run.run.as_str(), run)).collect();
    let (mut differ, mut whole) = (0, 0);
    for run in one.iter().filter(|run| meant(&run.run)) {
        whole += 1;
        let same = other.get(run.run.as_str()).is_some_and(|other| other.judgement() == run.judgement());
        differ += u64::from(!same);
    }
    (differ, whole)
}

/// Lists the runs with an intervention that people did not label as looping, with what repeats up to then.
fn stopped_list(
    samples: &SampleFolder,
    parts: &[&str],
    spellings: &[SpelledRuns],
) -> Result<String, ChoreFailure> {
    let labels = samples.labels(SET)?;
    let mut steps: HashMap<String, Vec<Value>> = HashMap::new();
    for step in json_lines(&samples.steps(SET))? {
        let run = step.get("run").and_then(Value::as_str).unwrap_or_default().to_owned();
        steps.entry(run).or_default().push(step);
    }
    let mut out =
        "| part | run | stopped | most repeated action until then |\n|---|---|---|---|\n".to_owned();
    for part in parts {
        for run in spellings.first().into_iter().flat_map(|logged| &logged.runs) {
            let is_negative = labels.get(&run.run).is_some_and(|labels| labels["labels"]["looping"] == false);
            if !is_negative || !samples.split().is_in(part, SET, &run.run) {
                continue;
            }
            let Some(stop) = &run.first_stop else { continue };
            let before = steps.get(&run.run).into_iter().flatten().take(stop.turn as usize);
            let repeated = most_repeated(before)
                .map_or_else(String::new, |most| format!("{} of {}: `{}`", most.times, most.of, most.action));
            let name = run.run.replace('|', " ");
            _ = writeln!(out, "| {part} | {name} | {} | {repeated} |", stop.text());
        }
    }
    Ok(format!(
        "<details>\n<summary>Runs with an intervention that people did not label</summary>\n\n{out}\n</details>\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(name: &str, warning: u64) -> ReplayedRun {
        let json = format!(
            r#"{{"run":"{name}","source":"a.jsonl","steps":9,"verdict":"warn","first_stop":null,"ending":null,
                "first_warning":{{"turn":{warning},"detector":"cycle","pattern":"exact"}},
                "progress_after_ending":null,"findings":[]}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    #[test]
    fn runs_that_are_judged_otherwise_are_counted() {
        let logged = [run("a", 4), run("b", 4), run("c", 4), run("d", 4)];
        let spelled = [run("b", 5), run("a", 4), run("d", 9)];
        // b has another turn and c is missing; d is not meant.
        assert_eq!(differing(&logged, &spelled, |name| name != "d"), (2, 3));
    }
}
