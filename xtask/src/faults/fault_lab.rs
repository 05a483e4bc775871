//! The surroundings that all trials share, and their distribution over threads.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::fault_trial::FaultTrial;
use super::part_figures::PartFigures;
use crate::chore_failure::ChoreFailure;
use crate::trial::TrialHome;

/// Time between two messages about the progress of a part.
const PROGRESS: Duration = Duration::from_secs(10);

/// The extent of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TrialScale {
    /// Every trial.
    Full,
    /// A sample, for the tests.
    Short,
}

/// The surroundings that all trials share.
pub(super) struct FaultLab {
    pub(super) program: PathBuf,
    pub(super) seed: u64,
    pub(super) scale: TrialScale,
    folder: PathBuf,
    homes: AtomicU64,
    /// Homes that several parts begin with, by their sessions and steps.
    used_homes: Mutex<BTreeMap<String, TrialHome>>,
}

impl FaultLab {
    /// Creates the folder of all trials.
    pub(super) fn open(program: PathBuf, seed: u64, scale: TrialScale) -> Result<Self, ChoreFailure> {
        static LABS: AtomicU64 = AtomicU64::new(0);
        let number = LABS.fetch_add(1, Ordering::Relaxed);
        let folder = env::temp_dir().join(format!("loopbreak-faults-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder)
            .map_err(|error| ChoreFailure::io("create a folder for trials", &error))?;
        Ok(FaultLab { program, seed, scale, folder, homes: AtomicU64::new(0), used_homes: Mutex::default() })
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn home_folder(&self) -> PathBuf {
        self.folder.join(format!("home-{}", self.homes.fetch_add(1, Ordering::Relaxed)))
    }

    /// Creates an empty home.
    pub(super) fn new_home(&self) -> Result<TrialHome, ChoreFailure> {
        TrialHome::create(self.home_folder()).map_err(|error| ChoreFailure::io("create a home", &error))
    }

    /// Creates a home with a copy of the state of another.
    pub(super) fn copy_home(&self, home: &TrialHome) -> Result<TrialHome, ChoreFailure> {
        TrialHome::copy_of(home, self.home_folder()).map_err(|error| ChoreFailure::io("copy a home", &error))
    }

    /// Chooses between the numbers of the full run and of the short form.
    pub(super) fn count(&self, full: usize, short: usize) -> usize {
        match self.scale {
            TrialScale::Full => full,
            TrialScale::Short => short,
        }
    }

    /// Takes all items, or in the short form about this many, evenly spread from a place that the seed decides.
    pub(super) fn sample<T>(&self, items: Vec<T>, short: usize) -> Vec<T> {
        let step = match self.scale {
            TrialScale::Full => 1,
            TrialScale::Short => items.len().div_ceil(short.max(1)).max(1),
        };
        let first = self.seed as usize % step;
        items.into_iter().skip(first).step_by(step).collect()
    }

    /// Runs a trial per item, on all cores, and adds their figures up.
    pub(super) fn run_all<T: Sync>(
        &self,
        items: &[T],
        trial: impl Fn(&T) -> Result<PartFigures, ChoreFailure> + Sync,
    ) -> Result<PartFigures, ChoreFailure> {
        let (next, sum) = (AtomicUsize::new(0), Mutex::new(Ok(PartFigures::default())));
        let (started, told) = (Instant::now(), Mutex::new(Instant::now()));
        let tell = |done: usize, broken: usize| {
            let Ok(mut told) = told.try_lock() else { return };
            if self.scale == TrialScale::Full && told.elapsed() >= PROGRESS {
                *told = Instant::now();
                let seconds = started.elapsed().as_secs();
                eprintln!(
                    "xtask: faults:   {done} of {} trials, {broken} broken promises, {seconds} s",
                    items.len()
                );
            }
        };
        let work = || {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(item) = items.get(number) else { return };
                let figures = trial(item);
                let Ok(mut sum) = sum.lock() else { return };
                match (&mut *sum, figures) {
                    (Ok(sum), Ok(figures)) => {
                        sum.add(figures);
                        tell(sum.trials as usize, sum.failures());
                    }
                    (Ok(_), Err(failure)) => {
                        *sum = Err(failure);
                        return;
                    }
                    (Err(_), _) => return,
                }
            }
        };
        let threads = thread::available_parallelism().map_or(1, usize::from).min(items.len().max(1));
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(work);
            }
        });
        sum.into_inner().unwrap_or_else(|_| Err(ChoreFailure::Failed("a trial panicked".to_owned())))
    }

    /// Creates a home whose store has some sessions, each with some steps. The steps are recorded once for all parts.
    pub(super) fn used_home(&self, sessions: &[&str], steps: usize) -> Result<TrialHome, ChoreFailure> {
        let key = format!("{} {steps}", sessions.join(" "));
        let mut homes = self.used_homes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(home) = homes.get(&key) {
            return self.copy_home(home);
        }
        let home = self.record_steps(sessions, steps)?;
        let copy = self.copy_home(&home)?;
        homes.insert(key, home);
        Ok(copy)
    }

    fn record_steps(&self, sessions: &[&str], steps: usize) -> Result<TrialHome, ChoreFailure> {
        let mut trial = FaultTrial::new(self, "a home that was used", self.new_home()?);
        for number in 0..steps {
            for session in sessions {
                trial.record(session, &format!("before-{number}"))?;
            }
        }
        let (home, figures) = trial.into_parts();
        match figures.broken.first() {
            None => Ok(home),
            Some(reason) => Err(ChoreFailure::Failed(format!("hooks do not work without faults: {reason}"))),
        }
    }

    /// Returns the folder of the program.
    pub(super) fn program(&self) -> &Path {
        &self.program
    }
}

impl Drop for FaultLab {
    fn drop(&mut self) {
        // Nothing depends on it.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_spread_evenly_and_the_seed_decides_where_it_begins() {
        let lab = |seed, scale| FaultLab::open(PathBuf::new(), seed, scale).unwrap();
        let items = || (0..95).collect::<Vec<_>>();
        let sample = lab(3, TrialScale::Short).sample(items(), 10);
        assert_eq!(sample, [3, 13, 23, 33, 43, 53, 63, 73, 83, 93]);
        assert_eq!(lab(3, TrialScale::Full).sample(items(), 10).len(), 95);
        assert_eq!(lab(1, TrialScale::Short).sample(items(), 200).len(), 95);
    }
}
