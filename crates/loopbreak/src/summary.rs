//! The summary of a run: its prompt, its length and its end.

use serde::{Deserialize, Serialize};

use crate::evidence::redact_and_truncate;
use crate::fingerprint::{ActionKind, EditChange, OutcomeOpening, failed, outcome_key};
use crate::memory::HashKey;
use crate::settings::Config;
use crate::step::Step;
use crate::text::clip::clip;
use crate::text::normalize::normalize_whitespace_case;

/// Maximum size of the prompt that is read, in bytes.
const PROMPT_BYTES: usize = 4096;
/// Minimum size of a prompt that identifies a job, in bytes. "hi" and "continue" are shorter.
const SHORTEST_PROMPT: usize = 12;
/// Maximum size of the part of the last message that is checked for an error, in bytes.
const MESSAGE_HEAD: usize = 48;

/// The summary of a run, for [`Series::conclude`](crate::Series::conclude). Pass it every step of the run.
#[derive(Clone, Debug)]
pub struct RunSummary {
    config: Config,
    state: SummaryState,
}

/// The content of a summary, without its settings. Store it, and continue with [`RunSummary::restore`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SummaryState {
    #[serde(rename = "r")]
    run: String,
    #[serde(rename = "p", default, skip_serializing_if = "Option::is_none")]
    prompt: Option<(HashKey, String)>,
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    started: Option<i64>,
    #[serde(rename = "n")]
    steps: u64,
    /// True if the user wrote again after the prompt.
    #[serde(rename = "u")]
    attended: bool,
    #[serde(rename = "f")]
    progress: bool,
    #[serde(rename = "s", default, skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(rename = "o")]
    outcomes: bool,
    #[serde(rename = "e")]
    end: LastStepEnd,
    #[serde(rename = "l", default, skip_serializing_if = "Option::is_none")]
    last_error: Option<String>,
}

/// The end of the last step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum LastStepEnd {
    /// There was no step after the prompt.
    Nothing,
    /// With a message, or a call that succeeded.
    Well,
    /// With a failure.
    Failed,
    /// In the middle of a call.
    Unfinished,
}

impl RunSummary {
    /// Creates the summary of a run that has not begun yet.
    pub fn new(config: &Config, run: impl Into<String>) -> Self {
        let state = SummaryState {
            run: run.into(),
            prompt: None,
            started: None,
            steps: 0,
            attended: false,
            progress: false,
            score: None,
            outcomes: false,
            end: LastStepEnd::Nothing,
            last_error: None,
        };
        RunSummary { config: config.clone(), state }
    }

    /// Returns the content, to be stored.
    pub fn state(&self) -> &SummaryState {
        &self.state
    }

    /// Creates a summary from stored content. The settings must be those that it was created with.
    pub fn restore(config: &Config, state: SummaryState) -> Self {
        RunSummary { config: config.clone(), state }
    }

    /// Observes the next step.
    pub fn observe(&mut self, step: &Step<'_>) {
        if step.refused {
            return;
        }
        if let Some(at) = step.at {
            self.state.started.get_or_insert(at.0);
        }
        if let Some(user) = step.user.as_deref() {
            if self.state.prompt.is_some() || self.state.steps > 0 {
                self.state.attended = true;
            } else if user.trim().len() >= SHORTEST_PROMPT {
                let key = outcome_key(&normalize_whitespace_case(clip(user, PROMPT_BYTES)));
                self.state.prompt = Some((key, redact_and_truncate(user.trim())));
            }
        }
        // A run that made progress, or that a user attended to, did not end early, whatever its end.
        self.state.progress = self.state.progress || self.gets_further(step);
        if self.state.progress || self.state.attended {
            return;
        }
        if step.action.is_none() && step.outcome.is_none() && step.say.is_none() {
            return;
        }
        self.state.steps += 1;
        self.state.outcomes |= step.outcome.is_some();
        self.state.end = match (&step.action, &step.outcome) {
            (_, Some(outcome)) if failed(outcome) => LastStepEnd::Failed,
            (Some(_), None) => LastStepEnd::Unfinished,
            (None, None) if step.say.as_deref().is_some_and(is_error) => LastStepEnd::Failed,
            _ => LastStepEnd::Well,
        };
        if self.state.end == LastStepEnd::Failed {
            let text =
                step.outcome.as_ref().and_then(|outcome| outcome.text.as_deref()).or(step.say.as_deref());
            self.state.last_error = text.map(|text| redact_and_truncate(text.trim()));
        }
    }

    /// Returns whether a step made progress: a mark, an objective, a higher score, or a change.
    fn gets_further(&mut self, step: &Step<'_>) -> bool {
        let score = step.score.filter(|score| score.is_finite());
        let rises = score.zip(self.state.score).is_some_and(|(score, before)| score > before);
        self.state.score = score.or(self.state.score);
        let completes = step.objectives.as_ref().is_some_and(|objectives| !objectives.completed.is_empty());
        rises || completes || step.progress == Some(true) || self.changes(step)
    }

    fn changes(&self, step: &Step<'_>) -> bool {
        let (Some(action), Some(outcome)) = (&step.action, &step.outcome) else { return false };
        self.config.tables().actions.kind(action) == ActionKind::Edit
            && !failed(outcome)
            && !EditChange::from_action(action)
                .is_none(outcome.text.as_deref().map(OutcomeOpening::new).as_ref())
    }

    /// Returns the name of the run.
    pub fn run(&self) -> &str {
        &self.state.run
    }

    /// Returns the prompt of the run, cut to the length of evidence.
    pub fn prompt(&self) -> Option<&str> {
        self.state.prompt.as_ref().map(|(_, text)| text.as_str())
    }

    /// Returns the time of the first step, in milliseconds.
    pub fn started(&self) -> Option<i64> {
        self.state.started
    }

    /// Returns the identity of the prompt, which does not depend on dates, times and counters in it.
    pub fn prompt_id(&self) -> Option<u64> {
        self.prompt_key().map(|key| key.0)
    }

    pub(crate) fn prompt_key(&self) -> Option<HashKey> {
        self.state.prompt.as_ref().map(|(key, _)| *key)
    }

    /// Returns the text of the failure that the run ended with.
    pub(crate) fn last_error(&self) -> Option<&str> {
        self.state.last_error.as_deref().filter(|_| self.state.end == LastStepEnd::Failed)
    }

    /// Returns whether the run ended early: at most `young` steps, no progress, no further message from the
    /// user, and an end in a failure, in the middle of a call, or right after the prompt.
    pub(crate) fn died_young(&self, young: u64) -> bool {
        let died = match self.state.end {
            LastStepEnd::Nothing | LastStepEnd::Failed => true,
            // A log without any outcomes does not show how a call ended.
            LastStepEnd::Unfinished => self.state.outcomes,
            LastStepEnd::Well => false,
        };
        died && self.state.steps <= young && !self.state.progress && !self.state.attended
    }

    /// Returns whether the run had no result, whatever its length.
    pub(crate) fn came_to_nothing(&self) -> bool {
        self.state.end != LastStepEnd::Well && !self.state.progress && !self.state.attended
    }
}

/// Returns whether a last message is an error, such as "API Error: …" or "Error: …".
fn is_error(say: &str) -> bool {
    let head = clip(say.trim_start(), MESSAGE_HEAD);
    let before = head.split(':').next().filter(|before| before.len() < head.len()).unwrap_or_default();
    // A longer phrase before the colon is a sentence about an error, which is an answer.
    let mut words = before.split_whitespace();
    let (first, second) = (words.next().unwrap_or_default(), words.next());
    if words.next().is_some() {
        return false;
    }
    let word = second.unwrap_or(first);
    ["error", "exception", "fatal"].iter().any(|known| {
        word.len() >= known.len()
            && word.is_ascii()
            && word[word.len() - known.len()..].eq_ignore_ascii_case(known)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summarize(lines: &[&str]) -> RunSummary {
        let mut summary = RunSummary::new(&Config::default(), "r");
        for line in lines {
            summary.observe(&Step::from_json(line).unwrap());
        }
        summary
    }

    const PROMPT: &str = r#"{"user":"Fix the failing tests of the parser."}"#;

    #[test]
    fn a_run_that_ends_in_failure_before_any_result_failed_early() {
        let crash = r#"{"action":"bash","outcome":{"text":"killed","error":true}}"#;
        let api = r#"{"say":"API Error: 529 overloaded"}"#;
        for lines in [&[PROMPT][..], &[PROMPT, crash], &[PROMPT, api]] {
            assert!(summarize(lines).died_young(10), "{lines:?}");
        }
        let edit = r#"{"action":"edit","outcome":"The file was updated."}"#;
        for lines in [
            &[PROMPT, r#"{"say":"They pass now."}"#][..],
            &[PROMPT, crash, r#"{"say":"There is an error: the disk is full."}"#],
            &[PROMPT, edit, crash],
            &[PROMPT, r#"{"progress":true}"#, crash],
            &[PROMPT, crash, r#"{"user":"stop"}"#],
            &[PROMPT, r#"{"action":"bash"}"#],
        ] {
            assert!(!summarize(lines).died_young(10), "{lines:?}");
        }
        assert!(!summarize(&[&[PROMPT][..], &[crash; 11]].concat()).died_young(10), "it was long enough");
    }

    #[test]
    fn storing_a_summary_after_every_step_does_not_change_it() {
        let lines = [
            PROMPT,
            r#"{"at":1762248924000,"score":0.1,"action":"bash","outcome":{"text":"killed","error":true}}"#,
            r#"{"action":"look","outcome":"dark","score":0.3}"#,
        ];
        for count in 1..=lines.len() {
            let config = Config::default();
            let mut summary = RunSummary::new(&config, "r");
            for line in &lines[..count] {
                summary.observe(&Step::from_json(line).unwrap());
                let stored = serde_json::to_string(summary.state()).unwrap();
                summary = RunSummary::restore(&config, serde_json::from_str(&stored).unwrap());
            }
            assert_eq!(format!("{summary:?}"), format!("{:?}", summarize(&lines[..count])));
        }
    }

    #[test]
    fn dates_and_counters_do_not_change_the_identity_of_a_prompt() {
        let key = |prompt: &str| summarize(&[&format!(r#"{{"user":"{prompt}"}}"#)]).prompt_key();
        assert!(key("Iteration 3: work on the plan, it is 2026-01-02").is_some());
        assert_eq!(
            key("Iteration 3: work on the plan, it is 2026-01-02"),
            key("iteration 4: work on the plan, it is 2026-01-03")
        );
        assert_ne!(key("Work on page 3 of the plan"), key("Work on page 4 of the plan"));
        assert_eq!(key("continue"), None);
    }
}
