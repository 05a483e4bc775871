//! The state of runs whose telemetry arrives in parts: requests, or lines of a file.

use std::collections::BTreeMap;

use loopbreak::{Step, Usage};

use super::recent_entries::RecentEntries;

/// Maximum number of remembered traces.
const TRACES: usize = 4096;
/// Maximum number of remembered runs.
const RUNS: usize = 2048;
/// Largest answer of a model that is held back, as the number of bytes of its texts.
const HELD_BYTES: usize = 8 * 1024;

/// Everything that is known about the runs so far.
#[derive(Debug)]
pub(super) struct TelemetryRuns {
    /// The conversation of each trace.
    conversations: RecentEntries<String>,
    progress: RecentEntries<RunProgress>,
    /// States of the runs before the current batch.
    undo: BTreeMap<String, Option<RunProgress>>,
}

/// The state of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct RunProgress {
    /// Usage of models that the next step gets.
    pub(super) usage: Option<Usage>,
    /// The model that answered last.
    pub(super) model: Option<String>,
    /// True if tools have their own spans or events. Otherwise the calls in the output of the models are used.
    pub(super) has_tools: bool,
    /// Steps of the last answer of a model: its tools may still get their own spans.
    pub(super) held: Vec<HeldStep>,
}

/// A step that waits for the next span of its run.
#[derive(Clone, Debug)]
pub(super) struct HeldStep {
    pub(super) line: u64,
    pub(super) key: Option<String>,
    pub(super) step: Step<'static>,
}

/// States of runs before a batch was read, to return to them if its steps could not be used.
#[derive(Debug, Default)]
pub(super) struct RunStates(BTreeMap<String, Option<RunProgress>>);

impl Default for TelemetryRuns {
    fn default() -> Self {
        TelemetryRuns {
            conversations: RecentEntries::new(TRACES),
            progress: RecentEntries::new(RUNS),
            undo: BTreeMap::new(),
        }
    }
}

impl TelemetryRuns {
    /// Remembers the conversation of a trace. The first one counts.
    pub(super) fn name_trace(&mut self, trace: &str, conversation: &str) {
        let name = self.conversations.get(trace).map_or(conversation, String::as_str).to_owned();
        self.conversations.insert(trace, name);
    }

    /// Returns the conversation of a trace, or its id.
    pub(super) fn run_of_trace<'n>(&'n self, trace: &'n str) -> &'n str {
        self.conversations.get(trace).map_or(trace, String::as_str)
    }

    /// Returns the state of a run.
    pub(super) fn get(&self, run: &str) -> Option<&RunProgress> {
        self.progress.get(run)
    }

    /// Changes the state of a run.
    pub(super) fn change<T>(&mut self, run: &str, change: impl FnOnce(&mut RunProgress) -> T) -> T {
        let before = self.progress.remove(run);
        let mut progress = before.clone().unwrap_or_default();
        if !self.undo.contains_key(run) {
            self.undo.insert(run.to_owned(), before);
        }
        let result = change(&mut progress);
        self.progress.insert(run, progress);
        result
    }

    /// Ends a batch, and returns the states before it.
    pub(super) fn end_batch(&mut self) -> RunStates {
        RunStates(std::mem::take(&mut self.undo))
    }

    /// Returns to earlier states.
    pub(super) fn restore(&mut self, states: RunStates) {
        for (run, state) in states.0 {
            match state {
                Some(state) => self.progress.insert(&run, state),
                None => _ = self.progress.remove(&run),
            }
        }
    }

    /// Takes all steps that are held back, in the order of the names of their runs.
    pub(super) fn take_held(&mut self) -> Vec<HeldStep> {
        self.progress.values_mut().flat_map(|(_, progress)| std::mem::take(&mut progress.held)).collect()
    }
}

/// Returns whether steps are small enough to be held back.
pub(super) fn can_hold(steps: &[HeldStep]) -> bool {
    let bytes = |held: &HeldStep| {
        let step = &held.step;
        let action = step.action.as_ref();
        step.say.as_ref().map_or(0, |say| say.len())
            + action.map_or(0, |action| action.name.len())
            + action.and_then(|action| action.args.as_ref()).map_or(0, |args| args.json().len())
    };
    steps.iter().map(bytes).sum::<usize>() <= HELD_BYTES
}
