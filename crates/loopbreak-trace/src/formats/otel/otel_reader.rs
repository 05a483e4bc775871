//! Files with telemetry.

use loopbreak::Step;
use serde::Deserialize as _;

use super::log_batch::LogBatch;
use super::log_event::ResourceLogs;
use super::run_progress::TelemetryRuns;
use super::span::{OtelSpan, ResourceSpans};
use super::span_tree::SpanTree;
use super::span_walk::{self, TelemetrySink};
use super::{LOG_LISTS, SPAN_LISTS};
use crate::log_format::{FormatDefinition, LogReader, LogUnit};
use crate::log_record::{LogRecord, RecordSink};
use crate::message::walk_document;
use crate::skip_reason::SkipReason;
use crate::sniff::JsonOutline;

/// Telemetry of agents.
pub(crate) struct OtelFormat;

impl FormatDefinition for OtelFormat {
    fn name(&self) -> &'static str {
        "otel"
    }
    fn title(&self) -> &'static str {
        "OpenTelemetry GenAI and OpenInference spans, events of coding agents"
    }
    fn file_description(&self) -> &'static str {
        "OTLP JSON, as a document or line by line; spans nested under spans and child_spans"
    }
    fn recognizes(&self, value: &JsonOutline<'_>) -> bool {
        is_otlp(value)
            || value.has_all(&["spans.[].span_id", "spans.[].span_attributes"])
            || ["", "[].", "spans.[]."].iter().any(|at| {
                let has = |key: &str| value.has(&format!("{at}{key}"));
                has("context.span_id") && has("attributes")
            })
    }
    fn holds_whole_run(&self, value: &JsonOutline<'_>) -> bool {
        value.is_list("") || value.is_list("spans") || is_otlp(value)
    }
    fn new_reader(&self, _agents: &[String]) -> Box<dyn LogReader> {
        Box::new(OtelReader::default())
    }
}

fn is_otlp(value: &JsonOutline<'_>) -> bool {
    SPAN_LISTS.iter().chain(&LOG_LISTS).any(|list| value.is_list(list))
}

#[derive(Debug, Default)]
struct OtelReader {
    runs: TelemetryRuns,
}

/// Passes steps on without keys.
struct FileSink<'s>(&'s mut dyn RecordSink);

impl TelemetrySink for FileSink<'_> {
    fn telemetry_step(&mut self, line: u64, _key: Option<String>, step: Step<'_>) {
        self.0.record(&LogRecord { line, step });
    }
    fn wants_keys(&self) -> bool {
        false
    }
}

impl LogReader for OtelReader {
    fn read_unit(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
        let mut tree = SpanTree::default();
        let mut logs = LogBatch::default();
        let mut broken = Ok(());
        let mut wrong =
            |text: &str, error: serde_json::Error| broken = Err(SkipReason::malformed(text, &error));
        let mut listed = unit.text.trim_start().starts_with('[');
        let lists = [SPAN_LISTS[0], SPAN_LISTS[1], LOG_LISTS[0], LOG_LISTS[1], "spans"];
        let walked = walk_document(unit, &lists, &mut |part| {
            if !part.listed {
                return;
            }
            listed = true;
            let text = part.json.get();
            if LOG_LISTS.contains(&&*part.key) {
                match serde_json::from_str::<ResourceLogs<'_>>(text) {
                    Ok(resource) => logs.add(&resource, part.line),
                    Err(error) => wrong(text, error),
                }
                return;
            }
            let spans = if SPAN_LISTS.contains(&&*part.key) {
                match serde_json::from_str::<ResourceSpans<'_>>(text) {
                    Ok(resource) => resource.spans().collect(),
                    Err(error) => return wrong(text, error),
                }
            } else {
                vec![part.json]
            };
            for span in spans {
                match serde_json::from_str::<OtelSpan<'_>>(span.get()) {
                    Ok(span) => tree.add(span, part.line),
                    Err(error) => wrong(span.get(), error),
                }
            }
        });
        if !listed && walked.is_ok() {
            let mut json = serde_json::Deserializer::from_str(unit.text);
            match OtelSpan::deserialize(&mut json) {
                Ok(span) => tree.add(span, unit.line),
                Err(error) => wrong(unit.text, error),
            }
        }
        let mut sink = FileSink(sink);
        span_walk::emit(&tree, &mut self.runs, &mut sink);
        let (events, parsed) = logs.parse();
        events.emit(&mut self.runs, &mut sink);
        self.runs.end_batch();
        walked.and(broken).and(parsed)
    }

    fn end(&mut self, sink: &mut dyn RecordSink) {
        for held in self.runs.take_held() {
            sink.record(&LogRecord { line: held.line, step: held.step });
        }
    }
}
