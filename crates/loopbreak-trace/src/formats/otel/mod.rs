//! OpenTelemetry spans of agents: the GenAI and the OpenInference names, as OTLP JSON or as nested files. See
//! docs/formats/otel.md.

mod attributes;
mod span;
mod steps;
mod tree;

use serde::Deserialize as _;

use crate::document::walk;
use crate::format::{Kind, Reader, Sink, Unit};
use crate::glimpse::Glimpse;
use crate::reason::Reason;
use span::{Resource, Span};
use tree::Tree;

/// Spans.
pub(crate) struct Otel;

const OTLP: [&str; 2] = ["resourceSpans", "resource_spans"];

impl Kind for Otel {
    fn name(&self) -> &'static str {
        "otel"
    }
    fn title(&self) -> &'static str {
        "OpenTelemetry GenAI and OpenInference spans"
    }
    fn files(&self) -> &'static str {
        "OTLP JSON, as a document or line by line; spans nested under spans and child_spans"
    }
    fn recognises(&self, value: &Glimpse<'_>) -> bool {
        OTLP.iter().any(|list| value.is_list(list))
            || value.has_all(&["spans.[].span_id", "spans.[].span_attributes"])
            || ["", "[].", "spans.[]."].iter().any(|at| {
                let has = |key: &str| value.has(&format!("{at}{key}"));
                has("context.span_id") && has("attributes")
            })
    }
    fn holds_run(&self, value: &Glimpse<'_>) -> bool {
        value.is_list("") || value.is_list("spans") || OTLP.iter().any(|list| value.is_list(list))
    }
    fn reader(&self, _beside: &[String]) -> Box<dyn Reader> {
        Box::new(Traces::default())
    }
}

#[derive(Debug, Default)]
struct Traces {
    names: steps::Names,
}

impl Reader for Traces {
    fn unit(&mut self, unit: Unit<'_>, sink: &mut dyn Sink) -> Result<(), Reason> {
        let mut tree = Tree::default();
        let mut broken = Ok(());
        let mut wrong = |text: &str, error: serde_json::Error| broken = Err(Reason::malformed(text, &error));
        let mut listed = unit.text.trim_start().starts_with('[');
        let walked = walk(unit, &["resourceSpans", "resource_spans", "spans"], &mut |part| {
            if !part.listed {
                return;
            }
            listed = true;
            let text = part.json.get();
            if OTLP.contains(&&*part.key) {
                match serde_json::from_str::<Resource<'_>>(text) {
                    Ok(resource) => resource.spans().for_each(|span| tree.add(span, part.line)),
                    Err(error) => wrong(text, error),
                }
            } else {
                match serde_json::from_str::<Span<'_>>(text) {
                    Ok(span) => tree.add(span, part.line),
                    Err(error) => wrong(text, error),
                }
            }
        });
        if !listed && walked.is_ok() {
            let mut json = serde_json::Deserializer::from_str(unit.text);
            match Span::deserialize(&mut json) {
                Ok(span) => tree.add(span, unit.line),
                Err(error) => wrong(unit.text, error),
            }
        }
        steps::give(&tree, &mut self.names, sink);
        walked.and(broken)
    }
}
