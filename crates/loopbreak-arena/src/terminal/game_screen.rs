//! Renders an episode as one screen that is redrawn in place after each turn.
//!
//! The cursor stays below the screen between two writes, and the terminal is not changed for longer than one
//! write, so nothing must be restored if the program is killed.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use loopbreak_report::printable;

use super::event_text::{render_refusal, render_usage, render_verdict};
use super::map_chart::render_map;
use crate::episode::EpisodeEvent;
use crate::world::{WorldMap, WorldObservation};

/// Number of messages that are kept, and of lines shown per message.
const MAX_MESSAGES: usize = 6;
const MESSAGE_LINES: usize = 2;
/// Maximum width of the screen, in columns.
const MAX_COLUMNS: usize = 110;
/// Minimum width, below which nothing is readable.
const MIN_COLUMNS: usize = 20;

/// A screen with the state of the game, the map and the latest messages.
#[derive(Debug, Default)]
pub struct GameScreen {
    max_turns: u64,
    /// Number of lines currently on the terminal.
    drawn_lines: usize,
    turn: u64,
    action: String,
    text: String,
    place: String,
    status: String,
    map: Vec<String>,
    objectives: Vec<String>,
    /// Refusals, failures and advice, oldest first.
    messages: Vec<String>,
    usage: loopbreak::Usage,
}

impl GameScreen {
    /// Creates an empty screen for a game of at most this many turns.
    pub fn new(max_turns: u64) -> Self {
        GameScreen { max_turns, ..GameScreen::default() }
    }

    /// Adds an event. Returns the text that redraws the screen on a terminal of this many columns and lines.
    pub fn update(&mut self, event: &EpisodeEvent<'_>, (columns, lines): (usize, usize)) -> String {
        let size = (columns.max(MIN_COLUMNS), lines);
        match event {
            EpisodeEvent::Begun { observation, map } => self.set_observation(observation, map, size),
            EpisodeEvent::Refused { turn, action, ruling, reasons } => {
                self.add_message(*turn, &render_refusal(action, ruling, reasons));
            }
            EpisodeEvent::PlayerFailed { turn, failure, in_a_row } => {
                self.add_message(
                    *turn,
                    &format!("no command ({in_a_row} in a row): {}", printable(&failure.message)),
                );
            }
            EpisodeEvent::CriticFailed { turn, failure } => {
                self.add_message(*turn, &format!("no score: {}", printable(&failure.message)));
            }
            EpisodeEvent::Turn { taken, observation, map, objectives, verdict } => {
                self.turn = taken.turn;
                let critic = taken.critic.map(|score| format!(", critic {score:.2}")).unwrap_or_default();
                let overridden = if taken.overridden { ", taken anyway" } else { "" };
                self.action =
                    format!("{} (worth {:.2}{critic}{overridden})", printable(taken.action), taken.score);
                self.objectives = objectives.to_vec();
                if let Some(usage) = taken.usage {
                    let sum = |sum: &mut Option<u64>, more: Option<u64>| {
                        *sum = more.map(|more| sum.unwrap_or(0).saturating_add(more)).or(*sum);
                    };
                    sum(&mut self.usage.input_tokens, usage.input_tokens);
                    sum(&mut self.usage.output_tokens, usage.output_tokens);
                    let cost = &mut self.usage.cost_usd;
                    *cost = usage.cost_usd.map(|more| cost.unwrap_or(0.0) + more).or(*cost);
                }
                self.set_observation(observation, map, size);
                for line in render_verdict(verdict) {
                    self.add_message(taken.turn, &line);
                }
            }
        }
        self.redraw(size)
    }

    fn set_observation(
        &mut self,
        observation: &WorldObservation,
        map: &WorldMap,
        (columns, lines): (usize, usize),
    ) {
        self.text.clone_from(&observation.text);
        let mut status = Vec::new();
        status.extend(observation.score.map(|score| format!("score {score}")));
        status.extend(observation.moves.map(|moves| format!("moves {moves}")));
        status.push(format!("places {}", map.len()));
        let place = observation.place.as_ref();
        self.place = place.map_or_else(|| "somewhere".to_owned(), |place| printable(&place.name));
        self.status = status.join("  ");
        let (across, along) = (if columns >= 90 { 2 } else { 1 }, if lines >= 40 { 2 } else { 1 });
        self.map = place.map(|place| render_map(map, place.id, across, along)).unwrap_or_default();
    }

    fn add_message(&mut self, turn: u64, line: &str) {
        self.messages.push(format!("{turn}: {line}"));
        let surplus = self.messages.len().saturating_sub(MAX_MESSAGES);
        self.messages.drain(..surplus);
    }

    fn redraw(&mut self, (columns, lines): (usize, usize)) -> String {
        let picture = self.render(columns.min(MAX_COLUMNS), lines);
        let mut text = String::new();
        if self.drawn_lines > 0 {
            // Moves to the first line of the screen and clears everything from there.
            _ = write!(text, "\x1b[{}A\r\x1b[J", self.drawn_lines);
        }
        self.drawn_lines = picture.len();
        // Characters that are two columns wide must not wrap.
        _ = write!(text, "\x1b[?7l{}\n\x1b[?7h", picture.join("\n"));
        text
    }

    fn render(&self, width: usize, height: usize) -> Vec<String> {
        let (bold, dim) = (Style::new().bold(), Style::new().dimmed());
        let warn = AnsiColor::Yellow.on_default();
        let cut = |line: &str, style: Style| {
            let line: String = line.chars().take(width.saturating_sub(1)).collect();
            if line.is_empty() { line } else { format!("{style}{line}{style:#}") }
        };
        let turn = format!("turn {} of {}  {}", self.turn, self.max_turns, self.status);
        let room = width.saturating_sub(turn.chars().count() + 2).max(10);
        let place: String = self.place.chars().take(room).collect();
        let mut lines = vec![cut(&format!("{place:<room$} {turn}"), bold)];
        lines.extend(render_usage(&self.usage).map(|usage| cut(&usage, dim)));
        lines.push(String::new());
        lines.extend(self.map.iter().map(|line| cut(line, Style::new())));
        lines.push(String::new());
        if !self.action.is_empty() {
            lines.push(cut(&format!("> {}", self.action), bold));
        }
        let text: Vec<String> =
            self.text.lines().flat_map(|line| wrap(&printable(line), width - 2)).collect();
        // A terminal with few lines shows less of the game, to leave room for the messages.
        let shown = height.saturating_sub(lines.len() + 8).clamp(3, 10);
        lines.extend(text.iter().take(shown).map(|line| cut(line, Style::new())));
        if text.len() > shown {
            lines.push(cut("…", dim));
        }
        lines.push(String::new());
        if !self.objectives.is_empty() {
            lines.push(cut(&format!("objectives: {}", printable(&self.objectives.join("; "))), dim));
        }
        let messages: Vec<String> =
            self.messages.iter().flat_map(|line| first_lines(line, width - 2)).collect();
        // Lines above the terminal cannot be cleared again, so only the latest messages are shown.
        let most = height.saturating_sub(1).max(1);
        let skip = messages.len().saturating_sub(most.saturating_sub(lines.len()));
        lines.extend(messages.iter().skip(skip).map(|line| cut(line, warn)));
        lines.truncate(most);
        lines
    }
}

/// Returns the first lines of a message.
fn first_lines(line: &str, width: usize) -> Vec<String> {
    let mut lines = wrap(line, width - 2);
    if lines.len() > MESSAGE_LINES {
        lines.truncate(MESSAGE_LINES);
        lines.last_mut().into_iter().for_each(|last| last.push_str(" …"));
    }
    lines
}

/// Wraps a line at spaces.
fn wrap(line: &str, width: usize) -> Vec<String> {
    let (mut lines, mut current) = (Vec::new(), String::new());
    for word in line.split(' ') {
        if !current.is_empty() && current.chars().count() + 1 + word.chars().count() > width {
            lines.push(std::mem::take(&mut current));
        }
        if !current.is_empty() {
            current.push(' ');
        }
        current.push_str(word);
    }
    lines.push(current);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_wrapped_at_spaces() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("incomprehensibilities", 7), ["incomprehensibilities"]);
        assert_eq!(wrap("", 7), [""]);
        assert_eq!(first_lines("one two three four five six", 9), ["one two", "three …"]);
    }

    #[test]
    fn the_screen_is_never_taller_than_the_terminal() {
        let screen =
            GameScreen { text: "line\n".repeat(50), map: vec!["x".into(); 30], ..GameScreen::new(300) };
        assert_eq!(screen.render(80, 10).len(), 9);
        assert_eq!(screen.render(20, 0).len(), 1);
    }
}
