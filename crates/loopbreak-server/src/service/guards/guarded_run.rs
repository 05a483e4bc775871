//! One run: its guard, its figures, and its state between two steps.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use loopbreak::detectors::SharedSpending;
use loopbreak::{Guard, Mode, Proposal, Step, Verdict};
use loopbreak_store::service::{
    ClaimedRun, EntryKind, LoadedRun, LoopUpdate, NewEntry, RunFigures, RunLease, RunVerdict, StateSnapshot,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::known_keys::{KnownAnswer, KnownKeys};
use super::met_loops::note_loops;
use super::run_call::{RunCall, RunCallAnswer, write_answer};
use super::run_rules::{AllowedLoopRecord, RunRules};
use super::service_counters::ServiceCounters;
use super::step_figures::{add_step, cost_of, tokens_of};
use super::task_store::{RunTasks, TaskStore};
use crate::mcp::protocol::ToolError;
use crate::mcp::state::{CallTransaction, ServerState};
use crate::mcp::tools::output::{RecordStepOutput, RulingOutput};
use crate::mcp::tools::{observe_filtered, verdict_output};
use crate::service::StepAnswer;

/// Number of entries after which a snapshot is stored.
const SNAPSHOT_ENTRIES: u64 = 32;
/// A run with at most this many entries since its last snapshot is replayed rather than stored when it is put away.
const REPLAYED_ENTRIES: u64 = 8;
/// The reason of an end that somebody asked for.
const STOP_REQUEST: &str = "stop_request";

/// A run in memory.
#[derive(Debug)]
pub(super) struct GuardedRun {
    pub(super) name: String,
    /// `None` for a run that does not exist and is only asked about.
    pub(super) lease: Option<RunLease>,
    pub(super) figures: RunFigures,
    pub(super) stop_request: Option<String>,
    pub(super) used: Instant,
    transaction: CallTransaction,
    tasks: RunTasks,
    rules: Arc<RunRules>,
    /// Spending of the project before the next step, if its verdict can depend on it.
    spent: Option<SharedSpending>,
    last_seq: u64,
    entries_since_snapshot: u64,
    keys: KnownKeys,
}

/// A change of a run that is not stored yet.
#[derive(Debug, Default)]
pub(super) struct PendingChange {
    pub(super) entries: Vec<NewEntry>,
    pub(super) loops: BTreeMap<String, LoopUpdate>,
    pub(super) needs_snapshot: bool,
}

/// The state of a run as it is stored.
#[derive(Deserialize, Serialize)]
struct RunSnapshot {
    state: Box<RawValue>,
    #[serde(default, skip_serializing_if = "RunTasks::is_empty")]
    tasks: RunTasks,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    allowed: Vec<AllowedLoopRecord>,
}

/// The answer to a step.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StepReply {
    #[serde(flatten)]
    pub(crate) output: RecordStepOutput,
    /// First turn of the current loop. The agent may drop the steps since then from its context.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rewind_to: Option<u64>,
}

/// The answer to the question whether to take an action.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RulingReply {
    #[serde(flatten)]
    pub(crate) output: RulingOutput,
    /// Number of the last step of the run.
    pub(crate) turn: u64,
    /// Reason why the run should end now, if it should.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stop: Option<String>,
}

impl GuardedRun {
    /// Restores a run from its last snapshot and the entries after it. `rules_of` returns the rules for allowed loops.
    pub(super) fn restore(
        claimed: ClaimedRun,
        loaded: LoadedRun,
        rules_of: &mut dyn FnMut(Vec<AllowedLoopRecord>) -> Result<Arc<RunRules>, ToolError>,
    ) -> Result<Self, ToolError> {
        let ClaimedRun { lease, run } = claimed;
        let snapshot = loaded.snapshot.map(|stored| {
            let read = serde_json::from_str::<RunSnapshot>(&stored.state);
            read.map_err(|error| {
                ToolError::new(
                    format!("The state of the run cannot be read: {error}"),
                    "Nothing was recorded",
                )
            })
        });
        let snapshot = snapshot.transpose()?;
        let (state, tasks, allowed) = match &snapshot {
            Some(snapshot) => (Some(snapshot.state.get()), snapshot.tasks.clone(), snapshot.allowed.clone()),
            None => (None, RunTasks::default(), Vec::new()),
        };
        let rules = rules_of(allowed)?;
        let mut restored = GuardedRun::new(run.run, Some(lease), state, rules)?;
        restored.figures = run.figures;
        restored.stop_request = run.stop_request;
        restored.tasks = tasks;
        restored.last_seq = run.last_seq;
        restored.entries_since_snapshot = loaded.entries.len() as u64;
        restored.keys.is_complete = run.last_seq == 0;
        for entry in loaded.entries {
            match entry.kind {
                EntryKind::Step => {
                    let step = Step::from_json(&entry.input).map_err(|error| {
                        ToolError::new(
                            format!("A step of the run cannot be read: {error}"),
                            "Nothing was recorded",
                        )
                    })?;
                    restored.judge(&step, entry.at)?;
                }
                EntryKind::Rules => {
                    let records = serde_json::from_str(&entry.input).unwrap_or_default();
                    restored.apply_rules(rules_of(records)?)?;
                }
                EntryKind::Spending => restored.spent = serde_json::from_str(&entry.input).ok(),
                // A snapshot was stored with each of the others.
                _ => {}
            }
        }
        Ok(restored)
    }

    /// Creates a run that is only asked about.
    pub(super) fn unknown(name: &str, rules: Arc<RunRules>) -> Result<Self, ToolError> {
        GuardedRun::new(name.to_owned(), None, None, rules)
    }

    fn new(
        name: String,
        lease: Option<RunLease>,
        state: Option<&str>,
        rules: Arc<RunRules>,
    ) -> Result<Self, ToolError> {
        let (steps, config) = &rules.configs;
        let transaction = CallTransaction::restore(state, steps, config, &name, 0)?;
        Ok(GuardedRun {
            name,
            lease,
            figures: RunFigures::default(),
            stop_request: None,
            used: Instant::now(),
            transaction,
            tasks: RunTasks::default(),
            rules,
            spent: None,
            last_seq: 0,
            entries_since_snapshot: 0,
            keys: KnownKeys::default(),
        })
    }

    /// Shows a step to the guard. Called with the same steps and times, it does the same.
    fn judge(&mut self, step: &Step<'_>, now: i64) -> Result<(RecordStepOutput, Verdict), ToolError> {
        self.transaction.begin_next(now);
        // Sums of an earlier step are never used again, so that it makes no difference whether the guard was restored meanwhile.
        let spent = self.spent.take().unwrap_or_default();
        self.transaction.guard.share_spending(spent);
        if step.task.is_some() {
            self.transaction.tasks.clone_from(&self.tasks.roadmap);
        }
        let rules = Arc::clone(&self.rules);
        let judged =
            observe_filtered(&mut self.transaction, &self.name, step, |verdict| rules.silence(verdict))?;
        if step.task.is_some() {
            self.tasks.add(&self.transaction.records);
            self.transaction.tasks.clear();
        }
        Ok(judged)
    }

    /// Changes the rules of the guard.
    fn apply_rules(&mut self, rules: Arc<RunRules>) -> Result<(), ToolError> {
        let snapshot = self.transaction.guard.snapshot();
        let guard = Guard::restore(rules.configs.0.clone(), snapshot);
        self.transaction.guard =
            guard.map_err(|error| ToolError::new(error.to_string(), "Nothing was recorded"))?;
        self.rules = rules;
        Ok(())
    }

    /// Applies the rules of the project if they have changed, and adds that to the log of the run.
    pub(super) fn follow_rules(
        &mut self,
        rules: &Arc<RunRules>,
        now: i64,
        pending: &mut PendingChange,
    ) -> Result<(), ToolError> {
        if self.rules.allowed == rules.allowed {
            return Ok(());
        }
        self.apply_rules(Arc::clone(rules))?;
        let input = serde_json::to_string(&rules.records()).unwrap_or_default();
        let entry = self.new_entry(EntryKind::Rules, now, None, input, String::new());
        pending.entries.push(entry);
        Ok(())
    }

    /// Adds to the log of the run what its project had spent before the next step.
    pub(super) fn note_spending(
        &mut self,
        spent: Option<&SharedSpending>,
        now: i64,
        pending: &mut PendingChange,
    ) -> Result<(), ToolError> {
        let Some(spent) = spent else { return Ok(()) };
        let invalid = |error: serde_json::Error| ToolError::new(error.to_string(), "Nothing was recorded");
        let input = serde_json::to_string(spent).map_err(invalid)?;
        // The very numbers that a replay reads.
        self.spent = Some(serde_json::from_str(&input).map_err(invalid)?);
        let entry = self.new_entry(EntryKind::Spending, now, None, input, String::new());
        pending.entries.push(NewEntry { notable: false, ..entry });
        Ok(())
    }

    /// Observes a step, and adds it to what has to be stored. Nothing is answered before that.
    pub(super) fn observe(
        &mut self,
        step: &Step<'static>,
        key: Option<String>,
        now: i64,
        pending: &mut PendingChange,
        counters: &ServiceCounters,
    ) -> Result<StepAnswer, ToolError> {
        let input = serde_json::to_string(step)
            .map_err(|error| ToolError::new(error.to_string(), "Nothing was recorded"))?;
        let (mut output, verdict) = self.judge(step, now)?;
        let judged = output.verdict.parse().unwrap_or_default();
        counters.count_findings(&verdict);
        let known = &self.transaction.state.guard.loops;
        let wasted_by = note_loops(known, &self.figures.model, step, &verdict, judged, &mut pending.loops);
        self.figures.held_out = self.held_out();
        add_step(&mut self.figures, step, &verdict, judged);
        if wasted_by.is_some() {
            counters.count_waste(tokens_of(step), cost_of(step));
        }
        let is_notable = !verdict.findings.is_empty() || verdict.stop.is_some();
        if let Some(reason) = &self.stop_request {
            output.verdict = RunVerdict::Stop.as_str();
            output.stop = Some(STOP_REQUEST.to_owned());
            output.advice.push(stop_advice(reason));
            STOP_REQUEST.clone_into(&mut self.figures.stopped);
        }
        let answered = output.verdict.parse().unwrap_or(judged);
        self.figures.verdict = answered;
        self.figures.worst = self.figures.worst.max(answered);
        let word = output.verdict;
        let reply = StepReply { output, rewind_to: verdict.rewind_to };
        let json = serde_json::to_string(&reply)
            .map_err(|error| ToolError::new(error.to_string(), "Nothing was recorded"))?;
        let entry = NewEntry {
            verdict: answered,
            notable: is_notable,
            model: step.model.as_deref().map_or_else(|| self.figures.model.clone(), str::to_owned),
            tokens: tokens_of(step),
            cost: cost_of(step),
            wasted_by,
            ..self.new_entry(EntryKind::Step, now, key.clone(), input, json.clone())
        };
        pending.entries.push(entry);
        if let Some(key) = key {
            self.keys.add(key, answered, &json);
        }
        let details = Some(Box::new(verdict));
        Ok(StepAnswer { run: self.name.clone(), verdict: word, duplicate: false, details, json })
    }

    /// Returns the next entry of the run.
    fn new_entry(
        &mut self,
        kind: EntryKind,
        at: i64,
        key: Option<String>,
        input: String,
        answer: String,
    ) -> NewEntry {
        self.last_seq += 1;
        self.entries_since_snapshot += 1;
        NewEntry {
            seq: self.last_seq,
            at,
            kind,
            key,
            verdict: self.figures.verdict,
            notable: kind != EntryKind::Step,
            input,
            answer,
            model: String::new(),
            tokens: 0,
            cost: 0.0,
            wasted_by: None,
        }
    }

    /// Returns whether the run is held out, `None` if no runs are.
    fn held_out(&self) -> Option<bool> {
        let guard = &self.transaction.guard;
        let divides = guard.config().policy.holdout > 0.0 && guard.config().mode == Mode::Enforce;
        divides.then(|| guard.is_held_out())
    }

    /// Weighs a proposal. Changes nothing.
    fn weigh(&self, proposal: &Proposal<'_>) -> RunCallAnswer {
        let guard = &self.transaction.guard;
        let mut output = verdict_output::ruling(&self.name, &guard.weigh(proposal));
        if let Some(reason) = &self.stop_request {
            output.accepted = false;
            output.advice.push(stop_advice(reason));
        }
        let stop = self.stop_request.is_some().then(|| STOP_REQUEST.to_owned());
        write_answer(&RulingReply { output, turn: guard.turn(), stop })
    }

    /// Carries out a call. If it changes the run, that is added to what has to be stored.
    pub(super) fn call(
        &mut self,
        call: &RunCall,
        key: Option<String>,
        input: &str,
        now: i64,
        pending: &mut PendingChange,
    ) -> RunCallAnswer {
        if let RunCall::Weigh(proposal) = call {
            return self.weigh(proposal);
        }
        let source = ServerState::key("").source;
        let state = Some(self.transaction.state_json()?);
        let store = TaskStore::new(&source, &self.name, state, self.tasks.clone());
        let mut server = ServerState::of_run(Box::new(store.clone()), &self.rules.configs);
        let name = &self.name;
        let answer = match call {
            RunCall::Weigh(proposal) => self.weigh(proposal),
            RunCall::DetectLoop(task) => {
                server.detect_loop(name, task.as_deref()).and_then(|output| write_answer(&output))
            }
            RunCall::TaskStatus { task, offset } => {
                server.task_status(name, task.as_deref(), *offset).and_then(|output| write_answer(&output))
            }
            RunCall::Attempt(input) => {
                server.record_attempt(name, input).and_then(|output| write_answer(&output))
            }
            RunCall::Plan(input) => {
                server.plan_next(name, &input.tasks).and_then(|output| write_answer(&output))
            }
            RunCall::Recover(task) => {
                server.apply_recovery(name, task).and_then(|output| write_answer(&output))
            }
        }?;
        let mut content = store.content();
        if content.changed {
            let (steps, config) = &self.rules.configs;
            let state = content.state.as_deref();
            self.transaction = CallTransaction::restore(state, steps, config, &self.name, now)?;
            self.tasks = std::mem::take(&mut content.tasks);
            pending.needs_snapshot = true;
        }
        drop(content);
        if let Some(kind) = call.entry_kind() {
            let entry = self.new_entry(kind, now, key.clone(), input.to_owned(), answer.clone());
            pending.entries.push(entry);
            pending.needs_snapshot = true;
            if let Some(key) = key {
                self.keys.add(key, self.figures.verdict, &answer);
            }
        }
        Ok(answer)
    }

    /// Returns the answer to an earlier step or call with this key.
    pub(super) fn known_answer(&self, key: &str) -> KnownAnswer {
        self.keys.find(key)
    }

    /// Returns a snapshot if it is due or asked for.
    pub(super) fn snapshot(&mut self, is_wanted: bool) -> Result<Option<StateSnapshot>, ToolError> {
        if !is_wanted && self.entries_since_snapshot < SNAPSHOT_ENTRIES {
            return Ok(None);
        }
        let invalid = |error: serde_json::Error| ToolError::new(error.to_string(), "Nothing was recorded");
        let state = RawValue::from_string(self.transaction.state_json()?).map_err(invalid)?;
        let (tasks, allowed) = (self.tasks.clone(), self.rules.records());
        let snapshot = serde_json::to_string(&RunSnapshot { state, tasks, allowed }).map_err(invalid)?;
        self.entries_since_snapshot = 0;
        Ok(Some(StateSnapshot { seq: self.last_seq, state: snapshot }))
    }

    /// Returns whether a snapshot has to be stored before the run is put away.
    pub(super) fn is_worth_a_snapshot(&self) -> bool {
        self.entries_since_snapshot > REPLAYED_ENTRIES
    }
}

/// Returns the text for the agent of a run that somebody asked to stop.
fn stop_advice(reason: &str) -> String {
    format!("A person asked to stop this run: {reason}. Stop now and report where you are.")
}
