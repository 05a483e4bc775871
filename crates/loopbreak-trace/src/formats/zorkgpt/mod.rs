//! ZorkGPT: the events of an episode, and the text log of its first version. See docs/formats/zorkgpt.md.

mod events;
mod text;

use crate::format::{Kind, Reader, Sink, Unit};
use crate::glimpse::Glimpse;
use crate::reason::Reason;

/// Episodes of ZorkGPT.
pub(crate) struct ZorkGpt;

/// Events that nobody else writes.
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

impl Kind for ZorkGpt {
    fn name(&self) -> &'static str {
        "zorkgpt"
    }
    fn title(&self) -> &'static str {
        "ZorkGPT"
    }
    fn files(&self) -> &'static str {
        "episode_log.jsonl, an event a line; the text log of the first version"
    }
    fn recognises(&self, value: &Glimpse<'_>) -> bool {
        value.text("event_type").is_some_and(|event| EVENTS.contains(&event))
            && value.has_all(&["timestamp", "message"])
    }
    fn recognises_text(&self, line: &str) -> bool {
        text::begins_turn(line).is_some() || line.starts_with("--- NEW EPISODE: ")
    }
    fn reader(&self, _beside: &[String]) -> Box<dyn Reader> {
        Box::new(Episode::default())
    }
}

/// Reads either kind of log, as the lines come.
#[derive(Debug, Default)]
struct Episode {
    events: events::Events,
    text: text::Turns,
}

impl Reader for Episode {
    fn unit(&mut self, unit: Unit<'_>, sink: &mut dyn Sink) -> Result<(), Reason> {
        if unit.text.trim_start().starts_with('{') {
            return self.events.line(unit, sink);
        }
        if self.events.begun() {
            return Err(Reason::because("not JSON"));
        }
        self.text.line(unit, sink);
        Ok(())
    }

    fn end(&mut self, sink: &mut dyn Sink) {
        self.events.end(sink);
        self.text.end(sink);
    }
}
