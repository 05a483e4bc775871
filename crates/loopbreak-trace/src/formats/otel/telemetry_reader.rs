//! Reads telemetry that arrives in requests, with the same mapping as that of files.

use loopbreak::Step;
use loopbreak::step::Label;
use serde::Deserialize;

use super::log_batch::LogBatch;
use super::log_event::ResourceLogs;
use super::protobuf_json::{LOGS, TRACES, protobuf_to_json};
use super::run_progress::{RunStates, TelemetryRuns};
use super::span::{OtelSpan, ResourceSpans};
use super::span_tree::SpanTree;
use super::span_walk::{self, TelemetrySink};
use super::telemetry_error::TelemetryError;
use super::{LOG_LISTS, SPAN_LISTS};
use crate::bounded_name::{bound_names, shortened_to};
use crate::log_format::LogUnit;
use crate::message::walk_document;
use crate::skip_reason::SkipReason;

/// Largest number of spans or events of a request that are used.
pub const MAX_TELEMETRY_ITEMS: usize = 20_000;

/// Longest name of a run, in bytes.
const LONGEST_RUN: usize = 200;
/// Longest key of a step, in bytes.
const LONGEST_KEY: usize = 128;

/// The kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TelemetrySignal {
    /// Spans.
    Traces,
    /// Events.
    Logs,
}

/// The form of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TelemetryEncoding {
    /// OTLP in protobuf.
    Protobuf,
    /// OTLP in JSON.
    Json,
}

/// Turns requests of OTLP into steps.
///
/// The steps are those that a file with a request per line gives. A request is a unit: its spans are ordered by their start
/// times, each inside its parent, and its events by their times. Requests are read in the order in which they arrive.
///
/// ```
/// use loopbreak_trace::{TelemetryEncoding, TelemetryReader, TelemetrySignal};
///
/// let request = r#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1762248924000000000",
///     "body":{"stringValue":"claude_code.user_prompt"},"attributes":[
///     {"key":"session.id","value":{"stringValue":"s-1"}},{"key":"prompt","value":{"stringValue":"Go on"}}]}]}]}]}"#;
/// let mut reader = TelemetryReader::default();
/// let batch = reader.read(TelemetrySignal::Logs, TelemetryEncoding::Json, request.as_bytes())?;
/// assert_eq!(batch.steps[0].step.user.as_deref(), Some("Go on"));
/// # Ok::<(), loopbreak_trace::TelemetryError>(())
/// ```
#[derive(Debug, Default)]
pub struct TelemetryReader {
    runs: TelemetryRuns,
}

/// A step of a request.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TelemetryStep {
    /// Key that is equal if the same span or event is sent again.
    pub key: Option<String>,
    /// The step. It names its run.
    pub step: Step<'static>,
}

/// The steps of a request.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct TelemetryBatch {
    /// The steps, in their order.
    pub steps: Vec<TelemetryStep>,
    /// Number of spans without valid ids. They are not used.
    pub invalid: u64,
    /// Number of spans or events above the limit of a request. They are not used.
    pub excess: u64,
    /// Number of calls whose arguments and results were not sent. Such calls cannot be compared.
    pub hidden_calls: u64,
    states: RunStates,
}

impl TelemetrySink for TelemetryBatch {
    fn telemetry_step(&mut self, _line: u64, key: Option<String>, step: Step<'_>) {
        let mut step = step.into_owned();
        bound_names(&mut step);
        step.run = step.run.map(|run| Label::Text(plain_name(&run.as_text()).into()));
        let key = key.map(|key| shortened_to(&key, LONGEST_KEY).unwrap_or(key));
        self.steps.push(TelemetryStep { key, step });
    }
    fn hidden_call(&mut self) {
        self.hidden_calls += 1;
    }
}

/// Returns the name of a run in a form that every store takes: short, and on one line.
fn plain_name(name: &str) -> String {
    let plain: String = name.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    let plain = plain.trim();
    shortened_to(plain, LONGEST_RUN).unwrap_or_else(|| plain.to_owned())
}

impl TelemetryReader {
    /// Reads a request. After an error, nothing of it was read.
    pub fn read(
        &mut self,
        signal: TelemetrySignal,
        encoding: TelemetryEncoding,
        body: &[u8],
    ) -> Result<TelemetryBatch, TelemetryError> {
        let rewritten;
        let text = match encoding {
            TelemetryEncoding::Json => simdutf8::basic::from_utf8(body)
                .map_err(|_| TelemetryError::NotJson("not UTF-8".to_owned()))?,
            TelemetryEncoding::Protobuf => {
                let shape = match signal {
                    TelemetrySignal::Traces => &TRACES,
                    TelemetrySignal::Logs => &LOGS,
                };
                rewritten = protobuf_to_json(shape, body)?;
                &rewritten
            }
        };
        let mut batch = TelemetryBatch::default();
        match signal {
            TelemetrySignal::Traces => self.read_traces(text, &mut batch)?,
            TelemetrySignal::Logs => self.read_logs(text, &mut batch)?,
        }
        batch.states = self.runs.end_batch();
        Ok(batch)
    }

    /// Forgets what was learned from a request whose steps could not be used: it will be sent again.
    pub fn undo(&mut self, batch: TelemetryBatch) {
        self.runs.restore(batch.states);
    }

    /// Takes the steps that are held back: calls that the last answer of a model names, whose tools may still get their own
    /// spans.
    pub fn take_held(&mut self) -> Vec<TelemetryStep> {
        let mut batch = TelemetryBatch::default();
        for held in self.runs.take_held() {
            batch.telemetry_step(held.line, held.key, held.step);
        }
        batch.steps
    }

    fn read_traces(&mut self, text: &str, batch: &mut TelemetryBatch) -> Result<(), TelemetryError> {
        let mut spans = Vec::new();
        read_resources(text, &SPAN_LISTS, &mut |resource: ResourceSpans<'_>| spans.extend(resource.spans()))?;
        batch.excess = spans.len().saturating_sub(MAX_TELEMETRY_ITEMS) as u64;
        let mut tree = SpanTree::default();
        for span in spans.into_iter().take(MAX_TELEMETRY_ITEMS) {
            let parsed = serde_json::from_str::<OtelSpan<'_>>(span.get());
            let span = parsed.map_err(|error| not_json(&SkipReason::malformed(span.get(), &error)))?;
            if span.has_ids() {
                tree.add(span, 1);
            } else {
                batch.invalid += 1;
            }
        }
        span_walk::emit(&tree, &mut self.runs, batch);
        Ok(())
    }

    fn read_logs(&mut self, text: &str, batch: &mut TelemetryBatch) -> Result<(), TelemetryError> {
        let mut logs = LogBatch::default();
        read_resources(text, &LOG_LISTS, &mut |resource: ResourceLogs<'_>| logs.add(&resource, 1))?;
        batch.excess = logs.truncate(MAX_TELEMETRY_ITEMS) as u64;
        let (parsed, result) = logs.parse();
        result.map_err(|problem| not_json(&problem))?;
        parsed.emit(&mut self.runs, batch);
        Ok(())
    }
}

/// Reads the list of resources of a request.
fn read_resources<'a, T: Deserialize<'a>>(
    text: &'a str,
    lists: &[&str],
    take: &mut dyn FnMut(T),
) -> Result<(), TelemetryError> {
    if !text.trim_start().starts_with('{') {
        return Err(TelemetryError::NotJson("expected an object".to_owned()));
    }
    let mut broken = Ok(());
    let walked = walk_document(LogUnit { text, line: 1, file: None }, lists, &mut |part| {
        if !part.listed || broken.is_err() {
            return;
        }
        match serde_json::from_str(part.json.get()) {
            Ok(resource) => take(resource),
            Err(error) => broken = Err(SkipReason::malformed(part.json.get(), &error)),
        }
    });
    walked.and(broken).map_err(|problem| not_json(&problem))
}

fn not_json(problem: &SkipReason) -> TelemetryError {
    TelemetryError::NotJson(problem.to_string())
}
