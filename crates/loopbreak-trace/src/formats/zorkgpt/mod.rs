//! ZorkGPT: the events of an episode, and the text log of its first version. See docs/formats/zorkgpt.md.

mod critic_scale;
mod event_log;
mod text_log;

use crate::log_format::{FormatDefinition, LogReader, LogUnit};
use crate::log_record::RecordSink;
use crate::skip_reason::SkipReason;
use crate::sniff::JsonOutline;

/// Episodes of ZorkGPT.
pub(crate) struct ZorkGptFormat;

/// Types of events that no other tool writes.
const EVENTS: [&str; 9] = [
    "orchestrator_init",
    "episode_initialized",
    "turn_completed",
    "final_action_selection",
    "zork_response",
    "map_movement_update",
    "map_initial_room_added",
    "agent_raw_response_debug",
    "episode_finalized",
];

impl FormatDefinition for ZorkGptFormat {
    fn name(&self) -> &'static str {
        "zorkgpt"
    }
    fn title(&self) -> &'static str {
        "ZorkGPT"
    }
    fn file_description(&self) -> &'static str {
        "episode_log.jsonl, one event per line; the text log of the first version"
    }
    /// Agent, critic, extractor and synthesis.
    fn calls_per_step(&self) -> u32 {
        4
    }
    fn recognizes(&self, value: &JsonOutline<'_>) -> bool {
        value.text("event_type").is_some_and(|event| EVENTS.contains(&event))
            && value.has_all(&["timestamp", "message"])
    }
    fn recognizes_text(&self, line: &str) -> bool {
        text_log::begins_turn(line).is_some() || line.starts_with("--- NEW EPISODE: ")
    }
    fn new_reader(&self, _agents: &[String]) -> Box<dyn LogReader> {
        Box::new(ZorkGptReader::default())
    }
}

/// Reads both kinds of logs.
#[derive(Debug, Default)]
struct ZorkGptReader {
    events: event_log::ZorkGptEventLog,
    text: text_log::ZorkGptTextLog,
}

impl LogReader for ZorkGptReader {
    fn read_unit(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
        if unit.text.trim_start().starts_with('{') {
            return self.events.line(unit, sink);
        }
        if self.events.begun() {
            return Err(SkipReason::new("not JSON"));
        }
        self.text.line(unit, sink);
        Ok(())
    }

    fn end(&mut self, sink: &mut dyn RecordSink) {
        self.events.end(sink);
        self.text.end(sink);
    }
}
