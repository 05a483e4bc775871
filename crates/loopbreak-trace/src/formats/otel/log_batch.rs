//! The events of one request, or of one line of a file.

use serde_json::value::RawValue;

use super::event_steps::emit_event;
use super::log_event::{LogEvent, ResourceLogs, event_key};
use super::run_progress::TelemetryRuns;
use super::span_walk::TelemetrySink;
use crate::skip_reason::SkipReason;

/// Events in the order in which they were written.
#[derive(Debug, Default)]
pub(super) struct LogBatch<'a> {
    records: Vec<BatchRecord<'a>>,
}

/// An event that is not parsed yet.
#[derive(Clone, Copy, Debug)]
struct BatchRecord<'a> {
    line: u64,
    resource: Option<&'a RawValue>,
    json: &'a RawValue,
}

impl<'a> LogBatch<'a> {
    /// Adds the events of a resource.
    pub(super) fn add(&mut self, logs: &ResourceLogs<'a>, line: u64) {
        let resource = logs.resource;
        self.records.extend(logs.records().map(|json| BatchRecord { line, resource, json }));
    }

    /// Drops what is above a limit. Returns the number of dropped events.
    pub(super) fn truncate(&mut self, limit: usize) -> usize {
        let excess = self.records.len().saturating_sub(limit);
        self.records.truncate(limit);
        excess
    }

    /// Parses the events, and puts them in the order of their times. The error is that of the first event that cannot be read.
    pub(super) fn parse(self) -> (ParsedBatch<'a>, Result<(), SkipReason>) {
        let mut result = Ok(());
        let mut events = Vec::with_capacity(self.records.len());
        for record in self.records {
            match serde_json::from_str::<LogEvent<'_>>(record.json.get()) {
                Ok(event) => events.push((event, record)),
                Err(error) if result.is_ok() => {
                    result = Err(SkipReason::malformed(record.json.get(), &error));
                }
                Err(_) => {}
            }
        }
        events.sort_by_key(|(event, _)| event.at());
        (ParsedBatch { events }, result)
    }
}

/// Events in the order of their times.
#[derive(Debug)]
pub(super) struct ParsedBatch<'a> {
    events: Vec<(LogEvent<'a>, BatchRecord<'a>)>,
}

impl ParsedBatch<'_> {
    /// Emits the steps of the events.
    pub(super) fn emit(&self, runs: &mut TelemetryRuns, sink: &mut dyn TelemetrySink) {
        for (event, record) in &self.events {
            let wants_keys = sink.wants_keys();
            let key = || wants_keys.then(|| event_key(record.resource, record.json));
            emit_event(event, record.line, key, runs, sink);
        }
    }
}
