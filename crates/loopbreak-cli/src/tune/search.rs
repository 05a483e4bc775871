//! Makes the trials, several at a time.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use loopbreak::Config;
use loopbreak_report::tune::{KeptRun, RunOutcome, Trial, Trials, Tried, replay};
use rayon::prelude::*;

use super::budget::Budget;
use super::state::State;
use crate::error::UserError;

/// A search under a budget of time begins no more trials than this at once, so that it ends near its time.
const AT_ONCE: usize = 4;
/// How many trials of a counted budget are drawn at once.
const DRAWN: usize = 1024;

/// What a search came to.
pub(super) struct Found {
    pub(super) tried: Vec<Tried>,
    pub(super) interrupted: bool,
}

/// Makes trials until the budget is spent or the user has had enough.
pub(super) fn search(
    runs: &[KeptRun],
    trials: &mut Trials,
    budget: Budget,
    mut done: BTreeMap<usize, Vec<RunOutcome>>,
    state: Option<State>,
    quiet: bool,
) -> Result<Found, UserError> {
    let stopped = interrupt();
    let started = Instant::now();
    let is_over = || match budget {
        Budget::Trials(_) => false,
        Budget::Time(time) => started.elapsed() >= time,
    };
    let bar = bar(budget, quiet);
    let state = Mutex::new(state);
    let trouble = Mutex::new(None);
    let mut tried: Vec<Tried> = Vec::new();
    loop {
        let left = match budget {
            Budget::Trials(count) => count.saturating_sub(tried.len()).min(DRAWN),
            Budget::Time(_) => AT_ONCE * rayon::current_num_threads(),
        };
        // The settings one has are always tried: there is nothing to compare with otherwise.
        let next: Vec<Trial> =
            if is_over() && !tried.is_empty() { Vec::new() } else { trials.by_ref().take(left).collect() };
        if next.is_empty() {
            break;
        }
        let jobs: Vec<(Trial, Config, Option<Vec<RunOutcome>>)> = next
            .into_iter()
            .filter_map(|trial| {
                let (config, known) = (trials.config(&trial)?, done.remove(&trial.number));
                Some((trial, config, known))
            })
            .collect();
        let one = |(trial, config, known): (Trial, Config, Option<Vec<RunOutcome>>)| {
            let outcomes = if let Some(known) = known {
                known
            } else {
                if stopped.load(Ordering::Relaxed) || (is_over() && trial.number > 0) {
                    return None;
                }
                let outcomes: Vec<RunOutcome> = runs.iter().map(|run| replay(&config, run)).collect();
                let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(Err(error)) = state.as_mut().map(|state| state.keep(trial.number, &outcomes)) {
                    *trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                    stopped.store(true, Ordering::Relaxed);
                }
                outcomes
            };
            bar.inc(1);
            Some(Tried { trial, outcomes })
        };
        tried.extend(jobs.into_par_iter().map(one).collect::<Vec<_>>().into_iter().flatten());
        if stopped.load(Ordering::Relaxed) {
            break;
        }
    }
    bar.finish_and_clear();
    if let Some(error) = trouble.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(UserError::failed(format!("cannot write the state file: {error}")));
    }
    Ok(Found { tried, interrupted: stopped.load(Ordering::Relaxed) })
}

/// Set when the user wants the search to end. Whoever insists gets what a program without manners would do.
fn interrupt() -> Arc<AtomicBool> {
    let stopped = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&stopped);
    // Where there is no such signal, there is nobody to send it.
    let _ = ctrlc::set_handler(move || {
        if seen.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(crate::exit::INTERRUPTED));
        }
    });
    stopped
}

fn bar(budget: Budget, quiet: bool) -> ProgressBar {
    if quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let (bar, template) = match budget {
        Budget::Trials(count) => (
            ProgressBar::new(count as u64),
            "trying {wide_bar:.cyan/dim} {pos} of {len} settings, {eta} left",
        ),
        Budget::Time(_) => (ProgressBar::new_spinner(), "trying: {pos} settings, {elapsed}"),
    };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("━━─"));
    }
    bar
}
