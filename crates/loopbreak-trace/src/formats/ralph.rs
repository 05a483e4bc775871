//! Ralph: the events, the history and the tasks of a loop. See docs/formats/ralph.md.

use loopbreak::{
    Outcome, Step,
    step::{EpochMillis, Label, StepText, Task},
};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::log_format::{FormatDefinition, LogReader, LogUnit};
use crate::log_record::{LogRecord, RecordSink};
use crate::skip_reason::SkipReason;
use crate::sniff::JsonOutline;

/// Loops of Ralph.
pub(crate) struct RalphFormat;

impl FormatDefinition for RalphFormat {
    fn name(&self) -> &'static str {
        "ralph"
    }
    fn title(&self) -> &'static str {
        "Ralph Orchestrator"
    }
    fn file_description(&self) -> &'static str {
        "events, history, orchestration and tasks in .ralph, one JSON object per line"
    }
    fn recognizes(&self, value: &JsonOutline<'_>) -> bool {
        value.has_all(&["ts", "topic"]) && (value.has("payload") || value.has("hat"))
            || value.text("type.kind").is_some() && value.has("ts")
            || value.text("event.type").is_some() && value.has_all(&["iteration", "timestamp"])
            || value.has_all(&["id", "title", "status", "priority", "blocked_by", "created"])
    }
    fn new_reader(&self, _agents: &[String]) -> Box<dyn LogReader> {
        Box::new(RalphReader::default())
    }
}

/// A line of any of the files.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RalphLine<'a> {
    #[serde(alias = "timestamp")]
    ts: Option<EpochMillis>,
    iteration: Option<u64>,
    #[serde(borrow)]
    hat: Option<StepText<'a>>,
    #[serde(borrow)]
    topic: Option<StepText<'a>>,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
    #[serde(borrow, rename = "type", alias = "event")]
    what: Option<RalphEvent<'a>>,
    // Keys of tasks.
    #[serde(borrow)]
    id: Option<Label<'a>>,
    #[serde(borrow)]
    status: Option<StepText<'a>>,
    #[serde(borrow)]
    blocked_by: Option<Vec<StepText<'a>>>,
    created: Option<EpochMillis>,
    closed: Option<EpochMillis>,
}

/// An event of the history or of the orchestration log.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RalphEvent<'a> {
    #[serde(borrow, alias = "type")]
    kind: Option<StepText<'a>>,
    #[serde(borrow)]
    prompt: Option<StepText<'a>>,
    iteration: Option<u64>,
    #[serde(borrow)]
    topic: Option<StepText<'a>>,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
    success: Option<bool>,
}

/// The state of a loop.
#[derive(Debug, Default)]
struct RalphReader {
    /// Name of the loop, from its start time. Used if a file holds several loops.
    run: Option<String>,
    /// Texts that the current iteration has published.
    published: Vec<String>,
}

/// Maximum number of texts kept per iteration.
const PUBLISHED: usize = 256;

impl LogReader for RalphReader {
    fn read_unit(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
        let line: RalphLine<'_> =
            serde_json::from_str(unit.text).map_err(|error| SkipReason::malformed(unit.text, &error))?;
        let at = line.ts;
        if let (Some(what), Some(hat)) = (&line.what, &line.hat) {
            // The orchestration log has one event per line, each with its hat; the history groups them by iteration.
            if what.kind.as_deref() == Some("event_published") {
                let outcome = outcome(what.topic.as_deref().unwrap_or_default(), &payload(what.payload));
                let agent = Some(hat.clone());
                let step = Step { at, agent, outcome: Some(outcome), ..Step::default() };
                sink.record(&LogRecord { line: unit.line, step });
            }
        } else if let Some(what) = line.what {
            self.read_event(what, line.iteration, at, unit.line, sink);
        } else if let Some(topic) = line.topic {
            let text = payload(line.payload);
            let step = match line.hat.as_deref() {
                // The first message of the loop to itself is its task.
                Some("loop") if line.iteration.unwrap_or(0) == 0 => {
                    Step { at, user: Some(text), ..Step::default() }
                }
                Some("loop") => return Ok(()),
                _ if topic.starts_with("loop.") => return Ok(()),
                _ => Step { at, agent: line.hat, outcome: Some(outcome(&topic, &text)), ..Step::default() },
            };
            sink.record(&LogRecord { line: unit.line, step });
        } else if let Some(id) = line.id {
            let status = match line.status.as_deref() {
                Some("closed") => Some("done".into()),
                Some("open") => Some("pending".into()),
                Some("failed") => Some("blocked".into()),
                _ => line.status,
            };
            let blockers = line.blocked_by.unwrap_or_default();
            let task = Task { id, status, blockers, work: Vec::new(), session: None };
            let step = Step { at: line.closed.or(line.created).or(at), task: Some(task), ..Step::default() };
            sink.record(&LogRecord { line: unit.line, step });
        }
        Ok(())
    }

    fn end(&mut self, sink: &mut dyn RecordSink) {
        self.emit_iteration(None, true, None, 1, sink);
    }
}

impl RalphReader {
    fn read_event(
        &mut self,
        what: RalphEvent<'_>,
        iteration: Option<u64>,
        at: Option<EpochMillis>,
        line: u64,
        sink: &mut dyn RecordSink,
    ) {
        match what.kind.as_deref() {
            Some("loop_started") => {
                self.emit_iteration(None, true, at, line, sink);
                self.run = at.map(|at| format!("loop-{}", at.0));
                if let Some(prompt) = what.prompt {
                    let run = self.run.as_deref().map(Label::from);
                    let step = Step { run, at, user: Some(prompt), ..Step::default() };
                    sink.record(&LogRecord { line, step });
                }
            }
            Some("event_published") if self.published.len() < PUBLISHED => {
                let topic = what.topic.unwrap_or_default();
                let text = payload(what.payload);
                self.published.push(if text.is_empty() {
                    topic.to_string()
                } else {
                    format!("{topic}: {text}")
                });
            }
            Some("iteration_started") => self.emit_iteration(None, true, at, line, sink),
            Some("iteration_completed") => {
                let turn = what.iteration.or(iteration);
                let success = what.success.unwrap_or(true);
                if self.published.is_empty() {
                    self.published.push(if success { "completed" } else { "failed" }.to_owned());
                }
                self.emit_iteration(turn, success, at, line, sink);
            }
            _ => {}
        }
    }

    /// Emits the texts that an iteration published.
    fn emit_iteration(
        &mut self,
        turn: Option<u64>,
        success: bool,
        at: Option<EpochMillis>,
        line: u64,
        sink: &mut dyn RecordSink,
    ) {
        if self.published.is_empty() {
            return;
        }
        let text = std::mem::take(&mut self.published).join("\n");
        let step = Step {
            run: self.run.as_deref().map(Label::from),
            turn,
            at,
            outcome: Some(Outcome { error: (!success).then_some(true), ..Outcome::new(text) }),
            ..Step::default()
        };
        sink.record(&LogRecord { line, step });
    }
}

/// Builds the outcome of an event with a topic.
fn outcome<'a>(topic: &str, text: &str) -> Outcome<'a> {
    let failed = [".blocked", ".failed", ".abandoned", ".rejected"].iter().any(|end| topic.ends_with(end));
    let text = if text.is_empty() { topic.to_owned() } else { format!("{topic}: {text}") };
    Outcome { error: failed.then_some(true), ..Outcome::new(text) }
}

/// Parses a payload: a text, an object or nothing.
fn payload(json: Option<&RawValue>) -> StepText<'_> {
    let Some(json) = json.map(RawValue::get).filter(|json| *json != "null") else {
        return StepText::default();
    };
    serde_json::from_str(json).unwrap_or_else(|_| json.into())
}
