//! One thread with the guards of some runs. It gathers the commands that arrived while it stored the last ones, carries them
//! out in their order, stores everything in one transaction, and only then answers. Many small requests share the cost of a
//! commit that way, and none waits for a timer.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use loopbreak::Settings;
use loopbreak_store::service::{
    AppendResult, RunAppend, RunClaim, RunLease, RunVerdict, ServiceRunKey, ServiceStore,
};
use loopbreak_store::{StoreError, now};
use tokio::sync::{oneshot, watch};

use super::guarded_run::{GuardedRun, PendingChange};
use super::known_keys::KnownAnswer;
use super::run_call::{RunCall, RunCallAnswer};
use super::run_rules::{AllowedLoopRecord, RunRules};
use super::service_counters::ServiceCounters;
use crate::mcp::protocol::ToolError;
use crate::service::{IngestError, IngestItem, StepAnswer};

/// Number of steps in one transaction, above which no more commands are added to it.
const BATCH_STEPS: usize = 200;
/// Time between two looks at leases and idle runs.
const TICK: Duration = Duration::from_secs(5);
/// Time after which the allowed loops of a project are read again. Other servers may change them.
const RULES_TIME: Duration = Duration::from_secs(2);
/// Time after which a client may try again.
const RETRY_TIME: Duration = Duration::from_secs(1);

/// A command to a shard.
pub(super) enum ShardCommand {
    /// Observes steps.
    Steps {
        project: String,
        items: Vec<IngestItem>,
        arrived: Instant,
        reply: oneshot::Sender<Result<Vec<StepAnswer>, IngestError>>,
    },
    /// Carries out a call about a run.
    Call {
        key: ServiceRunKey,
        call: Box<RunCall>,
        idempotency: Option<String>,
        input: String,
        reply: oneshot::Sender<Result<RunCallAnswer, IngestError>>,
    },
    /// Reads the allowed loops of a project again.
    RefreshRules(String),
    /// Somebody asked to stop a run, or withdrew that.
    SetStop(ServiceRunKey, Option<String>),
    /// The run was deleted.
    Forget(ServiceRunKey),
    /// Puts all runs away and ends.
    End(oneshot::Sender<()>),
}

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
    options: ShardOptions,
    runs: BTreeMap<ServiceRunKey, GuardedRun>,
    /// The rules of each project, and when they were read.
    rules: BTreeMap<String, (Arc<RunRules>, Instant)>,
    /// The rules of a project that allows nothing.
    no_rules: Arc<RunRules>,
    ticked: Instant,
    /// Number of runs that the metrics count for this shard.
    counted_runs: u64,
}

/// A command that was carried out, and is answered when everything is stored.
enum PendingReply {
    Steps {
        answers: Result<Vec<StepAnswer>, IngestError>,
        runs: Vec<ServiceRunKey>,
        arrived: Instant,
        reply: oneshot::Sender<Result<Vec<StepAnswer>, IngestError>>,
    },
    Call {
        answer: Result<RunCallAnswer, IngestError>,
        run: ServiceRunKey,
        reply: oneshot::Sender<Result<RunCallAnswer, IngestError>>,
    },
}

/// The runs that a batch changed.
type ShardChanges = BTreeMap<ServiceRunKey, PendingChange>;

impl GuardShard {
    pub(super) fn new(options: ShardOptions, no_rules: Arc<RunRules>) -> Self {
        GuardShard {
            options,
            runs: BTreeMap::new(),
            rules: BTreeMap::new(),
            no_rules,
            ticked: Instant::now(),
            counted_runs: 0,
        }
    }

    /// Carries out commands until the pool ends.
    pub(super) fn run(mut self, commands: &Receiver<ShardCommand>) {
        loop {
            let mut batch = Vec::new();
            let mut steps = 0;
            match commands.recv_timeout(TICK) {
                Ok(command) => batch.push(command),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    self.put_all_away();
                    return;
                }
            }
            while let Some(last) = batch.last() {
                steps += last.steps();
                if steps >= BATCH_STEPS || matches!(last, ShardCommand::End(_)) {
                    break;
                }
                match commands.try_recv() {
                    Ok(command) => batch.push(command),
                    Err(_) => break,
                }
            }
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
    }

    fn carry_out(&mut self, batch: Vec<ShardCommand>) -> Option<oneshot::Sender<()>> {
        let mut ended = None;
        let mut changes = ShardChanges::new();
        let mut replies = Vec::new();
        let failures = self.claim(&batch);
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
                ShardCommand::RefreshRules(project) => drop(self.rules.remove(&project)),
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

    /// Counts the runs in memory.
    fn count_runs(&mut self) {
        let live = self.runs.len() as u64;
        let counter = &self.options.counters.live_runs;
        counter.fetch_add(live, Ordering::Relaxed);
        counter.fetch_sub(self.counted_runs, Ordering::Relaxed);
        self.counted_runs = live;
    }

    /// Claims and restores the runs that the commands need and that are not in memory. Returns the failures.
    fn claim(&mut self, batch: &[ShardCommand]) -> BTreeMap<ServiceRunKey, IngestError> {
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
            Ok(loopbreak_store::service::LoadedRun::default())
        } else {
            self.options.store.load(lease.run)
        };
        let loaded = loaded.map_err(|error| unavailable(&error))?;
        let mut rules_of = |records: Vec<AllowedLoopRecord>| self.rules_for(records);
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

    /// Returns the rules for allowed loops, those in use if they are the same.
    fn rules_for(&self, records: Vec<AllowedLoopRecord>) -> Result<Arc<RunRules>, ToolError> {
        let allowed: Vec<_> = records.into_iter().map(Into::into).collect();
        let in_use = self.rules.values().map(|(rules, _)| rules).chain([&self.no_rules]);
        if let Some(same) = in_use.into_iter().find(|rules| rules.allowed == allowed) {
            return Ok(Arc::clone(same));
        }
        RunRules::new(&self.options.settings, allowed)
            .map_err(|error| ToolError::new(error.to_string(), "Nothing was recorded"))
    }

    /// Returns the rules of a project.
    fn rules_of_project(&mut self, project: &str) -> Result<Arc<RunRules>, IngestError> {
        if let Some((rules, read)) = self.rules.get(project)
            && read.elapsed() < RULES_TIME
        {
            return Ok(Arc::clone(rules));
        }
        let allowed = self.options.store.allowed_loops(project).map_err(|error| unavailable(&error))?;
        let rules = match self.rules.get(project) {
            Some((rules, _)) if rules.allowed == allowed => Arc::clone(rules),
            _ if allowed.is_empty() => Arc::clone(&self.no_rules),
            _ => RunRules::new(&self.options.settings, allowed).map_err(|error| {
                IngestError::Unavailable { message: error.to_string(), retry_after: RETRY_TIME }
            })?,
        };
        self.rules.insert(project.to_owned(), (Arc::clone(&rules), Instant::now()));
        Ok(rules)
    }

    fn observe(
        &mut self,
        project: &str,
        items: Vec<IngestItem>,
        failures: &BTreeMap<ServiceRunKey, IngestError>,
        changes: &mut ShardChanges,
        touched: &mut Vec<ServiceRunKey>,
    ) -> Result<Vec<StepAnswer>, IngestError> {
        let rules = self.rules_of_project(project)?;
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
            let answer = run
                .follow_rules(&rules, time, pending)
                .and_then(|()| run.observe(&item.step, item.key, time, pending, &self.options.counters));
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
        let rules = self.rules_of_project(&key.project)?;
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

    /// Renews leases and puts idle runs away.
    fn tick(&mut self) {
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
    fn make_room(&mut self) {
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

    fn put_all_away(&mut self) {
        let all: Vec<ServiceRunKey> = self.runs.keys().cloned().collect();
        self.put_away(&all);
    }

    /// Stores the state of runs, gives their leases back and forgets them. If the store fails, the steps are in it all the same.
    fn put_away(&mut self, keys: &[ServiceRunKey]) {
        for some in keys.chunks(BATCH_STEPS) {
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

impl ShardCommand {
    /// Returns the number of steps that the command counts as.
    pub(super) fn steps(&self) -> usize {
        match self {
            ShardCommand::Steps { items, .. } => items.len(),
            ShardCommand::Call { .. } => 1,
            _ => 0,
        }
    }
}

impl PendingReply {
    fn send(self, lost: &BTreeMap<ServiceRunKey, IngestError>, counters: &ServiceCounters) {
        match self {
            PendingReply::Steps { answers, runs, arrived, reply } => {
                let failure = runs.iter().find_map(|run| lost.get(run).cloned());
                let answers = match failure {
                    Some(failure) => Err(failure),
                    None => answers,
                };
                if let Ok(answers) = &answers {
                    counters.count_steps(answers.len() as u64, arrived.elapsed());
                }
                // The client may have left.
                let _ = reply.send(answers);
            }
            PendingReply::Call { answer, run, reply } => {
                let _ = reply.send(match lost.get(&run) {
                    Some(failure) => Err(failure.clone()),
                    None => answer,
                });
            }
        }
    }
}

fn run_key(project: &str, run: &str) -> ServiceRunKey {
    ServiceRunKey { project: project.to_owned(), run: run.to_owned() }
}

fn unavailable(error: &StoreError) -> IngestError {
    IngestError::Unavailable { message: error.to_string(), retry_after: RETRY_TIME }
}

fn gone() -> IngestError {
    IngestError::Unavailable {
        message: "another server has taken over this run, or it was deleted".to_owned(),
        retry_after: RETRY_TIME,
    }
}
