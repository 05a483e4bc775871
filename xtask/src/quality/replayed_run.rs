//! Runs in the report of `loopbreak analyze`.

use std::path::PathBuf;

use serde::Deserialize;

/// A run in the report of `loopbreak analyze`.
#[derive(Debug, Deserialize)]
pub(super) struct ReplayedRun {
    pub(super) run: String,
    pub(super) source: PathBuf,
    pub(super) steps: u64,
    pub(super) verdict: String,
    pub(super) first_warning: Option<TurnFinding>,
    pub(super) first_stop: Option<TurnFinding>,
    pub(super) ending: Option<TurnFinding>,
    pub(super) progress_after_ending: Option<bool>,
    pub(super) findings: Vec<TurnFinding>,
}

/// A finding: its turn and its kind.
#[derive(Debug, Deserialize)]
pub(super) struct TurnFinding {
    pub(super) turn: u64,
    detector: String,
    pattern: String,
    #[serde(default)]
    severity: String,
    #[serde(default)]
    acted: bool,
}

impl TurnFinding {
    /// Returns whether the finding is a warning or worse.
    pub(super) fn is_signal(&self) -> bool {
        self.acted && self.severity != "hint"
    }

    /// Renders the finding, such as ``turn 7, `cycle`: exact``.
    pub(super) fn text(&self) -> String {
        format!("turn {}, `{}`: {}", self.turn, self.detector, self.pattern)
    }
}

impl ReplayedRun {
    /// Returns whether the run was warned about, or worse.
    pub(super) fn is_warned(&self) -> bool {
        self.verdict != "clear"
    }

    /// Returns whether Loopbreak intervened.
    pub(super) fn is_stopped(&self) -> bool {
        self.first_stop.is_some()
    }

    /// Returns what must not depend on the spelling of actions: verdict, first warning and first intervention.
    pub(super) fn judgement(&self) -> (&str, Option<u64>, Option<u64>) {
        let turn = |finding: &Option<TurnFinding>| finding.as_ref().map(|finding| finding.turn);
        (&self.verdict, turn(&self.first_warning), turn(&self.first_stop))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(verdict: &str, warning: Option<u64>, stop: Option<u64>) -> ReplayedRun {
        let finding = |turn: u64| format!(r#"{{"turn":{turn},"detector":"cycle","pattern":"exact"}}"#);
        let shown = |turn: Option<u64>| turn.map_or("null".to_owned(), finding);
        let json = format!(
            r#"{{"run":"a","source":"x/a.jsonl","steps":9,"verdict":"{verdict}","first_warning":{},
                "first_stop":{},"ending":null,"progress_after_ending":null,"findings":[]}}"#,
            shown(warning),
            shown(stop)
        );
        serde_json::from_str(&json).unwrap()
    }

    #[test]
    fn a_judgement_has_the_verdict_and_both_turns() {
        let stopped = run("stop", Some(4), Some(8));
        assert!(stopped.is_warned() && stopped.is_stopped());
        assert_eq!(stopped.judgement(), ("stop", Some(4), Some(8)));
        assert_ne!(stopped.judgement(), run("stop", Some(5), Some(8)).judgement());
        let clear = run("clear", None, None);
        assert!(!clear.is_warned() && !clear.is_stopped());
    }

    #[test]
    fn a_hint_and_a_finding_that_is_only_observed_are_no_signals() {
        let finding = |severity: &str, acted: bool| -> TurnFinding {
            let json = format!(
                r#"{{"turn":3,"detector":"drift","pattern":"rephrased","severity":"{severity}","acted":{acted}}}"#
            );
            serde_json::from_str(&json).unwrap()
        };
        assert!(finding("warn", true).is_signal() && finding("hard", true).is_signal());
        assert!(!finding("hint", true).is_signal() && !finding("warn", false).is_signal());
        assert_eq!(finding("warn", true).text(), "turn 3, `drift`: rephrased");
    }
}
