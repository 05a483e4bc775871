//! One event of OTLP logs.

use loopbreak::step::{EpochMillis, StepText};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use xxhash_rust::xxh3::Xxh3;

use super::span::time;
use super::span_attributes::{SpanAttributes, tagged};

/// A batch of OTLP logs from one resource.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ResourceLogs<'a> {
    #[serde(borrow)]
    pub(super) resource: Option<&'a RawValue>,
    #[serde(borrow, rename = "scopeLogs", alias = "scope_logs", alias = "instrumentationLibraryLogs")]
    scopes: Vec<ScopeLogs<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ScopeLogs<'a> {
    #[serde(borrow, rename = "logRecords", alias = "log_records", alias = "logs")]
    records: Vec<&'a RawValue>,
}

impl<'a> ResourceLogs<'a> {
    /// Returns the events, which are not parsed yet: a short text may hold very many.
    pub(super) fn records(&self) -> impl Iterator<Item = &'a RawValue> {
        self.scopes.iter().flat_map(|scope| scope.records.iter().copied())
    }
}

/// An event of a resource.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct LogEvent<'a> {
    #[serde(rename = "timeUnixNano", alias = "time_unix_nano", deserialize_with = "time")]
    time: Option<EpochMillis>,
    #[serde(rename = "observedTimeUnixNano", alias = "observed_time_unix_nano", deserialize_with = "time")]
    observed: Option<EpochMillis>,
    #[serde(borrow, rename = "eventName", alias = "event_name")]
    name: Option<StepText<'a>>,
    #[serde(borrow, deserialize_with = "body")]
    body: Option<StepText<'a>>,
    #[serde(borrow)]
    pub(super) attributes: SpanAttributes<'a>,
    #[serde(borrow, rename = "traceId", alias = "trace_id")]
    pub(super) trace: Option<StepText<'a>>,
}

impl LogEvent<'_> {
    /// Returns the time of the event: that of its clock, if the exporter has set it.
    pub(super) fn at(&self) -> Option<EpochMillis> {
        let written = || EpochMillis::parse(self.attributes.get(&["event.timestamp"])?).ok();
        let is_set = |time: &EpochMillis| time.0 > 0;
        self.time.filter(is_set).or_else(written).or(self.observed.filter(is_set))
    }

    /// Returns the texts that may be the name of the event. Agents put it into different places.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let attribute = self.attributes.get(&["event.name"]);
        [attribute, self.name.as_ref(), self.body.as_ref()].into_iter().flatten().map(|name| &**name)
    }

    /// Returns the run: the session or conversation, or the trace.
    pub(super) fn run(&self) -> Option<&str> {
        let named = self.attributes.get(&["session.id", "gen_ai.conversation.id", "conversation.id"]);
        let trace = || self.trace.as_deref().filter(|trace| !trace.is_empty());
        named.map(|name| &**name).or_else(trace)
    }
}

/// Returns the key of an event, which has no id: a hash of its content and its resource.
pub(super) fn event_key(resource: Option<&RawValue>, record: &RawValue) -> String {
    let mut hash = Xxh3::new();
    hash.update(resource.map_or("", RawValue::get).as_bytes());
    hash.update(&[0]);
    hash.update(record.get().as_bytes());
    format!("event:{:032x}", hash.digest128())
}

/// Parses the text of a body. Other bodies are not used.
fn body<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<StepText<'de>>, D::Error> {
    let raw = <Option<&'de RawValue>>::deserialize(deserializer)?;
    Ok(raw.filter(|raw| raw.get().contains("tringValue")).map(tagged))
}
