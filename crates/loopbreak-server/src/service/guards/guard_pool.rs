//! Finds the thread that has a run, and takes no more than can be handled.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use loopbreak::Settings;
use loopbreak::step::EpochMillis;
use loopbreak_store::service::{ServiceRunKey, ServiceStore};
use loopbreak_store::{mask_step, now};
use tokio::sync::{oneshot, watch};

use super::guard_shard::{GuardShard, ShardOptions};
use super::run_call::{RunCall, RunCallAnswer};
use super::run_rules::RunRules;
use super::service_counters::ServiceCounters;
use super::shard_command::ShardCommand;
use super::shard_queue::{CommandLane, ShardQueue};
use crate::mcp::ServeError;
use crate::mcp::protocol::input_limits::check_task_id;
use crate::mcp::tools::check_step;
use crate::service::{IngestError, IngestItem, ProjectName, StepAnswer, StepSink};

/// Time after which a client that was turned away may try again.
const RETRY_TIME: Duration = Duration::from_secs(1);
/// Longest idempotency key and name of a run, in characters.
const KEY_LENGTH: usize = 200;
const RUN_LENGTH: usize = 200;

/// Settings of the guards of a server.
#[derive(Clone, Debug)]
pub(crate) struct PoolOptions {
    /// Settings of the guards.
    pub(crate) settings: Settings,
    /// Name of this server.
    pub(crate) owner: String,
    /// Time after which another server may take the runs of one that was cut off.
    pub(crate) lease: Duration,
    /// Time after which a run that is not used is put away.
    pub(crate) idle: Duration,
    /// Largest number of runs in memory.
    pub(crate) max_runs: usize,
    /// Largest number of steps that wait.
    pub(crate) max_queued: usize,
    /// Number of threads.
    pub(crate) shards: usize,
}

/// The guards of a server. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct GuardPool {
    shared: Arc<PoolShared>,
}

#[derive(Debug)]
struct PoolShared {
    shards: Vec<ShardHandle>,
    max_queued: usize,
    counters: Arc<ServiceCounters>,
    entries: watch::Sender<i64>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

#[derive(Debug)]
struct ShardHandle {
    commands: Arc<ShardQueue<ShardCommand>>,
    /// Number of steps that wait.
    queued: Arc<AtomicUsize>,
}

impl GuardPool {
    /// Starts the threads.
    pub(crate) fn start(store: &Arc<dyn ServiceStore>, options: &PoolOptions) -> Result<Self, ServeError> {
        let counters: Arc<ServiceCounters> = Arc::default();
        let (entries, _) = watch::channel(store.last_entry()?);
        let no_rules = RunRules::new(&options.settings, Vec::new())?;
        let count = options.shards.max(1);
        let mut shards = Vec::with_capacity(count);
        let mut threads = Vec::with_capacity(count);
        for number in 0..count {
            let commands: Arc<ShardQueue<ShardCommand>> = Arc::default();
            let queue = Arc::clone(&commands);
            let queued: Arc<AtomicUsize> = Arc::default();
            let shard = ShardOptions {
                store: Arc::clone(store),
                settings: options.settings.clone(),
                owner: options.owner.clone(),
                lease: options.lease,
                idle: options.idle,
                max_runs: options.max_runs.div_ceil(count),
                counters: Arc::clone(&counters),
                entries: entries.clone(),
                queued: Arc::clone(&queued),
            };
            let no_rules = Arc::clone(&no_rules);
            let thread = thread::Builder::new()
                .name(format!("guards-{number}"))
                .spawn(move || GuardShard::new(shard, no_rules).run(&queue))
                .map_err(ServeError::Thread)?;
            threads.push(thread);
            shards.push(ShardHandle { commands, queued });
        }
        let max_queued = options.max_queued.div_ceil(count);
        let threads = Mutex::new(threads);
        Ok(GuardPool { shared: Arc::new(PoolShared { shards, max_queued, counters, entries, threads }) })
    }

    /// Returns what the metrics count.
    pub(crate) fn counters(&self) -> &ServiceCounters {
        &self.shared.counters
    }

    /// Returns a receiver of the number of the last entry that was stored.
    pub(crate) fn entries(&self) -> watch::Receiver<i64> {
        self.shared.entries.subscribe()
    }

    /// Returns the number of steps that wait.
    pub(crate) fn queued(&self) -> usize {
        self.shared.shards.iter().map(|shard| shard.queued.load(Ordering::Relaxed)).sum()
    }

    fn shard(&self, project: &str, run: &str) -> usize {
        // The same on every start, which nothing depends on.
        let mut hasher = DefaultHasher::new();
        (project, run).hash(&mut hasher);
        (hasher.finish() % self.shared.shards.len() as u64) as usize
    }

    /// Takes places in the queue of a shard. A request is never too large for an empty queue.
    fn enter(&self, shard: usize, steps: usize) -> Result<(), IngestError> {
        let queued = &self.shared.shards[shard].queued;
        let before = queued.fetch_add(steps, Ordering::Relaxed);
        if before > 0 && before + steps > CommandLane::of_request(steps).limit(self.shared.max_queued) {
            queued.fetch_sub(steps, Ordering::Relaxed);
            self.shared.counters.count_shed(steps as u64);
            return Err(IngestError::Overloaded { retry_after: RETRY_TIME });
        }
        Ok(())
    }

    fn send(&self, shard: usize, command: ShardCommand) -> Result<(), IngestError> {
        let steps = command.steps();
        let handle = &self.shared.shards[shard];
        if handle.commands.add(CommandLane::of_request(steps), steps, command) {
            return Ok(());
        }
        handle.queued.fetch_sub(steps, Ordering::Relaxed);
        Err(ending())
    }

    /// Carries out a call about a run. `input` is the call as JSON, for the log of the run.
    pub(crate) async fn call(
        &self,
        project: &ProjectName,
        run: &str,
        call: RunCall,
        idempotency: Option<String>,
        input: String,
    ) -> Result<RunCallAnswer, IngestError> {
        let run =
            run_name(run).map_err(|(message, hint)| IngestError::InvalidStep { index: 0, message, hint })?;
        let shard = self.shard(project.as_str(), run);
        self.enter(shard, 1)?;
        let (reply, answer) = oneshot::channel();
        let key = ServiceRunKey { project: project.to_string(), run: run.to_owned() };
        let call = Box::new(call);
        self.send(shard, ShardCommand::Call { key, call, idempotency, input, reply })?;
        answer.await.map_err(|_| ending())?
    }

    /// Reads the allowed loops of a project again, in all threads.
    pub(crate) fn refresh_rules(&self, project: &ProjectName) {
        for shard in &self.shared.shards {
            shard.commands.add(CommandLane::Live, 0, ShardCommand::RefreshRules(project.to_string()));
        }
    }

    /// Tells a guard that somebody asked to stop its run, or withdrew that.
    pub(crate) fn set_stop(&self, key: ServiceRunKey, reason: Option<String>) {
        let shard = self.shard(&key.project, &key.run);
        self.shared.shards[shard].commands.add(CommandLane::Live, 0, ShardCommand::SetStop(key, reason));
    }

    /// Removes the guard of a run that was deleted.
    pub(crate) fn forget(&self, key: ServiceRunKey) {
        let shard = self.shard(&key.project, &key.run);
        self.shared.shards[shard].commands.add(CommandLane::Live, 0, ShardCommand::Forget(key));
    }

    /// Wakes those who wait for entries, after one was added without a guard.
    pub(crate) fn note_entry(&self, id: i64) {
        self.shared.entries.send_if_modified(|last| {
            let is_later = id > *last;
            *last = id.max(*last);
            is_later
        });
    }

    /// Puts all guards away. Blocks until that is done.
    pub(crate) fn end(&self) {
        for shard in &self.shared.shards {
            let (reply, _) = oneshot::channel();
            shard.commands.add(CommandLane::Last, 0, ShardCommand::End(reply));
        }
        let threads =
            std::mem::take(&mut *self.shared.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            let _ = thread.join();
        }
    }
}

/// The threads put their guards away when nobody uses the pool any more.
impl Drop for PoolShared {
    fn drop(&mut self) {
        for shard in &self.shards {
            shard.commands.end();
        }
    }
}

impl StepSink for GuardPool {
    async fn ingest(
        &self,
        project: &ProjectName,
        items: Vec<IngestItem>,
    ) -> Result<Vec<StepAnswer>, IngestError> {
        let arrived = Instant::now();
        let total = items.len();
        // All are checked before the first is observed.
        let mut parts: BTreeMap<usize, (Vec<usize>, Vec<IngestItem>)> = BTreeMap::new();
        for (index, item) in items.into_iter().enumerate() {
            let item = check_item(item).map_err(|(message, hint)| IngestError::InvalidStep {
                index,
                message,
                hint,
            })?;
            let (places, part) = parts.entry(self.shard(project.as_str(), &item.run)).or_default();
            places.push(index);
            part.push(item);
        }
        for (shard, (_, part)) in &parts {
            if let Err(error) = self.enter(*shard, part.len()) {
                for (entered, (_, part)) in parts.range(..shard) {
                    self.shared.shards[*entered].queued.fetch_sub(part.len(), Ordering::Relaxed);
                }
                return Err(error);
            }
        }
        let mut waiting = Vec::with_capacity(parts.len());
        let mut failure = None;
        for (shard, (places, items)) in parts {
            let (reply, answers) = oneshot::channel();
            let project = project.to_string();
            match self.send(shard, ShardCommand::Steps { project, items, arrived, reply }) {
                Ok(()) => waiting.push((places, answers)),
                Err(error) => failure = Some(error),
            }
        }
        let mut all: Vec<Option<StepAnswer>> = vec![None; total];
        for (places, answers) in waiting {
            match answers.await.unwrap_or_else(|_| Err(ending())) {
                Ok(answers) => {
                    for (place, answer) in places.into_iter().zip(answers) {
                        all[place] = Some(answer);
                    }
                }
                Err(error) => failure = Some(error),
            }
        }
        match failure {
            Some(error) => Err(error),
            None => Ok(all.into_iter().flatten().collect()),
        }
    }
}

/// Checks a step, masks its secrets and completes it.
fn check_item(item: IngestItem) -> Result<IngestItem, (String, String)> {
    let IngestItem { run, key, mut step } = item;
    let run = run_name(&run)?.to_owned();
    if let Some(key) = &key
        && (key.is_empty() || key.chars().count() > KEY_LENGTH || key.chars().any(char::is_control))
    {
        let hint = "Use the same key when you send the same step again, and another one for every other step";
        return Err((
            format!("Invalid idempotency key: use 1–{KEY_LENGTH} characters on one line"),
            hint.to_owned(),
        ));
    }
    check_step(&step).map_err(crate::mcp::protocol::ToolError::into_parts)?;
    if let Some(task) = &step.task {
        check_task_id(&task.id.as_text()).map_err(crate::mcp::protocol::ToolError::into_parts)?;
    }
    step.run = None;
    step.at.get_or_insert(EpochMillis(now()));
    let step = mask_step(step)
        .ok_or_else(|| ("The step cannot be read".to_owned(), "Send a simpler one".to_owned()))?;
    Ok(IngestItem { run, key, step })
}

/// Checks the name of a run. Characters are counted, as the description of the API can say it.
fn run_name(name: &str) -> Result<&str, (String, String)> {
    let trimmed = name.trim();
    if trimmed.is_empty() || name.chars().count() > RUN_LENGTH || name.chars().any(char::is_control) {
        let message = format!("Invalid run name: use 1–{RUN_LENGTH} characters on one line");
        return Err((message, "Nothing was recorded".to_owned()));
    }
    Ok(trimmed)
}

fn ending() -> IngestError {
    IngestError::Unavailable { message: "the server is ending".to_owned(), retry_after: 5 * RETRY_TIME }
}
