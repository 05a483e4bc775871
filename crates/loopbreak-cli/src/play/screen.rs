//! The view on a terminal: one screen that is redrawn in place after each turn.
//!
//! The cursor stays below the screen between two writes, and the terminal is not changed for longer than one
//! write, so nothing must be restored if the program is killed.

use std::fmt::Write as _;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use loopbreak_arena::{EpisodeEvent, WorldMap, WorldObservation};

use super::chart;
use super::view::{refusal, used, words_of};
use crate::output::printable;

/// Number of messages that are kept, and of lines shown per message.
const SAID: usize = 6;
const LINES: usize = 2;
/// Maximum width of the screen.
const WIDEST: usize = 110;

/// The screen.
#[derive(Debug, Default)]
pub(super) struct GameScreen {
    max_turns: u64,
    /// Number of lines currently on the terminal.
    drawn: usize,
    turn: u64,
    action: String,
    text: String,
    status: String,
    map: Vec<String>,
    objectives: Vec<String>,
    /// Refusals, failures and advice, oldest first.
    said: Vec<String>,
    usage: loopbreak::Usage,
}

impl GameScreen {
    pub(super) fn new(max_turns: u64) -> Self {
        GameScreen { max_turns, ..GameScreen::default() }
    }

    /// Adds an event and redraws the screen.
    pub(super) fn show(&mut self, event: &EpisodeEvent<'_>) {
        match event {
            EpisodeEvent::Begun { observation, map } => self.see(observation, map),
            EpisodeEvent::Refused { turn, action, ruling, reasons } => {
                self.say(*turn, &refusal(action, ruling, reasons));
            }
            EpisodeEvent::PlayerFailed { turn, failure, in_a_row } => {
                self.say(
                    *turn,
                    &format!("no command ({in_a_row} in a row): {}", printable(&failure.message)),
                );
            }
            EpisodeEvent::CriticFailed { turn, failure } => {
                self.say(*turn, &format!("no score: {}", printable(&failure.message)));
            }
            EpisodeEvent::Turn { taken, observation, map, objectives, verdict } => {
                self.turn = taken.turn;
                let critic = taken.critic.map(|score| format!(", critic {score:.2}")).unwrap_or_default();
                let all_the_same = if taken.overridden { ", taken anyway" } else { "" };
                self.action =
                    format!("{} (worth {:.2}{critic}{all_the_same})", printable(taken.action), taken.score);
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
                self.see(observation, map);
                for line in words_of(verdict) {
                    self.say(taken.turn, &line);
                }
            }
        }
        self.draw();
    }

    fn see(&mut self, observation: &WorldObservation, map: &WorldMap) {
        self.text.clone_from(&observation.text);
        let mut status = Vec::new();
        status.extend(observation.score.map(|score| format!("score {score}")));
        status.extend(observation.moves.map(|moves| format!("moves {moves}")));
        status.push(format!("places {}", map.len()));
        let place = observation.place.as_ref();
        self.status = format!(
            "{}\u{0}{}",
            place.map_or_else(|| "somewhere".to_owned(), |place| printable(&place.name)),
            status.join("  ")
        );
        let (width, height) = size();
        let (across, along) = (if width >= 90 { 2 } else { 1 }, if height >= 40 { 2 } else { 1 });
        self.map = place.map(|place| chart::around(map, place.id, across, along)).unwrap_or_default();
    }

    fn say(&mut self, turn: u64, line: &str) {
        self.said.push(format!("{turn}: {line}"));
        let surplus = self.said.len().saturating_sub(SAID);
        self.said.drain(..surplus);
    }

    fn draw(&mut self) {
        let (width, height) = size();
        let picture = self.picture(width.min(WIDEST), height);
        let mut text = String::new();
        if self.drawn > 0 {
            // Moves to the first line of the screen and clears everything from there.
            _ = write!(text, "\x1b[{}A\r\x1b[J", self.drawn);
        }
        self.drawn = picture.len();
        // Characters that are two columns wide must not wrap.
        _ = write!(text, "\x1b[?7l{}\n\x1b[?7h", picture.join("\n"));
        let mut out = io::BufWriter::new(anstream::stdout().lock());
        // The game continues if the terminal is gone.
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }

    fn picture(&self, width: usize, height: usize) -> Vec<String> {
        let (bold, dim) = (Style::new().bold(), Style::new().dimmed());
        let warn = AnsiColor::Yellow.on_default();
        let cut = |line: &str, style: Style| {
            let line: String = line.chars().take(width.saturating_sub(1)).collect();
            if line.is_empty() { line } else { format!("{style}{line}{style:#}") }
        };
        let (place, status) = self.status.split_once('\u{0}').unwrap_or_default();
        let turn = format!("turn {} of {}  {status}", self.turn, self.max_turns);
        let room = width.saturating_sub(turn.chars().count() + 2).max(10);
        let place: String = place.chars().take(room).collect();
        let mut lines = vec![cut(&format!("{place:<room$} {turn}"), bold)];
        lines.extend(used(&self.usage).map(|used| cut(&used, dim)));
        lines.push(String::new());
        lines.extend(self.map.iter().map(|line| cut(line, Style::new())));
        lines.push(String::new());
        if !self.action.is_empty() {
            lines.push(cut(&format!("> {}", self.action), bold));
        }
        let text: Vec<String> =
            self.text.lines().flat_map(|line| wrapped(&printable(line), width - 2)).collect();
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
        let said: Vec<String> = self.said.iter().flat_map(|line| shortened(line, width - 2)).collect();
        // Lines above the terminal cannot be cleared again, so only the latest messages are shown.
        let most = height.saturating_sub(1).max(1);
        let skip = said.len().saturating_sub(most.saturating_sub(lines.len()));
        lines.extend(said.iter().skip(skip).map(|line| cut(line, warn)));
        lines.truncate(most);
        lines
    }
}

/// Returns the first lines of a message.
fn shortened(line: &str, width: usize) -> Vec<String> {
    let mut lines = wrapped(line, width - 2);
    if lines.len() > LINES {
        lines.truncate(LINES);
        lines.last_mut().into_iter().for_each(|last| last.push_str(" …"));
    }
    lines
}

/// Wraps a line at spaces.
fn wrapped(line: &str, width: usize) -> Vec<String> {
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

fn size() -> (usize, usize) {
    terminal_size::terminal_size_of(io::stdout())
        .map_or((80, 24), |(width, height)| (usize::from(width.0).max(20), usize::from(height.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_wrapped_at_spaces() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("incomprehensibilities", 7), ["incomprehensibilities"]);
        assert_eq!(wrapped("", 7), [""]);
        assert_eq!(shortened("one two three four five six", 9), ["one two", "three …"]);
    }

    #[test]
    fn the_screen_is_never_taller_than_the_terminal() {
        let screen =
            GameScreen { text: "line\n".repeat(50), map: vec!["x".into(); 30], ..GameScreen::new(300) };
        assert_eq!(screen.picture(80, 10).len(), 9);
        assert_eq!(screen.picture(20, 0).len(), 1);
    }
}
