//! Many hooks at once.

use std::fs;
use std::time::{Duration, Instant};

use super::random_damage::make_unreadable;
use crate::chore_failure::ChoreFailure;
use crate::faults::fault_lab::{FaultLab, repeat_if_late};
use crate::faults::fault_trial::{ExpectedEnd, FaultTrial};
use crate::faults::hook_process::{HookConditions, HookProcess};
use crate::faults::part_figures::PartFigures;

/// Number of steps in the store before.
const STEPS: usize = 3;
const SESSION: &str = "session";

pub(super) fn one_session(lab: &FaultLab) -> Result<PartFigures, ChoreFailure> {
    let used = lab.used_home(&[SESSION], STEPS)?;
    let mut figures = PartFigures::default();
    for steps in [STEPS, 0] {
        figures.add(repeat_if_late(|| {
            let home = if steps == 0 { lab.new_home()? } else { lab.copy_home(&used)? };
            let mut trial = FaultTrial::new(lab, "one session", home).knows(&[SESSION], steps);
            all_at_once(&mut trial, &vec![SESSION.to_owned(); lab.count(200, 20)])?;
            trial.next_hook_works(SESSION)?;
            trial.finish()
        })?);
    }
    Ok(figures)
}

pub(super) fn many_sessions(lab: &FaultLab) -> Result<PartFigures, ChoreFailure> {
    repeat_if_late(|| {
        let mut trial = FaultTrial::new(lab, "many sessions", lab.new_home()?);
        let sessions: Vec<String> =
            (0..lab.count(100, 10)).map(|number| format!("session-{number:03}")).collect();
        let five: Vec<String> = (0..5).flat_map(|_| sessions.clone()).collect();
        all_at_once(&mut trial, &five)?;
        trial.next_hook_works("session-000")?;
        trial.finish()
    })
}

pub(super) fn on_damaged_store(lab: &FaultLab) -> Result<PartFigures, ChoreFailure> {
    let used = lab.used_home(&[SESSION], STEPS)?;
    let mut figures = PartFigures::default();
    for _ in 0..lab.count(10, 1) {
        figures.add(repeat_if_late(|| {
            let mut trial = FaultTrial::new(lab, "a damaged store", lab.copy_home(&used)?);
            trial.is_damaged = true;
            make_unreadable(&trial.home.store())?;
            all_at_once(&mut trial, &vec![SESSION.to_owned(); 40])?;
            trial.next_hook_works(SESSION)?;
            let aside = trial.home.stores_put_aside();
            if aside != 1 {
                trial.broke(format_args!("{aside} stores were put aside instead of one"));
            }
            trial.finish()
        })?);
    }
    Ok(figures)
}

/// Starts a hook per session at the same time, and judges them at the end.
fn all_at_once(trial: &mut FaultTrial<'_>, sessions: &[String]) -> Result<(), ChoreFailure> {
    let used = children_time();
    let mut hooks: Vec<(&String, String, HookProcess)> = Vec::new();
    let started = Instant::now();
    for session in sessions {
        let call = trial.new_call();
        let process = trial.start(session, &call, &HookConditions::default())?;
        hooks.push((session, call, process));
    }
    let starting = started.elapsed();
    let mut replies = Vec::new();
    for (session, call, process) in hooks {
        replies.push((session, call, process.wait().map_err(ChoreFailure::Failed)?));
    }
    // Hooks that wait for a processor are not slow.
    trial.more_slack = starting + children_time().saturating_sub(used);
    // A store that was damaged is put aside by one of them, before any of them is acknowledged.
    for (session, call, reply) in &replies {
        trial.judge(session, call, reply, ExpectedEnd::Success);
    }
    trial.more_slack = Duration::ZERO;
    Ok(())
}

/// Returns the processor time of all children that have ended.
fn children_time() -> Duration {
    /// Clock ticks per second, which is the same on all Linux systems.
    const TICKS: u64 = 100;
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program may contain spaces.
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = [13, 14].iter().filter_map(|index| fields.get(*index)?.parse::<u64>().ok()).sum::<u64>();
    Duration::from_millis(ticks * 1000 / TICKS)
}
