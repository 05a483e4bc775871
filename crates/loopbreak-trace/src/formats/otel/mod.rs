//! Telemetry of agents: OpenTelemetry spans with GenAI or OpenInference attributes, and events of coding agents, in files and
//! in requests of OTLP. See docs/formats/otel.md.
//!
//! | module | content |
//! |---|---|
//! | `otel_reader`, `telemetry_reader` | the entrances: files, and requests |
//! | `protobuf_json` | requests in protobuf, rewritten as JSON |
//! | `span`, `span_attributes`, `span_tree`, `span_walk` | spans, their order, and their steps |
//! | `log_event`, `log_batch`, `event_steps` | events, their order, and their steps |
//! | `run_progress`, `recent_entries` | the bounded memory between units |

mod event_steps;
mod log_batch;
mod log_event;
mod otel_reader;
mod protobuf_json;
mod recent_entries;
mod run_progress;
mod span;
mod span_attributes;
mod span_tree;
mod span_walk;
mod telemetry_error;
mod telemetry_reader;

pub(crate) use otel_reader::OtelFormat;
pub use telemetry_error::TelemetryError;
pub use telemetry_reader::{
    MAX_TELEMETRY_ITEMS, TelemetryBatch, TelemetryEncoding, TelemetryReader, TelemetrySignal, TelemetryStep,
};

/// The keys under which OTLP lists resources with spans.
const SPAN_LISTS: [&str; 2] = ["resourceSpans", "resource_spans"];
/// The keys under which OTLP lists resources with events.
const LOG_LISTS: [&str; 2] = ["resourceLogs", "resource_logs"];
