//! The guards of all watched runs. The guards of quiet runs are stored as snapshots.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use loopbreak::detectors::SharedSpending;
use loopbreak::{Config, Guard, Snapshot, Step, Verdict};
use loopbreak_analysis::VerdictName;
use serde_json::value::RawValue;

/// Upper bound of guards in memory; the others are stored as snapshots.
const MAX_ACTIVE: usize = 256;
/// Upper bound of known runs; the least recent one is forgotten first.
const MAX_RUNS: usize = 4096;
/// The guard of a run without a step for this long is stored.
const QUIET_AFTER: Duration = Duration::from_mins(1);

/// Identifies a run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct WatchedRunKey {
    /// The source of its log: two logs may both have a run called `main`.
    pub(crate) source_id: usize,
    /// The generation of the log; 0 for a run with a name, which outlives its log.
    pub(crate) generation: u32,
    /// The name.
    pub(crate) name: String,
}

/// All watched runs.
#[derive(Debug)]
pub(crate) struct GuardedRuns {
    config: Config,
    forget: Duration,
    known: HashMap<WatchedRunKey, WatchedRun>,
}

/// The state of a watched run.
#[derive(Debug)]
pub(crate) struct WatchedRun {
    guard: GuardSlot,
    pub(crate) steps: u64,
    pub(crate) verdict: VerdictName,
    /// The last finding, for the list of runs.
    pub(crate) last_finding: String,
    pub(crate) last_step: Instant,
    /// Times of the first and the last step that have one, in milliseconds since 1970.
    pub(crate) times: Option<(i64, i64)>,
    pub(crate) cost_usd: Option<f64>,
    /// The folder of the log.
    pub(crate) project: Option<String>,
    /// The log that has the last step.
    pub(crate) log: PathBuf,
}

#[derive(Debug)]
enum GuardSlot {
    Active(Box<Guard>),
    /// A snapshot as JSON, at most 64 kB.
    Stored(Box<RawValue>),
}

impl GuardedRuns {
    pub(crate) fn new(config: Config, forget: Duration) -> Self {
        GuardedRuns { config, forget, known: HashMap::new() }
    }

    /// Shows a step to the guard of its run. `priced` is the step with the cost that the log does not say, and `shared` what all
    /// sessions had spent before it.
    pub(crate) fn observe(
        &mut self,
        key: &WatchedRunKey,
        step: &Step<'_>,
        priced: Option<&Step<'_>>,
        shared: Option<SharedSpending>,
    ) -> (Verdict, &mut WatchedRun) {
        let name = key.name.as_str();
        let config = &self.config;
        let fresh = || Box::new(Guard::new(config.clone()).for_run(name));
        let run = self.known.entry(key.clone()).or_insert_with(|| WatchedRun {
            guard: GuardSlot::Active(fresh()),
            steps: 0,
            verdict: VerdictName::Clear,
            last_finding: String::new(),
            last_step: Instant::now(),
            times: None,
            cost_usd: None,
            project: None,
            log: PathBuf::new(),
        });
        if let GuardSlot::Stored(json) = &run.guard {
            let restored = Snapshot::from_json(json.get().as_bytes())
                .ok()
                .and_then(|snapshot| Guard::restore(config.clone(), snapshot).ok());
            run.guard = GuardSlot::Active(restored.map_or_else(fresh, Box::new));
        }
        run.last_step = Instant::now();
        run.steps += u64::from(!step.refused);
        if let Some(at) = step.at.map(|at| at.0) {
            let (first, last) = run.times.unwrap_or((at, at));
            run.times = Some((first.min(at), last.max(at)));
        }
        if let Some(cost) = step.usage.and_then(|usage| usage.cost_usd).filter(|cost| cost.is_finite()) {
            run.cost_usd = Some(run.cost_usd.unwrap_or(0.0) + cost);
        }
        let verdict = match &mut run.guard {
            GuardSlot::Active(guard) => {
                if let Some(shared) = shared {
                    guard.share_spending(shared);
                }
                guard.observe(priced.unwrap_or(step))
            }
            GuardSlot::Stored(_) => Verdict::default(),
        };
        run.verdict = run.verdict.max(VerdictName::from_findings(&verdict.findings));
        (verdict, run)
    }

    /// Forgets the runs of a source, which is read again.
    pub(crate) fn remove_source(&mut self, source_id: usize) {
        self.known.retain(|key, _| key.source_id != source_id);
    }

    /// Stores the guards of quiet runs, and forgets runs that are quiet for long.
    pub(crate) fn tidy(&mut self, now: Instant) {
        let forget = self.forget;
        self.known.retain(|_, run| now.duration_since(run.last_step) <= forget);
        if self.known.len() > MAX_RUNS {
            let mut last_step: Vec<(Instant, WatchedRunKey)> =
                self.known.iter().map(|(key, run)| (run.last_step, key.clone())).collect();
            last_step.sort();
            for (_, key) in last_step.into_iter().take(self.known.len() - MAX_RUNS) {
                self.known.remove(&key);
            }
        }
        let mut active: Vec<&mut WatchedRun> =
            self.known.values_mut().filter(|run| matches!(run.guard, GuardSlot::Active(_))).collect();
        active.sort_by_key(|run| std::cmp::Reverse(run.last_step));
        for (place, run) in active.into_iter().enumerate() {
            if place >= MAX_ACTIVE || now.duration_since(run.last_step) > QUIET_AFTER {
                run.store_guard();
            }
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&WatchedRunKey, &WatchedRun)> {
        self.known.iter()
    }
}

impl WatchedRun {
    /// Returns the steps per minute from the first to the last step, if they have times.
    pub(crate) fn steps_per_minute(&self) -> Option<f64> {
        let (first, last) = self.times?;
        let minutes = last.saturating_sub(first) as f64 / 60_000.0;
        (minutes > 0.0 && self.steps > 1).then(|| (self.steps - 1) as f64 / minutes)
    }

    fn store_guard(&mut self) {
        if let GuardSlot::Active(guard) = &self.guard
            && let Ok(json) = guard.snapshot().to_json()
        {
            self.guard = GuardSlot::Stored(json);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> WatchedRunKey {
        WatchedRunKey { source_id: 0, generation: 0, name: name.to_owned() }
    }

    fn scored(turn: u64) -> String {
        format!(r#"{{"turn":{turn},"score":3}}"#)
    }

    #[test]
    fn a_stored_guard_continues_where_it_was() {
        let mut runs = GuardedRuns::new(Config::default(), Duration::from_hours(1));
        for turn in 1..=40 {
            let line = scored(turn);
            let (verdict, run) = runs.observe(&key("a"), &Step::from_json(&line).unwrap(), None, None);
            assert_eq!(verdict.stop.is_some(), turn == 40, "turn {turn}");
            assert_eq!(run.steps, turn);
            runs.tidy(Instant::now() + QUIET_AFTER * 2);
            assert!(runs.iter().all(|(_, run)| matches!(run.guard, GuardSlot::Stored(_))));
        }
    }

    #[test]
    fn forgets_quiet_runs_and_bounds_their_number() {
        let mut runs = GuardedRuns::new(Config::default(), Duration::from_hours(1));
        let line = scored(1);
        for index in 0..MAX_RUNS + 10 {
            runs.observe(&key(&index.to_string()), &Step::from_json(&line).unwrap(), None, None);
        }
        runs.tidy(Instant::now());
        assert_eq!(runs.iter().count(), MAX_RUNS);
        let active = runs.iter().filter(|(_, run)| matches!(run.guard, GuardSlot::Active(_))).count();
        assert_eq!(active, MAX_ACTIVE);
        runs.tidy(Instant::now() + Duration::from_secs(3601));
        assert_eq!(runs.iter().count(), 0);
    }
}
