//! Runs trials, several at a time.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use loopbreak::Config;
use rayon::prelude::*;

use super::budget::TuneBudget;
use super::choice::FinishedTrial;
use super::kept_run::{KeptRun, replay};
use super::outcome_totals::RunOutcome;
use super::state_file::StateFile;
use super::trials::{SettingsTrial, TrialGenerator};

/// Maximum number of trials per thread that are started together under a budget of time, so that the search ends close
/// to its time.
const AT_ONCE: usize = 4;
/// Number of trials of a counted budget that are drawn together.
const DRAWN: usize = 1024;

/// The budget of a search, and its callbacks.
pub struct SearchControl<'c> {
    /// The budget.
    pub budget: TuneBudget,
    /// Ends the search when set.
    pub stop: &'c AtomicBool,
    /// Called after every trial, from any thread.
    pub on_trial: &'c (dyn Fn() + Sync),
}

impl fmt::Debug for SearchControl<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SearchControl").field("budget", &self.budget).finish_non_exhaustive()
    }
}

/// The outcome of a search.
#[derive(Clone, Debug)]
pub struct SearchOutcome {
    /// The finished trials, in order.
    pub tried: Vec<FinishedTrial>,
    /// The search was stopped before its budget was used up.
    pub interrupted: bool,
}

/// Runs trials until the budget is used up or the search is stopped. `done` are trials that were finished before. An
/// error means that the state file could not be written.
pub fn search(
    runs: &[KeptRun],
    trials: &mut TrialGenerator,
    control: &SearchControl<'_>,
    mut done: BTreeMap<usize, Vec<RunOutcome>>,
    state: Option<StateFile>,
) -> io::Result<SearchOutcome> {
    let stop = control.stop;
    let started = Instant::now();
    let is_over = || match control.budget {
        TuneBudget::Trials(_) => false,
        TuneBudget::Time(time) => started.elapsed() >= time,
    };
    let state = Mutex::new(state);
    let trouble = Mutex::new(None);
    let mut tried: Vec<FinishedTrial> = Vec::new();
    loop {
        let left = match control.budget {
            TuneBudget::Trials(count) => count.saturating_sub(tried.len()).min(DRAWN),
            TuneBudget::Time(_) => AT_ONCE * rayon::current_num_threads(),
        };
        // The current settings are always tried, as there is nothing to compare with otherwise.
        let next: Vec<SettingsTrial> =
            if is_over() && !tried.is_empty() { Vec::new() } else { trials.by_ref().take(left).collect() };
        if next.is_empty() {
            break;
        }
        let jobs: Vec<(SettingsTrial, Config, Option<Vec<RunOutcome>>)> = next
            .into_iter()
            .filter_map(|trial| {
                let (config, known) = (trials.config(&trial)?, done.remove(&trial.number));
                Some((trial, config, known))
            })
            .collect();
        let one = |(trial, config, known): (SettingsTrial, Config, Option<Vec<RunOutcome>>)| {
            let outcomes = if let Some(known) = known {
                known
            } else {
                if stop.load(Ordering::Relaxed) || (is_over() && trial.number > 0) {
                    return None;
                }
                let outcomes: Vec<RunOutcome> = runs.iter().map(|run| replay(&config, run)).collect();
                let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(Err(error)) = state.as_mut().map(|state| state.add(trial.number, &outcomes)) {
                    *trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                    stop.store(true, Ordering::Relaxed);
                }
                outcomes
            };
            (control.on_trial)();
            Some(FinishedTrial { trial, outcomes })
        };
        tried.extend(jobs.into_par_iter().map(one).collect::<Vec<_>>().into_iter().flatten());
        if stop.load(Ordering::Relaxed) {
            break;
        }
    }
    if let Some(error) = trouble.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    Ok(SearchOutcome { tried, interrupted: stop.load(Ordering::Relaxed) })
}

/// Reverts every change that makes no difference to any run, so that only changes that matter remain.
pub fn prune(best: &mut SettingsTrial, trials: &TrialGenerator, runs: &[KeptRun]) {
    let outcomes = |trial: &SettingsTrial| {
        let config = trials.config(trial)?;
        Some(runs.iter().map(|run| replay(&config, run)).collect::<Vec<_>>())
    };
    let Some(whole) = outcomes(best) else { return };
    for index in (0..best.changes.len()).rev() {
        let mut less = best.clone();
        less.changes.remove(index);
        if outcomes(&less).as_ref() == Some(&whole) {
            *best = less;
        }
    }
}
