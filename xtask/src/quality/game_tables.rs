//! Games that models play, and games that are won.

use std::fmt::Write as _;
use std::path::Path;

use super::eval_figures::{EvalFigures, JudgeFigures, SavingFigures};
use super::first_measurement::{WALKTHROUGHS, WALKTHROUGHS_ENDED, first_measurement};
use super::page_parts::PagePart;
use super::part_table::{PartRow, part_table};
use super::sample_folder::SampleFolder;
use super::saving_counts::SavingCounts;
use super::session_tables::signal_rows;
use super::share::counted;
use crate::chore_failure::ChoreFailure;

const SET: &str = "adventureai";

/// Measures the games of models.
pub(super) fn games(samples: &SampleFolder, parts: &[&str]) -> Result<Vec<PagePart>, ChoreFailure> {
    let (mut columns, mut list) = (Vec::new(), String::new());
    for part in parts {
        let found = samples.eval(&[samples.steps(SET)], &samples.part_arguments(part))?;
        let own = signal_rows(&found).into_iter().filter(|(title, _)| title.starts_with("Loopbreak"));
        columns.push(own.chain(found.judges.iter().map(|judge| saving_row(judge, &found))).collect());
        for run in samples.analyze_part(SET, part)? {
            if let Some(ending) = run.ending.filter(|_| run.progress_after_ending == Some(true)) {
                _ = writeln!(
                    list,
                    "- {part}: `{}`, {} steps, ended at {}",
                    run.run,
                    run.steps,
                    ending.text()
                );
            }
        }
    }
    let text = part_table("games of models", parts, &columns, |row| first_measurement("games", row));
    if list.is_empty() {
        list.push_str("None.\n");
    }
    Ok(vec![PagePart { name: "games", text }, PagePart { name: "games cut off", text: list }])
}

/// Returns the row of a judge.
fn saving_row(judge: &JudgeFigures, found: &EvalFigures) -> PartRow {
    let SavingFigures { ended, steps: saved, progress_destroyed: lost } = judge.savings;
    (judge_name(judge), SavingCounts { runs: found.runs, steps: found.steps, ended, saved, lost }.cell())
}

fn judge_name(judge: &JudgeFigures) -> String {
    if judge.name == "loopbreak" { "Loopbreak".to_owned() } else { format!("`{}`", judge.name) }
}

/// Measures the games that are won. No run should be ended.
pub(super) fn walkthroughs(samples: &SampleFolder, file: &Path) -> Result<Vec<PagePart>, ChoreFailure> {
    let without_places = samples.convert(file, "no-places", |step| {
        if let Some(step) = step.as_object_mut() {
            step.remove("place");
        }
    })?;
    let known = samples.eval(&[file.to_owned()], &[])?;
    let unknown = samples.eval(&[without_places], &[])?;
    let text = won_table(&known, &unknown);
    Ok(vec![PagePart { name: "walkthroughs", text }])
}

fn won_table(known: &EvalFigures, unknown: &EvalFigures) -> String {
    let mut out = format!(
        "| {} won games, {} steps | ended, places known | ended, places not known |\n|---|---|---|\n",
        known.runs, known.steps
    );
    for (judge, other) in known.judges.iter().zip(&unknown.judges) {
        let name = judge_name(judge);
        let cells =
            [(judge, known), (other, unknown)].map(|(judge, of)| counted(judge.savings.ended, of.runs));
        _ = writeln!(out, "| {name} | {} | {} |", cells[0], cells[1]);
        if judge.name == "loopbreak" {
            let first = WALKTHROUGHS_ENDED.map(|ended| counted(ended, WALKTHROUGHS));
            _ = writeln!(out, "| Loopbreak, first measurement | {} | {} |", first[0], first[1]);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(ended: u64) -> EvalFigures {
        let json = format!(
            r#"{{"runs":4,"steps":90,"missed":[],"false_alarms":[],"judges":[{{"name":"loopbreak","levels":[],
                "savings":{{"ended":{ended},"steps":9,"progress_destroyed":1}}}}]}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    #[test]
    fn won_games_are_counted_with_places_and_without() {
        let table = won_table(&found(0), &found(1));
        assert!(table.starts_with("| 4 won games, 90 steps | ended, places known |"), "{table}");
        assert!(table.contains("| Loopbreak | 0 of 4, 0 % (0–49) | 1 of 4, 25 % (5–70) |"), "{table}");
    }
}
