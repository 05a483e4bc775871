//! One span, in the forms in which it is written.

use loopbreak::step::{EpochMillis, StepText};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::span_attributes::SpanAttributes;

/// A span of OTLP, of a nested file, or of the console exporter.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct OtelSpan<'a> {
    #[serde(borrow, alias = "span_name")]
    pub(super) name: Option<StepText<'a>>,
    #[serde(borrow, rename = "traceId", alias = "trace_id")]
    pub(super) trace: Option<StepText<'a>>,
    #[serde(borrow, rename = "spanId", alias = "span_id")]
    pub(super) id: Option<StepText<'a>>,
    #[serde(borrow, rename = "parentSpanId", alias = "parent_span_id", alias = "parent_id")]
    pub(super) parent: Option<StepText<'a>>,
    #[serde(borrow)]
    pub(super) context: Option<SpanContext<'a>>,
    #[serde(
        rename = "startTimeUnixNano",
        alias = "start_time_unix_nano",
        alias = "timestamp",
        alias = "start_time",
        deserialize_with = "time"
    )]
    pub(super) start: Option<EpochMillis>,
    #[serde(borrow, alias = "span_attributes")]
    pub(super) attributes: SpanAttributes<'a>,
    #[serde(borrow)]
    pub(super) status: Option<SpanStatus<'a>>,
    #[serde(borrow)]
    pub(super) status_code: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) status_message: Option<StepText<'a>>,
    #[serde(borrow, rename = "child_spans")]
    pub(super) children: Vec<OtelSpan<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SpanContext<'a> {
    #[serde(borrow)]
    pub(super) trace_id: Option<StepText<'a>>,
    #[serde(borrow)]
    pub(super) span_id: Option<StepText<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SpanStatus<'a> {
    #[serde(borrow, alias = "status_code")]
    code: Option<&'a RawValue>,
    #[serde(borrow, alias = "description")]
    message: Option<StepText<'a>>,
}

impl<'a> OtelSpan<'a> {
    /// Returns whether the span has the ids that a valid span has.
    pub(super) fn has_ids(&self) -> bool {
        let is_id =
            |id: &Option<StepText<'_>>| id.as_ref().is_some_and(|id| id.bytes().any(|digit| digit != b'0'));
        is_id(&self.trace) && is_id(&self.id)
    }

    /// Returns whether the span failed.
    pub(super) fn has_failed(&self) -> bool {
        let code = self.status.as_ref().and_then(|status| status.code).or(self.status_code);
        let code = code.map_or("", RawValue::get).trim_matches('"');
        code == "2" || code.to_ascii_uppercase().ends_with("ERROR")
    }

    /// Returns the error message of the span.
    pub(super) fn error_message(&self) -> Option<&StepText<'a>> {
        let status = self.status.as_ref().and_then(|status| status.message.as_ref());
        status.or(self.status_message.as_ref()).filter(|message| !message.is_empty())
    }
}

/// Parses a timestamp: a text, or nanoseconds, which OTLP writes as a string of digits.
pub(super) fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<EpochMillis>, D::Error> {
    let raw = <&'de RawValue>::deserialize(deserializer)?;
    let text = raw.get().trim_matches('"');
    Ok(match text.parse::<u64>() {
        Ok(nanos) => i64::try_from(nanos / 1_000_000).ok().map(EpochMillis),
        Err(_) => EpochMillis::parse(text).ok(),
    })
}

/// A batch of OTLP.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ResourceSpans<'a> {
    #[serde(borrow, rename = "scopeSpans", alias = "scope_spans", alias = "instrumentationLibrarySpans")]
    scopes: Vec<ScopeSpans<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ScopeSpans<'a> {
    #[serde(borrow)]
    spans: Vec<&'a RawValue>,
}

impl<'a> ResourceSpans<'a> {
    /// Returns the spans, which are not parsed yet: a short text may hold very many.
    pub(super) fn spans(self) -> impl Iterator<Item = &'a RawValue> {
        self.scopes.into_iter().flat_map(|scope| scope.spans)
    }
}
