//! What is left of a run once it is over: its prompt, how long it lived, and how it ended.

use serde::{Deserialize, Serialize};

use crate::evidence::quoted;
use crate::fingerprint::{ActionKind, EditChange, OutcomeOpening, failed, outcome_key};
use crate::memory::Key;
use crate::settings::Config;
use crate::step::Step;
use crate::text::clip::clip;
use crate::text::normalize::normalize_whitespace_case;

/// How much of a prompt is looked at.
const PROMPT_BYTES: usize = 4096;
/// A shorter prompt ("hi", "continue") says nothing about the job.
const SHORTEST: usize = 12;
/// How much of a last word is looked at to see whether it is an error.
const HEAD: usize = 48;

/// What a [`Series`](crate::Series) is told of a run that is over. Show it every step of the run.
#[derive(Clone, Debug)]
pub struct RunSummary {
    config: Config,
    state: SummaryState,
}

/// What a summary holds, without its settings: to be put away while other runs go on, and taken out with
/// [`RunSummary::restore`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SummaryState {
    #[serde(rename = "r")]
    run: String,
    #[serde(rename = "p", default, skip_serializing_if = "Option::is_none")]
    prompt: Option<(Key, String)>,
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    started: Option<i64>,
    #[serde(rename = "n")]
    steps: u64,
    /// The user spoke again: somebody is there.
    #[serde(rename = "u")]
    attended: bool,
    #[serde(rename = "f")]
    progress: bool,
    #[serde(rename = "s", default, skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(rename = "o")]
    outcomes: bool,
    #[serde(rename = "e")]
    end: End,
    #[serde(rename = "l", default, skip_serializing_if = "Option::is_none")]
    last_error: Option<String>,
}

/// How the last step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum End {
    /// Nothing came after the prompt.
    Nothing,
    /// With a word, or a call that went well.
    Well,
    /// With a failure.
    Failed,
    /// In the middle of a call.
    Unfinished,
}

impl RunSummary {
    /// A run that has not begun yet.
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
            end: End::Nothing,
            last_error: None,
        };
        RunSummary { config: config.clone(), state }
    }

    /// What it holds so far, to be put away.
    pub fn state(&self) -> &SummaryState {
        &self.state
    }

    /// A summary that goes on where it was put away. The settings are to be those it was begun with.
    pub fn restore(config: &Config, state: SummaryState) -> Self {
        RunSummary { config: config.clone(), state }
    }

    /// Takes in the next step.
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
            } else if user.trim().len() >= SHORTEST {
                let key = outcome_key(&normalize_whitespace_case(clip(user, PROMPT_BYTES)));
                self.state.prompt = Some((key, quoted(user.trim())));
            }
        }
        // A run that got further, or that somebody attended to, did not fail to start, however it ends.
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
            (_, Some(outcome)) if failed(outcome) => End::Failed,
            (Some(_), None) => End::Unfinished,
            (None, None) if step.say.as_deref().is_some_and(is_error) => End::Failed,
            _ => End::Well,
        };
        if self.state.end == End::Failed {
            let text =
                step.outcome.as_ref().and_then(|outcome| outcome.text.as_deref()).or(step.say.as_deref());
            self.state.last_error = text.map(|text| quoted(text.trim()));
        }
    }

    /// Whether a step got the run any further: a mark, an objective, a score that rose, something changed.
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

    /// The name of the run.
    pub fn run(&self) -> &str {
        &self.state.run
    }

    /// What the run was asked to do, cut to the length of evidence.
    pub fn prompt(&self) -> Option<&str> {
        self.state.prompt.as_ref().map(|(_, text)| text.as_str())
    }

    /// When its first step was, in milliseconds.
    pub fn started(&self) -> Option<i64> {
        self.state.started
    }

    /// The name of its prompt: the same whatever dates, times and counters stand in it.
    pub fn prompt_id(&self) -> Option<u64> {
        self.prompt_key()
    }

    pub(crate) fn prompt_key(&self) -> Option<Key> {
        self.state.prompt.as_ref().map(|(key, _)| *key)
    }

    /// What it ended with, where that was a failure.
    pub(crate) fn last_error(&self) -> Option<&str> {
        self.state.last_error.as_deref().filter(|_| self.state.end == End::Failed)
    }

    /// Whether it died young: at most so many steps, no progress, nobody there, and an end in failure, in the middle of
    /// a call, or right after the prompt.
    pub(crate) fn died_young(&self, young: u64) -> bool {
        let died = match self.state.end {
            End::Nothing | End::Failed => true,
            // A log that tells of no outcomes at all does not tell how a call ended either.
            End::Unfinished => self.state.outcomes,
            End::Well => false,
        };
        died && self.state.steps <= young && !self.state.progress && !self.state.attended
    }

    /// Whether it came to nothing, however long it took.
    pub(crate) fn came_to_nothing(&self) -> bool {
        self.state.end != End::Well && !self.state.progress && !self.state.attended
    }
}

/// Whether a last word is an error: "API Error: …", "Error: …".
fn is_error(say: &str) -> bool {
    let head = clip(say.trim_start(), HEAD);
    let before = head.split(':').next().filter(|before| before.len() < head.len()).unwrap_or_default();
    // A sentence about an error is an answer.
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

    fn of(lines: &[&str]) -> RunSummary {
        let mut summary = RunSummary::new(&Config::default(), "r");
        for line in lines {
            summary.observe(&Step::from_json(line).unwrap());
        }
        summary
    }

    const PROMPT: &str = r#"{"user":"Fix the failing tests of the parser."}"#;

    #[test]
    fn who_ends_in_failure_before_anything_came_of_it_died_young() {
        let crash = r#"{"action":"bash","outcome":{"text":"killed","error":true}}"#;
        let api = r#"{"say":"API Error: 529 overloaded"}"#;
        for lines in [&[PROMPT][..], &[PROMPT, crash], &[PROMPT, api]] {
            assert!(of(lines).died_young(10), "{lines:?}");
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
            assert!(!of(lines).died_young(10), "{lines:?}");
        }
        assert!(!of(&[&[PROMPT][..], &[crash; 11]].concat()).died_young(10), "it lived");
    }

    #[test]
    fn a_summary_that_is_put_away_after_every_step_comes_to_the_same() {
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
                let away = serde_json::to_string(summary.state()).unwrap();
                summary = RunSummary::restore(&config, serde_json::from_str(&away).unwrap());
            }
            assert_eq!(format!("{summary:?}"), format!("{:?}", of(&lines[..count])));
        }
    }

    #[test]
    fn dates_and_counters_do_not_make_another_prompt() {
        let key = |prompt: &str| of(&[&format!(r#"{{"user":"{prompt}"}}"#)]).prompt_key();
        assert!(key("Iteration 3: work on the plan, it is 2026-01-02").is_some());
        assert_eq!(
            key("Iteration 3: work on the plan, it is 2026-01-02"),
            key("iteration 4: work on the plan, it is 2026-01-03")
        );
        assert_ne!(key("Work on page 3 of the plan"), key("Work on page 4 of the plan"));
        assert_eq!(key("continue"), None);
    }
}
