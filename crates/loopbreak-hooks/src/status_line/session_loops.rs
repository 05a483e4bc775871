//! The loops of a session, as the store knows them.

use std::time::Duration;

use loopbreak::text::{clip, inert};
use loopbreak_store::{
    KnownLoop, RunMeasures, RunState, Store, StoreError, StoreOptions, StoreUrl, read_existing,
};
use serde_json::Value;

/// Program whose sessions have a status line.
const SOURCE: &str = "claude-code";
/// Largest number of agents of a session that are read.
const MAX_AGENTS: usize = 20;
/// Longest text of a call, in bytes.
const CALL_BYTES: usize = 40;

/// The loops of a session, with those of its subagents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionLoops {
    /// The loop that the last step of an agent belongs to: the repeated call and the number of repetitions.
    pub current: Option<(String, u32)>,
    /// Number of loops that were found, except those that were only hinted at.
    pub loops: usize,
    /// Number of calls that were refused.
    pub refused: u64,
    /// Number of calls that a human was asked about.
    pub asked: u64,
}

impl SessionLoops {
    /// Reads the loops of a session. A store that is missing or busy, or an unknown session, has none.
    pub fn load(store: &StoreUrl, session: &str) -> Result<Self, StoreError> {
        let options = StoreOptions { busy_timeout: Duration::ZERO, ..StoreOptions::default() };
        match read_existing(store, options)? {
            Some(store) => SessionLoops::read(&*store, session),
            None => Ok(SessionLoops::default()),
        }
    }

    fn read(store: &dyn Store, session: &str) -> Result<Self, StoreError> {
        let mut found = SessionLoops::default();
        let runs = store.find(session)?.into_iter();
        let runs = runs.filter(|run| run.source == SOURCE && run.session == session);
        for run in runs.take(MAX_AGENTS) {
            let guard = RunState::parse(store.state(&run.key())?.as_deref(), |_| {}).guard;
            let loops: Vec<&KnownLoop> =
                guard.loops.iter().filter(|known| known.severity != "hint").collect();
            found.loops += loops.len();
            // The latest agent comes first.
            if found.current.is_none() && run.ended.is_none() {
                let current = loops
                    .iter()
                    .filter(|known| known.turn >= guard.turn)
                    .max_by_key(|known| known.attempt_count);
                found.current = current.map(|known| (call_text(&known.action), known.attempt_count));
            }
            let measures = RunMeasures::from_counts(&store.event_counts(&run)?);
            found.refused += measures.refused;
            found.asked += measures.asked;
        }
        Ok(found)
    }

    /// Renders the line. Empty if nothing looped.
    pub fn render(&self, unicode: bool) -> String {
        let (sign, times, separator) = if unicode { ("⟳", "×", " · ") } else { ("loop:", "x", " | ") };
        let mut parts = Vec::new();
        if let Some((call, count)) = &self.current {
            let call =
                if unicode { call.clone() } else { call.replace(|letter: char| !letter.is_ascii(), "?") };
            parts.push(format!("{sign} {count}{times} {call}"));
        }
        match self.loops {
            0 => {}
            1 => parts.push("1 loop".to_owned()),
            loops => parts.push(format!("{loops} loops")),
        }
        if self.refused > 0 {
            parts.push(format!("{} refused", self.refused));
        }
        if self.asked > 0 {
            parts.push(format!("{} asked", self.asked));
        }
        parts.join(separator)
    }
}

/// Returns the text of a repeated call: its command, else the name of its tool.
fn call_text(action: &str) -> String {
    let (name, arguments) = action.split_once(' ').unwrap_or((action, ""));
    let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
    let text = match arguments.get("command").and_then(Value::as_str) {
        Some(command) => inert(command),
        None if name.is_empty() => "same call".to_owned(),
        None => format!("same {} call", inert(name)),
    };
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let short = clip(&text, CALL_BYTES);
    if short.len() < text.len() { format!("{}...", short.trim_end()) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_has_only_what_happened() {
        let nothing = SessionLoops::default();
        assert_eq!(nothing.render(true), "");
        let mut loops = SessionLoops { loops: 1, ..nothing };
        assert_eq!(loops.render(true), "1 loop");
        loops = SessionLoops { current: Some(("cargo test".into(), 5)), loops: 2, refused: 3, asked: 1 };
        assert_eq!(loops.render(true), "⟳ 5× cargo test · 2 loops · 3 refused · 1 asked");
        assert_eq!(loops.render(false), "loop: 5x cargo test | 2 loops | 3 refused | 1 asked");
    }

    #[test]
    fn a_call_is_shown_by_its_command_or_its_tool() {
        for (action, text) in [
            (r#"Bash {"command":"cargo   test"}"#, "cargo test"),
            (r#"Read {"file_path":"a.rs"}"#, "same Read call"),
            // Evidence is cut at 200 bytes, so it need not be JSON.
            (r#"Bash {"command":"carg"#, "same Bash call"),
            ("", "same call"),
        ] {
            assert_eq!(call_text(action), text);
        }
        let hostile = call_text("Bash {\"command\":\"\\u001b[2J\\nrm\"}");
        assert!(!hostile.contains(['\u{1b}', '\n']), "{hostile:?}");
        assert!(call_text(&format!("Bash {{\"command\":\"{}\"}}", "x".repeat(300))).len() < 50);
    }
}
