//! One run: its guard, its figures, and its state between two steps.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use loopbreak::settings::AllowRule;
use loopbreak::text::clip;
use loopbreak::{DetectorName, Finding, Guard, Mode, Proposal, Severity, Step, Verdict};
use loopbreak_store::service::{
    ClaimedRun, EntryKind, LoadedRun, LoopUpdate, NewEntry, RunFigures, RunLease, RunVerdict, StateSnapshot,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::run_rules::{AllowedLoopRecord, RunRules};
use super::service_counters::ServiceCounters;
use super::task_store::{RunTasks, TaskStore};
use crate::mcp::protocol::ToolError;
use crate::mcp::state::{CallTransaction, ServerState};
use crate::mcp::tools::output::{RecordStepOutput, RulingOutput};
use crate::mcp::tools::{AttemptInput, PlanInput, observe_filtered, verdict_output};
use crate::service::StepAnswer;

/// Number of entries after which a snapshot is stored.
const SNAPSHOT_ENTRIES: u64 = 32;
/// A run with at most this many entries since its last snapshot is replayed rather than stored when it is put away.
const REPLAYED_ENTRIES: u64 = 8;
/// Number of idempotency keys that are remembered in memory. Older ones are looked up in the store.
const KNOWN_KEYS: usize = 64;
/// Longest text of a loop that is stored, in bytes.
const TEXT_BYTES: usize = 200;
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
    last_seq: u64,
    entries_since_snapshot: u64,
    keys: KnownKeys,
}

/// The last idempotency keys of a run, with their answers.
#[derive(Debug, Default)]
struct KnownKeys {
    answers: BTreeMap<String, (RunVerdict, String)>,
    order: VecDeque<String>,
    /// True if the run has had no other keys.
    is_complete: bool,
}

/// The answer to an earlier step with a key.
#[derive(Debug)]
pub(super) enum KnownAnswer {
    /// It is in memory.
    Known(RunVerdict, String),
    /// There was none.
    New,
    /// Only the store knows.
    InStore,
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

/// A call about a run other than a step.
#[derive(Debug)]
pub(crate) enum RunCall {
    /// Weighs an action.
    Weigh(Box<Proposal<'static>>),
    /// Asks whether the run or a task loops.
    DetectLoop(Option<String>),
    /// Asks for tasks.
    TaskStatus {
        /// Only this task.
        task: Option<String>,
        /// Number of tasks to leave out.
        offset: usize,
    },
    /// Records an attempt at a task.
    Attempt(Box<AttemptInput>),
    /// Adds tasks and asks for the next one.
    Plan(PlanInput),
    /// Applies the recommended recovery to a task.
    Recover(String),
}

/// The answer to a call, as JSON.
pub(crate) type RunCallAnswer = Result<String, ToolError>;

impl RunCall {
    /// Returns the kind of entry that the call adds to the run, `None` if it changes nothing.
    pub(crate) fn entry_kind(&self) -> Option<EntryKind> {
        match self {
            RunCall::Attempt(_) => Some(EntryKind::Attempt),
            RunCall::Recover(_) => Some(EntryKind::Recovery),
            RunCall::Plan(input) if !input.tasks.is_empty() => Some(EntryKind::Plan),
            _ => None,
        }
    }
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
            last_seq: 0,
            entries_since_snapshot: 0,
            keys: KnownKeys::default(),
        })
    }

    /// Shows a step to the guard. Called with the same steps and times, it does the same.
    fn judge(&mut self, step: &Step<'_>, now: i64) -> Result<(RecordStepOutput, Verdict), ToolError> {
        self.transaction.begin_next(now);
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
        let wasted_by = self.note_loops(step, &verdict, judged, &mut pending.loops);
        self.add_figures(step, &verdict, judged);
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

    /// Adds the loops of a verdict. Returns the detector of the loop that the step belongs to, if there is one.
    fn note_loops(
        &self,
        step: &Step<'_>,
        verdict: &Verdict,
        judged: RunVerdict,
        loops: &mut BTreeMap<String, LoopUpdate>,
    ) -> Option<String> {
        let known = &self.transaction.state.guard.loops;
        let mut met: Vec<String> = Vec::new();
        for finding in verdict.findings.iter().filter(|finding| finding.severity != Severity::Hint) {
            let id = finding.loop_id.to_string();
            let update = loops.entry(id.clone()).or_default();
            describe_loop(update, &id, finding, step, &self.figures.model);
            if !met.contains(&id) {
                update.findings += 1;
                met.push(id);
            }
        }
        for id in &verdict.sighted {
            let id = id.to_string();
            let is_reported = known.iter().any(|known| known.id == id && known.severity != "hint");
            if is_reported && !met.contains(&id) {
                met.push(id);
            }
        }
        for id in &met {
            let update = loops.entry(id.clone()).or_default();
            update.loop_id.clone_from(id);
            if let Some(known) =
                known.iter().find(|known| known.id == *id).filter(|_| update.detector.is_empty())
            {
                update.detector.clone_from(&known.detector);
                update.pattern.clone_from(&known.pattern);
            }
            update.steps += 1;
            update.cost += cost_of(step);
            update.tokens = update.tokens.saturating_add(tokens_of(step));
        }
        let first = met.first().filter(|_| judged != RunVerdict::Clear)?;
        Some(loops.get(first).map_or_else(String::new, |update| update.detector.clone()))
    }

    fn add_figures(&mut self, step: &Step<'_>, verdict: &Verdict, judged: RunVerdict) {
        let guard = &self.transaction.guard;
        let divides = guard.config().policy.holdout > 0.0 && guard.config().mode == Mode::Enforce;
        let held_out = divides.then(|| guard.is_held_out());
        let figures = &mut self.figures;
        figures.steps += 1;
        figures.turn = verdict.turn;
        figures.cost += cost_of(step);
        figures.tokens = figures.tokens.saturating_add(tokens_of(step));
        let found = verdict.findings.iter().filter(|finding| finding.severity != Severity::Hint).count();
        figures.findings += found as u64;
        if judged != RunVerdict::Clear {
            figures.wasted_steps += 1;
            figures.wasted_cost += cost_of(step);
            figures.wasted_tokens = figures.wasted_tokens.saturating_add(tokens_of(step));
        }
        if found > 0 {
            figures.warned_at.get_or_insert(verdict.turn);
        }
        if let Some(model) = &step.model {
            clip(model, TEXT_BYTES).clone_into(&mut figures.model);
        }
        if let Some(agent) = &step.agent {
            clip(agent, TEXT_BYTES).clone_into(&mut figures.agent);
        }
        if let Some(stop) = &verdict.stop {
            figures.stopped = stop.reason.to_string();
        }
        figures.held_out = held_out;
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
        match self.keys.answers.get(key) {
            Some((verdict, json)) => KnownAnswer::Known(*verdict, json.clone()),
            None if self.keys.is_complete => KnownAnswer::New,
            None => KnownAnswer::InStore,
        }
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

impl KnownKeys {
    fn add(&mut self, key: String, verdict: RunVerdict, answer: &str) {
        if self.order.len() >= KNOWN_KEYS
            && let Some(oldest) = self.order.pop_front()
        {
            self.answers.remove(&oldest);
            self.is_complete = false;
        }
        self.order.push_back(key.clone());
        self.answers.insert(key, (verdict, answer.to_owned()));
    }
}

/// Returns the text for the agent of a run that somebody asked to stop.
fn stop_advice(reason: &str) -> String {
    format!("A person asked to stop this run: {reason}. Stop now and report where you are.")
}

fn write_answer(output: &impl Serialize) -> RunCallAnswer {
    serde_json::to_string(output).map_err(|error| ToolError::new(error.to_string(), "Nothing was recorded"))
}

/// Describes a loop by a finding.
fn describe_loop(update: &mut LoopUpdate, id: &str, finding: &Finding, step: &Step<'_>, model: &str) {
    id.clone_into(&mut update.loop_id);
    // The detector that found the loop first describes it.
    if update.detector.is_empty() {
        update.detector = finding.detector.to_string();
        update.pattern = finding.pattern.to_string();
    }
    update.severity = finding.severity.to_string();
    clip(finding.reason(), 2 * TEXT_BYTES).clone_into(&mut update.reason);
    step.model.as_deref().unwrap_or(model).clone_into(&mut update.model);
    let Some(action) = &step.action else { return };
    clip(&action.name, TEXT_BYTES).clone_into(&mut update.tool);
    let line = finding.evidence.text("action").map_or_else(|| action.line().into_owned(), str::to_owned);
    update.action = loopbreak_store::redact_and_truncate(&line);
    if is_about_a_call(finding.detector) && action.args.is_some() {
        update.rule = serde_json::to_string(&AllowRule::of_call(action)).unwrap_or_default();
    }
}

/// Returns whether the loops of a detector are about one call, which a rule can let pass.
fn is_about_a_call(detector: DetectorName) -> bool {
    matches!(
        detector,
        DetectorName::Cycle
            | DetectorName::Recurrence
            | DetectorName::Drift
            | DetectorName::FailingTarget
            | DetectorName::Noop
            | DetectorName::Poll
            | DetectorName::Rework
    )
}

fn cost_of(step: &Step<'_>) -> f64 {
    let cost = step.usage.and_then(|usage| usage.cost_usd).unwrap_or_default();
    if cost.is_finite() && cost > 0.0 { cost } else { 0.0 }
}

fn tokens_of(step: &Step<'_>) -> u64 {
    let usage = step.usage.unwrap_or_default();
    let tokens =
        usage.input_tokens.unwrap_or_default().saturating_add(usage.output_tokens.unwrap_or_default());
    // The store counts with 64 signed bits, over many steps.
    tokens.min(1 << 40)
}
