//! `kill -9` at random moments, with several hooks at once.

use std::thread;
use std::time::{Duration, Instant};

use crate::chore_failure::ChoreFailure;
use crate::faults::fault_lab::FaultLab;
use crate::faults::fault_trial::{ExpectedEnd, FaultTrial};
use crate::faults::hook_process::HookConditions;
use crate::faults::part_figures::PartFigures;
use crate::faults::seeded_random::SeededRandom;

const SESSION: &str = "session";
/// Number of hooks at once.
const HOOKS: usize = 4;
pub(super) fn run(lab: &FaultLab) -> Result<PartFigures, ChoreFailure> {
    let mut random = SeededRandom::new(lab.seed);
    let mut trial = FaultTrial::new(lab, "random kills", lab.new_home()?);
    // The first round creates the store.
    time_of_a_round(&mut trial)?;
    let latest = time_of_a_round(&mut trial)?;
    for _ in 0..lab.count(200, 5) {
        let mut hooks = Vec::new();
        for _ in 0..HOOKS {
            let call = trial.new_call();
            let process = trial.start(SESSION, &call, &HookConditions::default())?;
            hooks.push((random.below(latest), call, process));
        }
        hooks.sort_by_key(|(moment, ..)| *moment);
        let mut before = 0;
        for (moment, _, process) in &mut hooks {
            thread::sleep(Duration::from_micros((*moment - before) as u64));
            before = *moment;
            process.kill_at_once();
        }
        for (_, call, process) in hooks {
            let reply = process.wait().map_err(ChoreFailure::Failed)?;
            trial.judge(SESSION, &call, &reply, ExpectedEnd::SuccessOrKill);
        }
    }
    trial.next_hook_works(SESSION)?;
    trial.finish()
}

/// Returns how long hooks take at once that nobody kills, in microseconds.
fn time_of_a_round(trial: &mut FaultTrial<'_>) -> Result<usize, ChoreFailure> {
    let started = Instant::now();
    let mut hooks = Vec::new();
    for _ in 0..HOOKS {
        let call = trial.new_call();
        hooks.push((trial.start(SESSION, &call, &HookConditions::default())?, call));
    }
    for (process, call) in hooks {
        let reply = process.wait().map_err(ChoreFailure::Failed)?;
        trial.judge(SESSION, &call, &reply, ExpectedEnd::Success);
    }
    Ok(started.elapsed().as_micros() as usize)
}
