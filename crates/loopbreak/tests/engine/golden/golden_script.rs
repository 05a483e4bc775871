//! The lines of a golden file before they are answered.

use serde_json::{Value, json};

use super::golden_player::GoldenPlayer;

/// The lines of a golden file that say what to do.
pub(super) struct GoldenScript {
    /// The name of the file, without its ending.
    pub(super) name: &'static str,
    lines: Vec<String>,
}

impl GoldenScript {
    pub(super) fn new(name: &'static str) -> Self {
        GoldenScript { name, lines: Vec::new() }
    }

    fn add(&mut self, line: &Value) -> &mut Self {
        self.lines.push(line.to_string());
        self
    }

    /// Starts a guard.
    pub(super) fn guard(&mut self, run: &str, config: &Value) -> &mut Self {
        self.add(&json!({"guard": {"run": run, "config": config}}))
    }

    /// Shows a step to the guard.
    pub(super) fn see(&mut self, step: &Value) -> &mut Self {
        self.add(&json!({"observe": step}))
    }

    /// Shows a step of a log to the guard, in its own spelling.
    pub(super) fn see_line(&mut self, step: &str) -> &mut Self {
        self.lines.push(format!("{{\"observe\":{step}}}"));
        self
    }

    /// Shows steps to the guard.
    pub(super) fn see_all(&mut self, steps: impl IntoIterator<Item = Value>) -> &mut Self {
        for step in steps {
            self.see(&step);
        }
        self
    }

    /// Starts a guard with the default settings, and shows these steps to it.
    pub(super) fn run(&mut self, name: &str, steps: impl IntoIterator<Item = Value>) -> &mut Self {
        self.guard(name, &json!({})).see_all(steps)
    }

    /// Asks the guard about a proposal.
    pub(super) fn weigh(&mut self, proposal: &Value) -> &mut Self {
        self.add(&json!({"weigh": proposal}))
    }

    /// Stores the guard, and continues with the restored one.
    pub(super) fn snapshot(&mut self) -> &mut Self {
        self.add(&json!({"snapshot": {}}))
    }

    /// Starts a series.
    pub(super) fn series(&mut self, config: &Value) -> &mut Self {
        self.add(&json!({"series": {"config": config}}))
    }

    /// Adds a run to the series.
    pub(super) fn conclude(&mut self, run: &str, steps: &[Value]) -> &mut Self {
        self.add(&json!({"conclude": {"run": run, "steps": steps}}))
    }

    /// Plays the lines. Returns the file: each line with its answer below it.
    pub(super) fn answered(&self) -> String {
        let mut player = GoldenPlayer::new();
        let mut text = String::new();
        for line in &self.lines {
            text.push_str(line);
            text.push('\n');
            if let Some(answer) = player.play(line) {
                text.push_str(&answer);
                text.push('\n');
            }
        }
        text
    }
}
