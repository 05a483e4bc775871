//! Hooks whose clock jumps: backwards, far ahead, before 1970.

use crate::chore_failure::ChoreFailure;
use crate::faults::fault_lab::FaultLab;
use crate::faults::fault_trial::{ExpectedEnd, FaultTrial};
use crate::faults::hook_process::HookConditions;
use crate::faults::part_figures::PartFigures;
use crate::trial::{CLOCK_OFFSET, compile_clock_shim};

const SESSIONS: [&str; 8] = ["live-a", "live-b", "live-c", "live-d", "live-e", "live-f", "live-g", "live-h"];
/// Number of steps of each before the jump.
const STEPS: usize = 2;
/// A day, in seconds.
const DAY: i64 = 86_400;
/// Time for which ended sessions are kept.
const KEPT: i64 = 30 * DAY;

/// Offsets of the clock, in seconds, for one hook after the other.
const JUMPS: &[(&str, &[i64])] = &[
    ("back by an hour at each hook", &[-3600, -7200, -10_800, -14_400]),
    ("back by 20 years", &[-20 * 365 * DAY; 3]),
    ("before 1970", &[-80 * 365 * DAY; 3]),
    ("the year 1, then now", &[-2025 * 365 * DAY, 0]),
    ("40 days ahead for one hook", &[40 * DAY]),
    ("40 days ahead for some hooks", &[40 * DAY, 40 * DAY, 40 * DAY, 0]),
    ("400 days ahead, then back", &[400 * DAY, 400 * DAY, 0, -400 * DAY]),
    ("ahead and back by turns", &[40 * DAY, 0, 40 * DAY, 0]),
    ("the year 292 million", &[9_214_000_000_000_000, 0]),
];

pub(super) fn run(lab: &FaultLab) -> Result<PartFigures, ChoreFailure> {
    let shim = compile_clock_shim(&lab.path(""))?;
    let sessions = &SESSIONS[..lab.count(SESSIONS.len(), 3)];
    let home = lab.used_home(sessions, STEPS)?;
    let jumps = lab.sample(JUMPS.to_vec(), 3);
    lab.run_all(&jumps, |(name, offsets)| {
        let mut trial = FaultTrial::new(lab, *name, lab.copy_home(&home)?).knows(sessions, STEPS);
        for (number, offset) in offsets.iter().enumerate() {
            let clock = HookConditions::with_variables(vec![
                ("LD_PRELOAD", shim.display().to_string()),
                (CLOCK_OFFSET, offset.to_string()),
            ]);
            // A session that begins makes room for itself.
            let session = format!("new-{number}");
            trial.hook(&session, &clock, ExpectedEnd::Success)?;
            if *offset < -KEPT {
                // Such a session looks like one that ended long ago, so the next one may remove it.
                trial.ledger.release(&session);
            }
            trial.hook(SESSIONS[0], &clock, ExpectedEnd::Success)?;
        }
        trial.next_hook_works(SESSIONS[0])?;
        trial.next_hook_works("after")?;
        // This compares all sessions: those that the jump did not concern must be there too.
        trial.finish()
    })
}
