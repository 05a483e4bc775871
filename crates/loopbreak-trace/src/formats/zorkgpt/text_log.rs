//! Reads the text log of the first version: paragraphs with headings, turn by turn.

use loopbreak::{
    Action, Outcome, Place, Step,
    step::{Critic, Label, PlaceExit, StepText},
};

use super::critic_scale::rescaled_score;
use crate::log_format::LogUnit;
use crate::log_record::{LogRecord, RecordSink};

/// Number of bytes kept of a reply.
const REPLY: usize = 1024 * 1024;

/// The section that the current lines belong to.
#[derive(Debug, Default, PartialEq, Eq)]
enum ZorkGptSection {
    #[default]
    Nothing,
    Reply,
}

/// The current turn.
#[derive(Debug, Default)]
pub(super) struct ZorkGptTextLog {
    episode: Option<String>,
    model: Option<String>,
    number: Option<u64>,
    line: u64,
    inside: ZorkGptSection,
    action: Option<String>,
    critic: Option<f64>,
    reply: Option<String>,
    place: Option<(String, Vec<String>)>,
    reward: Option<f64>,
}

/// Returns the number of the turn that a line starts.
pub(super) fn begins_turn(line: &str) -> Option<u64> {
    line.trim().strip_prefix("--- Turn ")?.strip_suffix(" ---")?.trim().parse().ok()
}

impl ZorkGptTextLog {
    pub(super) fn line(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) {
        let line = unit.text;
        if let Some(number) = begins_turn(line) {
            self.end(sink);
            self.number = Some(number);
            self.line = unit.line;
        } else if let Some(rest) = line.strip_prefix("--- NEW EPISODE: ") {
            self.end(sink);
            self.episode = rest.split([' ', '(']).next().map(str::to_owned);
        } else if let Some(model) = line.strip_prefix("Using agent model: ") {
            self.model = Some(model.trim().to_owned());
        } else if let Some(action) = line.strip_prefix("Agent proposes:") {
            self.inside = ZorkGptSection::Nothing;
            let action = action.trim();
            self.action = Some(if action.is_empty() { "(empty)" } else { action }.to_owned());
        } else if let Some(rest) = line.strip_prefix("Critic evaluation: Score=") {
            let score = rest.split(',').next().and_then(|score| score.trim().parse::<f64>().ok());
            self.critic = score.map(rescaled_score);
        } else if line.starts_with("Zork response:") || line.starts_with("ZORK RESPONSE for ") {
            self.inside = ZorkGptSection::Reply;
            self.reply = Some(String::new());
        } else if let Some(rest) = line.strip_prefix("Extracted Info: ") {
            self.inside = ZorkGptSection::Nothing;
            self.place = place(rest);
        } else if let Some(rest) = line.strip_prefix("Turn reward: ") {
            self.inside = ZorkGptSection::Nothing;
            self.reward =
                rest.rsplit("Total episode reward: ").next().and_then(|sum| sum.trim().parse().ok());
        } else if self.inside == ZorkGptSection::Reply
            && let Some(reply) = &mut self.reply
            && reply.len() + line.len() < REPLY
        {
            reply.push_str(if reply.is_empty() { "" } else { "\n" });
            reply.push_str(line);
        }
    }

    /// Emits the current turn.
    pub(super) fn end(&mut self, sink: &mut dyn RecordSink) {
        let turn = std::mem::take(self);
        // These apply to the following turns as well.
        (self.episode, self.model) = (turn.episode.clone(), turn.model.clone());
        let (Some(number), Some(action)) = (turn.number, turn.action) else { return };
        let outcome = turn.reply.as_deref().map(str::trim);
        let step = Step {
            run: turn.episode.as_deref().map(Label::from),
            turn: Some(number),
            model: turn.model.as_deref().map(StepText::from),
            action: Some(Action::new(action)),
            outcome: outcome.map(Outcome::new),
            place: turn.place.map(|(name, exits)| Place {
                id: None,
                name: Some(name.into()),
                exits: exits.into_iter().map(PlaceExit::from).collect(),
            }),
            score: turn.reward,
            critic: turn.critic.map(|score| Critic { score: Some(score) }),
            ..Step::default()
        };
        sink.record(&LogRecord { line: turn.line, step });
    }
}

/// Parses the room and its exits from a line such as `Current Location='Cave' Exits='south, east', Visible
/// Objects=''`.
fn place(text: &str) -> Option<(String, Vec<String>)> {
    let between = |from: &str, to: &str| {
        let (_, rest) = text.split_once(from)?;
        Some(rest.split_once(to).map_or(rest, |(value, _)| value).trim_end_matches('\''))
    };
    let name = between("Current Location='", "' Exits=")?.trim();
    if name.is_empty() || name.starts_with("Unknown") {
        return None;
    }
    let exits = between("Exits='", "', Visible").unwrap_or_default();
    let exits = exits.split(',').map(str::trim).filter(|exit| !exit.is_empty()).map(str::to_owned);
    Some((name.to_owned(), exits.take(64).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_rooms_and_exits() {
        let line =
            "Current Location='Hades' Gate' Exits='south, east', Visible Objects='', Important Messages='x'";
        let expected = ("Hades' Gate".to_owned(), vec!["south".to_owned(), "east".to_owned()]);
        assert_eq!(place(line), Some(expected));
        assert_eq!(place("Current Location='Unknown (Empty Input)' Exits='', Visible Objects=''"), None);
        assert_eq!(place("nothing"), None);
    }
}
