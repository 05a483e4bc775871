//! A full disk: a small file system in memory where that can be mounted, and limits on the size of files everywhere.

use std::fs;

use crate::chore_failure::ChoreFailure;
use crate::faults::fault_lab::{FaultLab, TrialScale};
use crate::faults::fault_trial::{ExpectedEnd, FaultTrial};
use crate::faults::hook_process::HookConditions;
use crate::faults::part_figures::PartFigures;
use crate::trial::MountedDisk;

const SESSION: &str = "session";
/// Number of steps in the store before the fault.
const STEPS: usize = 3;
/// Limits on the size of files, in units of 512 bytes.
const FILE_LIMITS: [u32; 10] = [0, 1, 2, 8, 40, 64, 72, 100, 130, 200];

pub(super) fn run(lab: &FaultLab) -> Result<PartFigures, ChoreFailure> {
    let (used, empty) = (lab.used_home(&[SESSION], STEPS)?, lab.new_home()?);
    let limits: Vec<(u32, bool)> =
        FILE_LIMITS.iter().flat_map(|limit| [(*limit, true), (*limit, false)]).collect();
    let limits = lab.sample(limits, 3);
    let mut figures = lab.run_all(&limits, |(limit, is_used)| {
        let (home, steps) = if *is_used { (&used, STEPS) } else { (&empty, 0) };
        let label = format!("files of at most {limit} × 512 bytes");
        let mut trial = FaultTrial::new(lab, label, lab.copy_home(home)?).knows(&[SESSION], steps);
        // A process that writes more gets an error instead of a signal.
        let line = format!("trap '' XFSZ; ulimit -f {limit}; exec \"$@\"");
        let limited = HookConditions::with_wrapper(["sh", "-c", &line, "sh"]);
        for _ in 0..3 {
            trial.hook(SESSION, &limited, ExpectedEnd::Success)?;
        }
        trial.next_hook_works(SESSION)?;
        trial.finish()
    })?;
    match MountedDisk::mount(&lab.path("disk"), small_size(lab)) {
        Some(disk) => figures.add(small_disk(lab, &disk)?),
        None => figures.note("file systems that could not be mounted here"),
    }
    Ok(figures)
}

/// Returns a size that is too small for the steps of the trial.
fn small_size(lab: &FaultLab) -> &'static str {
    match lab.scale {
        TrialScale::Full => "400k",
        TrialScale::Short => "200k",
    }
}

/// Fills a small file system with steps, then makes it larger.
fn small_disk(lab: &FaultLab, disk: &MountedDisk) -> Result<PartFigures, ChoreFailure> {
    let state = disk.path().join("state");
    disk.resize(small_size(lab))?;
    let _ = fs::remove_dir_all(&state);
    fs::create_dir_all(&state).map_err(|error| ChoreFailure::io("use a small file system", &error))?;
    let mut trial = FaultTrial::new(lab, "a small file system", lab.new_home()?.with_state(state));
    for _ in 0..lab.count(400, 20) {
        trial.hook(SESSION, &HookConditions::default(), ExpectedEnd::Success)?;
    }
    disk.resize("40m")?;
    trial.next_hook_works(SESSION)?;
    trial.finish()
}
