//! Stores that make hooks wait: locked by another program, without locks, or on a slow disk.

use std::time::Duration;

use crate::chore_failure::ChoreFailure;
use crate::faults::fault_lab::FaultLab;
use crate::faults::fault_trial::{ExpectedEnd, FaultTrial};
use crate::faults::hook_process::HookConditions;
use crate::faults::part_figures::PartFigures;
use crate::faults::system_calls::inject;
use crate::trial::{StoreLock, TrialHome};

const SESSIONS: [&str; 2] = ["session", "other"];
/// Number of steps of each before the fault.
const STEPS: usize = 3;

pub(super) fn locked(lab: &FaultLab) -> Result<PartFigures, ChoreFailure> {
    let home = lab.used_home(&SESSIONS, STEPS)?;
    let locks =
        ["BEGIN IMMEDIATE;", "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE locked (a);"];
    lab.run_all(&locks, |lock| {
        let mut trial = FaultTrial::new(lab, *lock, lab.copy_home(&home)?).knows(&SESSIONS, STEPS);
        let holder = StoreLock::take(&trial.home, lock)?;
        for _ in 0..lab.count(5, 1) {
            for session in SESSIONS {
                trial.hook(session, &HookConditions::default(), ExpectedEnd::Success)?;
                trial.ask(session, &HookConditions::default())?;
            }
        }
        holder.release()?;
        for session in SESSIONS {
            trial.next_hook_works(session)?;
        }
        trial.finish()
    })
}

pub(super) fn without_locks(lab: &FaultLab) -> Result<PartFigures, ChoreFailure> {
    let (used, empty) = (lab.used_home(&SESSIONS, STEPS)?, lab.new_home()?);
    let faults: Vec<(&str, bool)> =
        ["fcntl:error=ENOLCK", "fcntl,flock:error=ENOLCK", "fcntl:error=EIO", "flock:error=EIO"]
            .iter()
            .flat_map(|fault| [(*fault, true), (*fault, false)])
            .collect();
    lab.run_all(&lab.sample(faults, 3), |(fault, is_used)| {
        let (home, steps) = if *is_used { (&used, STEPS) } else { (&empty, 0) };
        let label = format!("{fault} at every call, {steps} steps before");
        wait_under(lab, home, steps, label, fault, Duration::ZERO)
    })
}

pub(super) fn on_slow_disk(lab: &FaultLab) -> Result<PartFigures, ChoreFailure> {
    let (used, empty) = (lab.used_home(&SESSIONS, STEPS)?, lab.new_home()?);
    let mut faults = Vec::new();
    for calls in ["pwrite64", "pread64", "fcntl", "fsync,fdatasync,pwrite64", "newfstatat,openat"] {
        for milliseconds in [10, 30, 50, 100, 400, 1500] {
            faults.extend([(calls, milliseconds, true), (calls, milliseconds, false)]);
        }
    }
    lab.run_all(&lab.sample(faults, 3), |(calls, milliseconds, is_used)| {
        let (home, steps) = if *is_used { (&used, STEPS) } else { (&empty, 0) };
        let label = format!("{calls} take {milliseconds} ms each, {steps} steps before");
        let delay = Duration::from_millis(*milliseconds);
        wait_under(lab, home, steps, label, &format!("{calls}:delay_enter={milliseconds}ms"), delay)
    })
}

/// Runs some hooks under a fault, then some without it.
fn wait_under(
    lab: &FaultLab,
    home: &TrialHome,
    steps: usize,
    label: String,
    fault: &str,
    delay: Duration,
) -> Result<PartFigures, ChoreFailure> {
    let mut trial = FaultTrial::new(lab, label, lab.copy_home(home)?).knows(&SESSIONS, steps);
    trial.longest_call = delay;
    let mut conditions = inject(fault);
    if !delay.is_zero() {
        // The time of a hook begins with its event. The loader reads other files before that.
        let folder = trial.home.state().join("loopbreak");
        let files = [
            "",
            "/loopbreak.db",
            "/loopbreak.db-wal",
            "/loopbreak.db-shm",
            "/loopbreak.db-queue",
            "/hook.log",
        ];
        let paths = files.iter().map(|file| format!("--trace-path={}{file}", folder.display()));
        conditions.wrapper.splice(1..1, paths);
    }
    for session in SESSIONS {
        trial.hook(session, &conditions, ExpectedEnd::Success)?;
    }
    trial.longest_call = Duration::ZERO;
    for session in SESSIONS {
        trial.next_hook_works(session)?;
    }
    trial.finish()
}
