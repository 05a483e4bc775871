//! Sets that say little about right and wrong: shown for information.

use serde_json::Value;

use super::first_measurement::first_measurement;
use super::page_parts::PagePart;
use super::part_table::{PartRow, part_table};
use super::replayed_run::ReplayedRun;
use super::sample_folder::SampleFolder;
use super::share::counted;
use crate::chore_failure::ChoreFailure;

const SETS: [&str; 5] = ["codecop_zork", "zorkgpt", "intercode", "reflexion", "whowhen"];

/// Measures the other sets.
pub(super) fn others(samples: &SampleFolder, parts: &[&str]) -> Result<Vec<PagePart>, ChoreFailure> {
    let mut columns = vec![Vec::new(); parts.len()];
    for set in SETS {
        let labels = samples.labels(set)?;
        let succeeds =
            |run: &str| labels.get(run).and_then(|labels| labels.get("success")) == Some(&Value::Bool(true));
        let some_succeed = labels.keys().any(|run| succeeds(run));
        for (part, rows) in parts.iter().zip(&mut columns) {
            let runs = samples.analyze_part(set, part)?;
            let mut runs: Vec<&ReplayedRun> = runs.iter().collect();
            rows.extend(set_rows(&format!("`{set}`"), &runs));
            if some_succeed {
                runs.retain(|run| succeeds(&run.run));
                rows.extend(set_rows(&format!("`{set}`, successful runs"), &runs));
            }
        }
    }
    let text = part_table("other runs", parts, &columns, |row| first_measurement("other", row));
    Ok(vec![PagePart { name: "other", text }])
}

/// Returns the rows of runs: how many are warned about, and in how many Loopbreak intervenes.
fn set_rows(title: &str, runs: &[&ReplayedRun]) -> [PartRow; 2] {
    let whole = runs.len() as u64;
    let count = |holds: fn(&ReplayedRun) -> bool| runs.iter().filter(|run| holds(run)).count() as u64;
    [("warned", count(ReplayedRun::is_warned)), ("intervened", count(ReplayedRun::is_stopped))]
        .map(|(what, number)| (format!("{title}: {what}"), counted(number, whole)))
}
