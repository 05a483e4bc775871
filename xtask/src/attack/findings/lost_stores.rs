//! Stores that are removed, damaged or emptied by a wrong clock.

use std::fs;

use serde_json::json;

use crate::attack::attack_lab::{AttackHome, AttackLab, is_refusal};
use crate::attack::attack_rows::AttackRows;
use crate::attack::mcp_dialog::McpDialog;
use crate::chore_failure::ChoreFailure;
use crate::trial::{CLOCK_OFFSET, compile_clock_shim};

/// Iterations of `run`, and the one in which the store is removed.
const ITERATIONS: u32 = 14;
/// Seconds that the clock is ahead.
const AHEAD: i64 = 40 * 86_400;
const SESSIONS: usize = 20;

/// F12: the store is removed while a server and `run` use it.
pub(super) fn removed(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    let home = lab.home()?;
    let mut dialog = McpDialog::initialized(&home)?;
    let step = json!({"run": "x", "action": "a", "outcome": "1"});
    dialog.call("record_step", &step)?;
    remove_store(&home)?;
    let answer = dialog.call("record_step", &step)?;
    let status = home.loopbreak("status --all").run()?;
    let has_run = status.out.lines().any(|line| line.starts_with("x "));
    let is_error = answer.contains("\"isError\":true");
    rows.judge(
        "the store is removed while an MCP server uses it",
        has_run || is_error,
        format_args!(
            "the next step is {}, and `status` {} the run",
            if is_error { "refused" } else { "acknowledged" },
            if has_run { "shows" } else { "does not show" }
        ),
    );
    drop(dialog);
    let home = lab.home()?;
    let script = "echo >> ../count; echo it $(wc -l < ../count); [ $(wc -l < ../count) = 7 ] && rm -rf \"$XDG_STATE_HOME/loopbreak\"; exit 0";
    home.write("project/it.sh", script)?;
    let line = format!("run --prompt x --max-iterations {ITERATIONS} --set stagnation.mode=off -- sh it.sh");
    let end = home.loopbreak(&line).run()?;
    let iterations = home.read("count").lines().count();
    let status = home.loopbreak("status --all").run()?;
    let resumed = home.loopbreak(&line.replace("run ", "run --resume ")).run()?;
    let more = home.read("count").lines().count() - iterations;
    rows.judge(
        "the store is removed in the middle of `run`, which is then resumed",
        end.code() == Some(11) && iterations == ITERATIONS as usize && !status.out.contains("no runs") && more == 0,
        format_args!(
            "ended by its limit after {iterations} of {ITERATIONS} iterations ({}); `--resume` made {more} more ({})",
            end.describe(),
            resumed.describe()
        ),
    );
    Ok(())
}

fn remove_store(home: &AttackHome<'_>) -> Result<(), ChoreFailure> {
    fs::remove_dir_all(home.home.state().join("loopbreak"))
        .map_err(|error| ChoreFailure::io("remove the store", &error))
}

/// F13: stores that are damaged in their logic. `cargo xtask faults --only logic` has many more.
pub(super) fn damaged(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    let damages = [
        ("rows of `migrations` deleted", "DELETE FROM migrations"),
        ("table `events` gone", "DROP TABLE events"),
        (
            "a planted trigger",
            "CREATE TRIGGER t BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'no'); END",
        ),
        ("a state that is a blob", "UPDATE guards SET state = x'00ff00ff'"),
        ("a snapshot of a later version", "UPDATE guards SET state = json_set(state, '$.guard.version', 99)"),
        ("a schema format of the future, by one byte", ""),
    ];
    let (mut refused, mut silent, mut bad) = (0, Vec::new(), Vec::new());
    for (name, sql) in damages {
        let home = lab.home()?;
        for session in ["session", "other"] {
            home.step(session, "PostToolUse")?;
        }
        let changed = |reason: String| ChoreFailure::Failed(format!("{name}: {reason}"));
        if sql.is_empty() {
            home.home.sql("PRAGMA wal_checkpoint(TRUNCATE)").map_err(changed)?;
            let failed = |error: std::io::Error| ChoreFailure::io("change the format of a store", &error);
            let mut bytes = fs::read(home.home.store()).map_err(failed)?;
            bytes[47] = 9;
            fs::write(home.home.store(), bytes).map_err(failed)?;
        } else {
            home.home.sql(sql).map_err(changed)?;
        }
        let mut said = String::new();
        for _ in 0..9 {
            let end = home.step("session", "PostToolUse")?;
            said += &end.err;
            said += &end.out;
        }
        if is_refusal(&home.step("session", "PreToolUse")?) {
            refused += 1;
        } else {
            bad.push(name);
        }
        if !said.contains("systemMessage") && !said.contains("loopbreak") {
            silent.push(name);
        }
    }
    rows.judge(
        "six damages to tables, rows and one byte of the store",
        bad.is_empty() && silent.is_empty(),
        format_args!(
            "the guard works again after {refused} of {}; still off: {bad:?}; nobody told: {silent:?}",
            damages.len()
        ),
    );
    Ok(())
}

/// F14: one hook with a clock that is 40 days ahead.
pub(super) fn wrong_clock(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    let home = lab.home()?;
    let shim = compile_clock_shim(home.home.path())?;
    for number in 0..SESSIONS {
        home.step(&format!("live{number}"), "PostToolUse")?;
    }
    let running = |home: &AttackHome<'_>| -> Result<usize, ChoreFailure> {
        let status = home.loopbreak("status --all").run()?;
        Ok(status.out.lines().filter(|line| line.starts_with("live")).count())
    };
    let before = running(&home)?;
    let new = home.hook_command(&home.event("new", "PostToolUse"));
    let end = new.env("LD_PRELOAD", &shim).env(CLOCK_OFFSET, AHEAD.to_string()).run()?;
    home.step("live0", "PostToolUse")?;
    let after = running(&home)?;
    rows.judge(
        "a new session with a clock that is 40 days ahead",
        end.code() == Some(0) && before == SESSIONS && after == SESSIONS,
        format_args!("{before} sessions before, {after} after"),
    );
    Ok(())
}
