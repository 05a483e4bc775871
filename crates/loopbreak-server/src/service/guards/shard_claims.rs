//! Leases of the runs of a thread: claims them and restores their guards, renews them, and gives them back.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use loopbreak_store::now;
use loopbreak_store::service::{LoadedRun, RunAppend, RunClaim, RunLease, ServiceRunKey};

use super::guard_shard::GuardShard;
use super::guarded_run::GuardedRun;
use super::run_rules::AllowedLoopRecord;
use super::shard_command::ShardCommand;
use super::shard_errors::{RETRY_TIME, run_key, unavailable};
use crate::service::IngestError;

/// Number of runs that are put away in one transaction.
const BATCH_RUNS: usize = 200;

impl GuardShard {
    /// Claims and restores the runs that the commands need and that are not in memory. Returns the failures.
    pub(super) fn claim(&mut self, batch: &[ShardCommand]) -> BTreeMap<ServiceRunKey, IngestError> {
        let mut wanted: Vec<ServiceRunKey> = Vec::new();
        for command in batch {
            match command {
                ShardCommand::Steps { project, items, .. } => {
                    wanted.extend(items.iter().map(|item| run_key(project, &item.run)));
                }
                ShardCommand::Call { key, call, .. } => {
                    // A question about a run that does not exist creates none.
                    let is_new = || self.options.store.run(key).is_ok_and(|run| run.is_none());
                    if self.runs.contains_key(key) || call.entry_kind().is_some() || !is_new() {
                        wanted.push(key.clone());
                    }
                }
                _ => {}
            }
        }
        wanted.retain(|key| !self.runs.contains_key(key));
        wanted.sort();
        wanted.dedup();
        let mut failures = BTreeMap::new();
        if wanted.is_empty() {
            return failures;
        }
        let until = now().saturating_add(self.options.lease.as_millis() as i64);
        match self.options.store.claim(&wanted, &self.options.owner, now(), until) {
            Ok(claims) => {
                for (key, claim) in wanted.into_iter().zip(claims) {
                    if let Err(error) = self.restore(&key, claim) {
                        failures.insert(key, error);
                    }
                }
            }
            Err(error) => {
                let error = unavailable(&error);
                failures.extend(wanted.into_iter().map(|key| (key, error.clone())));
            }
        }
        failures
    }

    fn restore(&mut self, key: &ServiceRunKey, claim: RunClaim) -> Result<(), IngestError> {
        let claimed = match claim {
            RunClaim::Granted(claimed) => *claimed,
            RunClaim::Held { until, .. } => {
                let left = Duration::from_millis(until.saturating_sub(now()).max(0) as u64);
                return Err(IngestError::Unavailable {
                    message: "another server guards this run".to_owned(),
                    retry_after: left.clamp(RETRY_TIME, 10 * RETRY_TIME),
                });
            }
        };
        let lease = claimed.lease.clone();
        // A run without entries has nothing to load.
        let loaded = if claimed.run.last_seq == 0 {
            Ok(LoadedRun::default())
        } else {
            self.options.store.load(lease.run)
        };
        let loaded = loaded.map_err(|error| unavailable(&error))?;
        let mut rules_of = |records: Vec<AllowedLoopRecord>| self.rules.of_records(records);
        let restored = GuardedRun::restore(claimed, loaded, &mut rules_of);
        match restored {
            Ok(run) => {
                self.runs.insert(key.clone(), run);
                Ok(())
            }
            Err(error) => {
                let _ = self.options.store.release(&[lease]);
                Err(IngestError::Unavailable { message: error.text(), retry_after: 10 * RETRY_TIME })
            }
        }
    }

    /// Counts the runs in memory.
    pub(super) fn count_runs(&mut self) {
        let live = self.runs.len() as u64;
        let counter = &self.options.counters.live_runs;
        counter.fetch_add(live, Ordering::Relaxed);
        counter.fetch_sub(self.counted_runs, Ordering::Relaxed);
        self.counted_runs = live;
    }

    /// Renews leases and puts idle runs away.
    pub(super) fn tick(&mut self) {
        let idle = self.options.idle;
        let old: Vec<ServiceRunKey> = self
            .runs
            .iter()
            .filter(|(_, run)| run.used.elapsed() >= idle)
            .map(|(key, _)| key.clone())
            .collect();
        self.put_away(&old);
        let leases: Vec<(ServiceRunKey, RunLease)> =
            self.runs.iter().filter_map(|(key, run)| Some((key.clone(), run.lease.clone()?))).collect();
        let until = now().saturating_add(self.options.lease.as_millis() as i64);
        let only: Vec<RunLease> = leases.iter().map(|(_, lease)| lease.clone()).collect();
        // If the store fails now, the next change of a run finds out whether its lease was lost.
        if !only.is_empty()
            && let Ok(renewed) = self.options.store.renew(&only, until)
        {
            for ((key, _), _) in leases.into_iter().zip(renewed).filter(|(_, is_held)| !is_held) {
                self.runs.remove(&key);
            }
        }
    }

    /// Puts runs away if there are too many: those that were not used for the longest time.
    pub(super) fn make_room(&mut self) {
        if self.runs.len() <= self.options.max_runs {
            return;
        }
        let mut by_use: Vec<(Instant, ServiceRunKey)> =
            self.runs.iter().map(|(key, run)| (run.used, key.clone())).collect();
        by_use.sort();
        // Some more than needed, so that this is not done for each new run.
        let surplus = self.runs.len() - self.options.max_runs + self.options.max_runs / 8;
        let oldest: Vec<ServiceRunKey> = by_use.into_iter().take(surplus).map(|(_, key)| key).collect();
        self.put_away(&oldest);
    }

    pub(super) fn put_all_away(&mut self) {
        let all: Vec<ServiceRunKey> = self.runs.keys().cloned().collect();
        self.put_away(&all);
    }

    /// Stores the state of runs, gives their leases back and forgets them. If the store fails, the steps are in it all the same.
    fn put_away(&mut self, keys: &[ServiceRunKey]) {
        for some in keys.chunks(BATCH_RUNS) {
            let mut leases = Vec::new();
            let mut batch = Vec::new();
            for key in some {
                let Some(mut run) = self.runs.remove(key) else { continue };
                let Some(lease) = run.lease.clone() else { continue };
                if run.is_worth_a_snapshot()
                    && let Ok(snapshot) = run.snapshot(true)
                {
                    let (lease, figures) = (lease.clone(), run.figures);
                    batch.push(RunAppend {
                        lease,
                        entries: Vec::new(),
                        figures,
                        snapshot,
                        loops: Vec::new(),
                    });
                }
                leases.push(lease);
            }
            if !batch.is_empty() {
                let _ = self.options.store.append(&batch, now());
            }
            if !leases.is_empty() {
                let _ = self.options.store.release(&leases);
            }
        }
    }
}
