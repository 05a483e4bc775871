//! Logs that `watch` follows.

use std::fmt::Write as _;

use crate::attack::attack_lab::AttackLab;
use crate::attack::attack_rows::AttackRows;
use crate::chore_failure::ChoreFailure;

/// Limit of open files of `watch`.
const OPEN_FILES: u32 = 256;

/// Returns a log with a loop.
fn looping_log(run: &str, steps: usize) -> String {
    let mut log = String::new();
    for _ in 0..steps {
        // Writing to a text cannot fail.
        _ = writeln!(log, "{{\"run\":\"{run}\",\"action\":\"x\",\"outcome\":\"same\",\"score\":0}}");
    }
    log
}

/// F17: a run whose name is longer than an argument may be.
pub(super) fn long_run_name(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    let home = lab.home()?;
    for (file, run) in [("short", "short".to_owned()), ("long", "x".repeat(140_000))] {
        home.write(&format!("project/{file}.jsonl"), looping_log(&run, 60))?;
    }
    let watch = home.loopbreak("watch short.jsonl long.jsonl --once --from-start --exec");
    let end = watch.args(["sh -c 'echo stopped >> acted'"]).run()?;
    let acted = home.read("project/acted").lines().count();
    rows.judge(
        "`watch --exec` on a run with a name of 140,000 bytes",
        acted == 2,
        format_args!("{}; {acted} of 2 runs acted on", end.describe()),
    );
    Ok(())
}

/// F21: more logs than files may be open.
pub(super) fn many_logs(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    let home = lab.home()?;
    let logs = lab.size(3000, 600);
    for number in 0..logs {
        home.write(&format!("project/logs/f{number}.jsonl"), looping_log(&format!("r{number}"), 4))?;
    }
    let watch = home.loopbreak("watch logs --once --from-start --json").open_files(OPEN_FILES);
    let end = watch.run()?;
    let runs: std::collections::BTreeSet<&str> =
        end.out.lines().filter_map(|line| line.split("\"run\":\"").nth(1)?.split('"').next()).collect();
    rows.judge(
        "`watch` with more logs than it may open files",
        end.code() == Some(0) && runs.len() == logs,
        format_args!("{} of {logs} looping runs reported with {OPEN_FILES} open files", runs.len()),
    );
    Ok(())
}
