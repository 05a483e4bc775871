//! `kill -9` at each single system call of a hook that records a step.

use crate::chore_failure::ChoreFailure;
use crate::faults::fault_lab::{FaultLab, TrialScale};
use crate::faults::fault_trial::{ExpectedEnd, FaultTrial};
use crate::faults::part_figures::PartFigures;
use crate::faults::system_calls::{CallPoint, inject, list_calls};
use crate::trial::TrialHome;

const SESSION: &str = "session";
/// Number of steps in the store before the fault.
const STEPS: usize = 3;
/// Limit on calls of one name. A hook that has more would not end.
const MOST_CALLS: u32 = 2000;

pub(super) fn in_existing_store(lab: &FaultLab) -> Result<PartFigures, ChoreFailure> {
    kill_everywhere(lab, &lab.used_home(&[SESSION], STEPS)?, STEPS, 8)
}

pub(super) fn in_new_store(lab: &FaultLab) -> Result<PartFigures, ChoreFailure> {
    kill_everywhere(lab, &lab.new_home()?, 0, 8)
}

fn kill_everywhere(
    lab: &FaultLab,
    home: &TrialHome,
    steps: usize,
    short: usize,
) -> Result<PartFigures, ChoreFailure> {
    let calls = lab.sample(list_calls(lab, home, SESSION)?, short);
    let mut figures =
        lab.run_all(&calls, |call| kill_at(lab, home, steps, call).map(|(figures, _)| figures))?;
    // The trace may have missed calls that happen only sometimes: go on until a hook is not killed any more.
    for call in calls.iter().filter(|call| call.is_last && lab.scale == TrialScale::Full) {
        for number in call.number + 1..MOST_CALLS {
            let next = CallPoint { number, ..call.clone() };
            let (more, was_killed) = kill_at(lab, home, steps, &next)?;
            figures.add(more);
            if !was_killed {
                break;
            }
        }
    }
    Ok(figures)
}

/// Kills a hook at a call. Returns whether it came to that.
fn kill_at(
    lab: &FaultLab,
    home: &TrialHome,
    steps: usize,
    call: &CallPoint,
) -> Result<(PartFigures, bool), ChoreFailure> {
    let CallPoint { name, number, .. } = call;
    let mut trial =
        FaultTrial::new(lab, format!("{name} {number}"), lab.copy_home(home)?).knows(&[SESSION], steps);
    let kill = inject(&format!("{name}:signal=KILL:when={number}"));
    let reply = trial.hook(SESSION, &kill, ExpectedEnd::SuccessOrKill)?;
    trial.next_hook_works(SESSION)?;
    Ok((trial.finish()?, reply.was_killed()))
}
