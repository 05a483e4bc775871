//! One thread with the guards of some runs. It gathers the commands that arrived while it stored the last ones, carries them
//! out in their order, stores everything in one transaction, and only then answers. Many small requests share the cost of a
//! commit that way, and none waits for a timer.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use loopbreak::Settings;
use loopbreak_store::now;
use loopbreak_store::service::{AppendResult, RunAppend, RunVerdict, ServiceRunKey, ServiceStore};
use tokio::sync::{oneshot, watch};

use super::guarded_run::{GuardedRun, PendingChange};
use super::known_keys::KnownAnswer;
use super::pending_reply::PendingReply;
use super::project_rules::ProjectRules;
use super::run_call::{RunCall, RunCallAnswer};
use super::run_rules::RunRules;
use super::service_counters::ServiceCounters;
use super::shard_command::ShardCommand;
use super::shard_errors::{RETRY_TIME, gone, run_key, unavailable};
use super::shard_queue::{QueueReader, ShardQueue};
use super::shared_budget::SharedBudget;
use crate::service::{IngestError, IngestItem, StepAnswer};

/// Time between two looks at leases and idle runs.
const TICK: Duration = Duration::from_secs(5);

/// The settings of a shard.
pub(super) struct ShardOptions {
    pub(super) store: Arc<dyn ServiceStore>,
    pub(super) settings: Settings,
    pub(super) owner: String,
    pub(super) lease: Duration,
    pub(super) idle: Duration,
    pub(super) max_runs: usize,
    pub(super) counters: Arc<ServiceCounters>,
    /// Number of the last entry that was stored.
    pub(super) entries: watch::Sender<i64>,
    /// Number of steps that wait for this shard.
    pub(super) queued: Arc<AtomicUsize>,
}

/// A thread's guards.
pub(super) struct GuardShard {
    pub(super) options: ShardOptions,
    pub(super) runs: BTreeMap<ServiceRunKey, GuardedRun>,
    pub(super) rules: ProjectRules,
    budget: SharedBudget,
    ticked: Instant,
    /// Number of runs that the metrics count for this shard.
    pub(super) counted_runs: u64,
}

/// The runs that a batch changed.
type ShardChanges = BTreeMap<ServiceRunKey, PendingChange>;

impl GuardShard {
    pub(super) fn new(options: ShardOptions, no_rules: Arc<RunRules>) -> Self {
        let rules = ProjectRules::new(Arc::clone(&options.store), options.settings.clone(), no_rules);
        let budget = SharedBudget::new(Arc::clone(&options.store), &options.settings);
        let runs = BTreeMap::new();
        GuardShard { options, runs, rules, budget, ticked: Instant::now(), counted_runs: 0 }
    }

    /// Carries out commands until the pool ends.
    pub(super) fn run(mut self, queue: &ShardQueue<ShardCommand>) {
        let reader = QueueReader(queue);
        while let Some(batch) = reader.0.next_batch(TICK) {
            let ended = self.carry_out(batch);
            if let Some(ended) = ended {
                self.put_all_away();
                let _ = ended.send(());
                return;
            }
            self.make_room();
            self.count_runs();
            if self.ticked.elapsed() >= TICK {
                self.ticked = Instant::now();
                self.tick();
            }
        }
        self.put_all_away();
    }

    fn carry_out(&mut self, batch: Vec<ShardCommand>) -> Option<oneshot::Sender<()>> {
        let mut ended = None;
        let mut changes = ShardChanges::new();
        let mut replies = Vec::new();
        let failures = self.claim(&batch);
        self.budget.begin_batch();
        for command in batch {
            let steps = command.steps();
            match command {
                ShardCommand::Steps { project, items, arrived, reply } => {
                    let mut runs = Vec::new();
                    let answers = self.observe(&project, items, &failures, &mut changes, &mut runs);
                    replies.push(PendingReply::Steps { answers, runs, arrived, reply });
                }
                ShardCommand::Call { key, call, idempotency, input, reply } => {
                    let answer = self.call(&key, &call, idempotency, &input, &failures, &mut changes);
                    replies.push(PendingReply::Call { answer, run: key, reply });
                }
                ShardCommand::RefreshRules(project) => self.rules.refresh(&project),
                ShardCommand::SetStop(key, reason) => {
                    if let Some(run) = self.runs.get_mut(&key) {
                        run.stop_request = reason;
                    }
                }
                ShardCommand::Forget(key) => drop(self.runs.remove(&key)),
                ShardCommand::End(reply) => ended = Some(reply),
            }
            self.options.queued.fetch_sub(steps, Ordering::Relaxed);
        }
        let lost = self.store(changes);
        for reply in replies {
            reply.send(&lost, &self.options.counters);
        }
        ended
    }

    fn observe(
        &mut self,
        project: &str,
        items: Vec<IngestItem>,
        failures: &BTreeMap<ServiceRunKey, IngestError>,
        changes: &mut ShardChanges,
        touched: &mut Vec<ServiceRunKey>,
    ) -> Result<Vec<StepAnswer>, IngestError> {
        let rules = self.rules.of_project(project)?;
        let mut answers = Vec::with_capacity(items.len());
        for item in items {
            let key = run_key(project, &item.run);
            if let Some(failure) = failures.get(&key) {
                return Err(failure.clone());
            }
            if let Some((verdict, json)) = self.answer_before(&key, item.key.as_deref())? {
                touched.push(key);
                let verdict = verdict.as_str();
                answers.push(StepAnswer { run: item.run, verdict, duplicate: true, details: None, json });
                continue;
            }
            let Some(run) = self.runs.get_mut(&key) else { return Err(gone()) };
            let pending = changes.entry(key.clone()).or_default();
            let time = now();
            run.used = Instant::now();
            let step = self.budget.price(&item.step).unwrap_or(item.step);
            let spent = self.budget.before(project, &step, time).map_err(|error| unavailable(&error))?;
            let answer = run
                .follow_rules(&rules, time, pending)
                .and_then(|()| run.note_spending(spent.as_ref(), time, pending))
                .and_then(|()| run.observe(&step, item.key, time, pending, &self.options.counters));
            touched.push(key.clone());
            match answer {
                Ok(answer) => answers.push(answer),
                Err(error) => {
                    // The guard may have seen a part of the step: it is restored without it. Nothing that this batch did to the
                    // run is stored, and its other commands fail too.
                    self.runs.remove(&key);
                    return Err(IngestError::Unavailable { message: error.text(), retry_after: RETRY_TIME });
                }
            }
        }
        Ok(answers)
    }

    /// Returns the answer to an earlier step with this key.
    fn answer_before(
        &self,
        run: &ServiceRunKey,
        key: Option<&str>,
    ) -> Result<Option<(RunVerdict, String)>, IngestError> {
        let Some(key) = key else { return Ok(None) };
        let Some(run) = self.runs.get(run) else { return Err(gone()) };
        match run.known_answer(key) {
            KnownAnswer::Known(verdict, json) => return Ok(Some((verdict, json))),
            KnownAnswer::New => return Ok(None),
            KnownAnswer::InStore => {}
        }
        let Some(lease) = &run.lease else { return Ok(None) };
        let found = self.options.store.find_keys(lease.run, &[key]).map_err(|error| unavailable(&error))?;
        Ok(found.into_iter().next().map(|entry| (entry.verdict, entry.answer)))
    }

    fn call(
        &mut self,
        key: &ServiceRunKey,
        call: &RunCall,
        idempotency: Option<String>,
        input: &str,
        failures: &BTreeMap<ServiceRunKey, IngestError>,
        changes: &mut ShardChanges,
    ) -> Result<RunCallAnswer, IngestError> {
        if let Some(failure) = failures.get(key) {
            return Err(failure.clone());
        }
        let rules = self.rules.of_project(&key.project)?;
        if !self.runs.contains_key(key) {
            let run = GuardedRun::unknown(&key.run, rules);
            return Ok(
                run.and_then(|mut run| run.call(call, None, input, now(), &mut PendingChange::default()))
            );
        }
        if let Some((_, json)) = self.answer_before(key, idempotency.as_deref())? {
            return Ok(Ok(json));
        }
        let Some(run) = self.runs.get_mut(key) else { return Err(gone()) };
        let (time, mut pending) = (now(), changes.remove(key).unwrap_or_default());
        run.used = Instant::now();
        let answer = run
            .follow_rules(&rules, time, &mut pending)
            .and_then(|()| run.call(call, idempotency, input, time, &mut pending));
        if !pending.entries.is_empty() || pending.needs_snapshot {
            changes.insert(key.clone(), pending);
        }
        Ok(answer)
    }

    /// Stores what a batch changed. Returns the runs whose change was not stored; their guards are restored from the store when
    /// they are needed again.
    fn store(&mut self, changes: ShardChanges) -> BTreeMap<ServiceRunKey, IngestError> {
        let mut lost = BTreeMap::new();
        let mut keys = Vec::with_capacity(changes.len());
        let mut batch = Vec::with_capacity(changes.len());
        for (key, pending) in changes {
            let prepared = self.runs.get_mut(&key).ok_or_else(gone).and_then(|run| {
                let lease = run.lease.clone().ok_or_else(gone)?;
                let snapshot = run.snapshot(pending.needs_snapshot).map_err(|error| {
                    IngestError::Unavailable { message: error.text(), retry_after: RETRY_TIME }
                })?;
                let loops = pending.loops.into_values().collect();
                Ok(RunAppend {
                    lease,
                    entries: pending.entries,
                    figures: run.figures.clone(),
                    snapshot,
                    loops,
                })
            });
            match prepared {
                Ok(addition) => {
                    batch.push(addition);
                    keys.push(key);
                }
                Err(error) => drop(lost.insert(key, error)),
            }
        }
        if !batch.is_empty() {
            match self.options.store.append(&batch, now()) {
                Ok(results) => self.take_results(keys, results, &mut lost),
                Err(error) => {
                    let error = unavailable(&error);
                    lost.extend(keys.into_iter().map(|key| (key, error.clone())));
                }
            }
        }
        for key in lost.keys() {
            self.runs.remove(key);
        }
        lost
    }

    fn take_results(
        &mut self,
        keys: Vec<ServiceRunKey>,
        results: Vec<AppendResult>,
        lost: &mut BTreeMap<ServiceRunKey, IngestError>,
    ) {
        let mut latest = 0;
        for (key, result) in keys.into_iter().zip(results) {
            match result {
                AppendResult::Stored { last_id, stop_request } => {
                    latest = latest.max(last_id);
                    if let Some(run) = self.runs.get_mut(&key) {
                        run.stop_request = stop_request;
                    }
                }
                AppendResult::LeaseLost => drop(lost.insert(key, gone())),
            }
        }
        self.options.entries.send_if_modified(|last| {
            let is_later = latest > *last;
            *last = latest.max(*last);
            is_later
        });
    }
}
