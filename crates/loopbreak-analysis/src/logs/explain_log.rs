//! Explains the steps of a log of any format, without judging them.

use std::collections::HashMap;
use std::io;

use loopbreak::Config;
use loopbreak::explain::{StepExplainer, StepExplanation};
use loopbreak_trace::{LogRecord, OpenError, OpenedLog, RecordSink, SkippedLine, UnreadItem};

use super::log_analysis::LogReadSummary;

/// Number of runs of a log that are followed at the same time. The one whose last step is longest ago is forgotten first.
const RUNS: usize = 128;

/// The steps of a log that are explained.
#[derive(Clone, Debug, Default)]
pub struct StepSelection {
    /// Only steps of the run with this id, or of all runs.
    pub run: Option<String>,
    /// Only the steps with these turns, or all steps.
    pub turns: Vec<u64>,
}

impl StepSelection {
    fn has_run(&self, run: &str) -> bool {
        self.run.as_deref().is_none_or(|wanted| wanted == run)
    }

    fn has_turn(&self, turn: u64) -> bool {
        self.turns.is_empty() || self.turns.contains(&turn)
    }
}

/// A log whose steps are explained.
#[derive(Clone, Debug)]
pub struct ExplainOptions {
    /// The settings.
    pub config: Config,
    /// The steps that are passed on. The others are read too: they may decide about those that follow.
    pub selection: StepSelection,
    /// Name of the run for records without one.
    pub default_run: String,
    /// Number of notes about skipped lines that are kept.
    pub notes: usize,
}

/// Explains the selected steps of a log in their order, with the line of each. Returns the error of `show` if it returns one.
pub fn explain_log(
    log: Result<OpenedLog, OpenError>,
    options: ExplainOptions,
    show: &mut dyn FnMut(u64, &StepExplanation) -> io::Result<()>,
) -> io::Result<LogReadSummary> {
    let log = match log {
        Ok(log) => log,
        Err(error) => return Ok(LogReadSummary::refused(error)),
    };
    let format = log.format();
    let mut writer = ExplanationWriter {
        options,
        runs: HashMap::new(),
        steps: 0,
        has_steps: false,
        show,
        shown: Ok(()),
        summary: LogReadSummary::default(),
    };
    let read = log.read(&mut writer);
    let ExplanationWriter { shown, has_steps, mut summary, .. } = writer;
    shown?;
    match read {
        Ok(read) => summary.bytes = read.bytes,
        Err(error) => summary.refusal = Some(OpenError::Unreadable(error)),
    }
    if summary.refusal.is_none() && !has_steps {
        summary.refusal = Some(OpenError::WrongFormat(format));
    }
    Ok(summary)
}

struct ExplanationWriter<'w> {
    options: ExplainOptions,
    /// The explainers of the runs, with the number of the last step of each.
    runs: HashMap<String, (u64, StepExplainer)>,
    steps: u64,
    has_steps: bool,
    show: &'w mut dyn FnMut(u64, &StepExplanation) -> io::Result<()>,
    /// The first error. Nothing is shown after it.
    shown: io::Result<()>,
    summary: LogReadSummary,
}

impl RecordSink for ExplanationWriter<'_> {
    fn record(&mut self, record: &LogRecord<'_>) {
        let has_facet = record.step.has_facet();
        self.has_steps |= has_facet;
        let run = record.run().unwrap_or_else(|| self.options.default_run.as_str().into());
        if self.shown.is_err() || !self.options.selection.has_run(&run) {
            return;
        }
        self.steps += 1;
        let explanation = if let Some((last, explainer)) = self.runs.get_mut(&*run) {
            *last = self.steps;
            explainer.explain(&record.step)
        } else {
            if self.runs.len() >= RUNS
                && let Some(oldest) = self.runs.iter().min_by_key(|(_, (last, _))| *last)
            {
                let oldest = oldest.0.clone();
                self.runs.remove(&oldest);
            }
            let mut explainer = StepExplainer::new(self.options.config.clone());
            let explanation = explainer.explain(&record.step);
            self.runs.insert(run.into_owned(), (self.steps, explainer));
            explanation
        };
        // A step without any part says nothing.
        if has_facet && self.options.selection.has_turn(explanation.turn) {
            self.shown = (self.show)(record.line, &explanation);
        }
    }

    fn unread_item(&mut self, item: &UnreadItem<'_>) {
        self.summary.add_unread_item(self.options.notes, item);
    }

    fn skipped(&mut self, skipped: SkippedLine) {
        self.summary.skipped_lines += 1;
        self.summary.note(self.options.notes, skipped.line, || format!("{}; line skipped", skipped.reason));
    }
}
