//! OpenTelemetry spans of agents with GenAI or OpenInference attributes, as OTLP JSON or as nested files. See
//! docs/formats/otel.md.

mod span;
mod span_attributes;
mod span_tree;
mod span_walk;

use serde::Deserialize as _;

use crate::log_format::{FormatDefinition, LogReader, LogUnit};
use crate::log_record::RecordSink;
use crate::message::walk_document;
use crate::skip_reason::SkipReason;
use crate::sniff::JsonOutline;
use span::{OtelSpan, ResourceSpans};
use span_tree::SpanTree;

/// Spans of agents.
pub(crate) struct OtelFormat;

const OTLP: [&str; 2] = ["resourceSpans", "resource_spans"];

impl FormatDefinition for OtelFormat {
    fn name(&self) -> &'static str {
        "otel"
    }
    fn title(&self) -> &'static str {
        "OpenTelemetry GenAI and OpenInference spans"
    }
    fn file_description(&self) -> &'static str {
        "OTLP JSON, as a document or line by line; spans nested under spans and child_spans"
    }
    fn recognizes(&self, value: &JsonOutline<'_>) -> bool {
        OTLP.iter().any(|list| value.is_list(list))
            || value.has_all(&["spans.[].span_id", "spans.[].span_attributes"])
            || ["", "[].", "spans.[]."].iter().any(|at| {
                let has = |key: &str| value.has(&format!("{at}{key}"));
                has("context.span_id") && has("attributes")
            })
    }
    fn holds_whole_run(&self, value: &JsonOutline<'_>) -> bool {
        value.is_list("") || value.is_list("spans") || OTLP.iter().any(|list| value.is_list(list))
    }
    fn new_reader(&self, _agents: &[String]) -> Box<dyn LogReader> {
        Box::new(OtelReader::default())
    }
}

#[derive(Debug, Default)]
struct OtelReader {
    names: span_walk::ConversationNames,
}

impl LogReader for OtelReader {
    fn read_unit(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
        let mut tree = SpanTree::default();
        let mut broken = Ok(());
        let mut wrong =
            |text: &str, error: serde_json::Error| broken = Err(SkipReason::malformed(text, &error));
        let mut listed = unit.text.trim_start().starts_with('[');
        let walked = walk_document(unit, &["resourceSpans", "resource_spans", "spans"], &mut |part| {
            if !part.listed {
                return;
            }
            listed = true;
            let text = part.json.get();
            if OTLP.contains(&&*part.key) {
                match serde_json::from_str::<ResourceSpans<'_>>(text) {
                    Ok(resource) => resource.spans().for_each(|span| tree.add(span, part.line)),
                    Err(error) => wrong(text, error),
                }
            } else {
                match serde_json::from_str::<OtelSpan<'_>>(text) {
                    Ok(span) => tree.add(span, part.line),
                    Err(error) => wrong(text, error),
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
        span_walk::emit(&tree, &mut self.names, sink);
        walked.and(broken)
    }
}
