//! Many hooks at once.

use std::thread;
use std::time::Duration;

use super::random_damage::make_unreadable;
use crate::chore_failure::ChoreFailure;
use crate::faults::fault_lab::FaultLab;
use crate::faults::fault_trial::{ExpectedEnd, FaultTrial};
use crate::faults::hook_process::{HookConditions, HookProcess};
use crate::faults::part_figures::PartFigures;

/// Number of steps in the store before.
const STEPS: usize = 3;
const SESSION: &str = "session";
/// Pause between two looks at the hooks.
const PAUSE: Duration = Duration::from_millis(1);

pub(super) fn one_session(lab: &FaultLab) -> Result<PartFigures, ChoreFailure> {
    let used = lab.used_home(&[SESSION], STEPS)?;
    let mut figures = PartFigures::default();
    for steps in [STEPS, 0] {
        let home = if steps == 0 { lab.new_home()? } else { lab.copy_home(&used)? };
        let mut trial = FaultTrial::new(lab, "one session", home).knows(&[SESSION], steps);
        all_at_once(&mut trial, &vec![SESSION.to_owned(); lab.count(200, 12)])?;
        trial.next_hook_works(SESSION)?;
        figures.add(trial.finish()?);
    }
    Ok(figures)
}

pub(super) fn many_sessions(lab: &FaultLab) -> Result<PartFigures, ChoreFailure> {
    let mut trial = FaultTrial::new(lab, "many sessions", lab.new_home()?);
    let sessions: Vec<String> = (0..lab.count(100, 4)).map(|number| format!("session-{number:03}")).collect();
    let five: Vec<String> = (0..5).flat_map(|_| sessions.clone()).collect();
    all_at_once(&mut trial, &five)?;
    trial.next_hook_works("session-000")?;
    trial.finish()
}

pub(super) fn on_damaged_store(lab: &FaultLab) -> Result<PartFigures, ChoreFailure> {
    let used = lab.used_home(&[SESSION], STEPS)?;
    let mut figures = PartFigures::default();
    for _ in 0..lab.count(10, 1) {
        let mut trial = FaultTrial::new(lab, "a damaged store", lab.copy_home(&used)?);
        trial.is_damaged = true;
        make_unreadable(&trial.home.store())?;
        all_at_once(&mut trial, &vec![SESSION.to_owned(); lab.count(40, 12)])?;
        trial.next_hook_works(SESSION)?;
        let aside = trial.home.stores_put_aside();
        if aside != 1 {
            trial.broke(format_args!("{aside} stores were put aside instead of one"));
        }
        figures.add(trial.finish()?);
    }
    Ok(figures)
}

/// Starts a hook per session at the same time, and judges them at the end.
fn all_at_once(trial: &mut FaultTrial<'_>, sessions: &[String]) -> Result<(), ChoreFailure> {
    let mut hooks: Vec<(&String, String, HookProcess)> = Vec::new();
    for session in sessions {
        let call = trial.new_call();
        let process = trial.start(session, &call, &HookConditions::default())?;
        hooks.push((session, call, process));
        // The time of a hook ends with the hook, and not when all others have been started.
        note_ends(&mut hooks)?;
    }
    while !note_ends(&mut hooks)? {
        thread::sleep(PAUSE);
    }
    let mut replies = Vec::new();
    for (session, call, process) in hooks {
        replies.push((session, call, process.wait().map_err(ChoreFailure::Failed)?));
    }
    // A store that was damaged is put aside by one of them, before any of them is acknowledged.
    for (session, call, reply) in &replies {
        trial.judge(session, call, reply, ExpectedEnd::Success);
    }
    Ok(())
}

/// Notes which hooks have ended. Returns whether all have.
fn note_ends(hooks: &mut [(&String, String, HookProcess)]) -> Result<bool, ChoreFailure> {
    let mut all = true;
    for (_, _, process) in hooks {
        all &= process.has_ended().map_err(ChoreFailure::Failed)?;
    }
    Ok(all)
}
