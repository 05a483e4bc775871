//! The course of a trial.

use std::path::PathBuf;
use std::time::Duration;

use loopbreak::text::printable_lines;

use crate::doctor::CheckFinding;

/// The course of a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LiveTrialReport {
    /// The program that was started.
    pub program: PathBuf,
    /// The requests of the agent to the model.
    pub requests: usize,
    /// The calls that the model made.
    pub calls: usize,
    /// The call after which advice reached the model.
    pub told: Option<usize>,
    /// The call that was refused.
    pub refused: Option<usize>,
    /// The agent has called the hook, whatever it did with the answer.
    pub has_called_hook: bool,
    /// The ending.
    pub ending: LiveTrialEnding,
    /// The duration.
    pub took: Duration,
    /// The last words of the agent on standard output and standard error.
    pub output: String,
}

/// The ending of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LiveTrialEnding {
    /// The agent ended by itself.
    Finished,
    /// The time was used up.
    TimedOut,
    /// The user wanted it to end.
    Interrupted,
}

impl LiveTrialReport {
    /// Returns whether the agent was told and refused.
    pub fn is_correct(&self) -> bool {
        self.told.is_some() && self.refused.is_some()
    }

    /// Describes what went wrong. `None` if nothing did.
    pub fn fault(&self) -> Option<&'static str> {
        Some(match (self.ending, self.requests, self.has_called_hook) {
            _ if self.is_correct() => return None,
            (LiveTrialEnding::Interrupted, ..) => "interrupted",
            (_, 0, _) => "the agent did not ask the model anything",
            (LiveTrialEnding::TimedOut, ..) => "the agent did not end in time",
            (LiveTrialEnding::Finished, _, false) => "the agent did not call the hook",
            (LiveTrialEnding::Finished, _, true) if self.told.is_none() => {
                "the agent called the hook, but no advice reached the model"
            }
            (LiveTrialEnding::Finished, _, true) => "advice reached the model, but no call was refused",
        })
    }

    /// Renders the course for a terminal. If something went wrong, the last words of the agent may say why.
    pub fn render(&self) -> String {
        let number = |call: Option<usize>| call.map_or("never".to_owned(), |call| format!("at call {call}"));
        let text = format!(
            "live, {} ({:.0} s): {} calls, told {}, refused {}",
            self.program.display(),
            self.took.as_secs_f64(),
            self.calls,
            number(self.told),
            number(self.refused)
        );
        let Some(fault) = self.fault() else { return CheckFinding::good(text).render() };
        let text = CheckFinding::problem(text, fault).render();
        let words = self.output.trim();
        if self.ending == LiveTrialEnding::Interrupted || words.is_empty() {
            return text;
        }
        format!("{text}  the agent's last words:\n    {}\n", printable_lines(words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_words_of_an_agent_are_shown_if_it_failed_by_itself() {
        let mut report = LiveTrialReport {
            program: "/bin/codex".into(),
            requests: 2,
            calls: 4,
            told: Some(3),
            refused: None,
            has_called_hook: true,
            ending: LiveTrialEnding::Finished,
            took: Duration::from_secs(2),
            output: "first\nlast\u{7}\n".to_owned(),
        };
        let text = report.render();
        assert!(text.contains("live, /bin/codex (2 s): 4 calls, told at call 3, refused never\n"), "{text}");
        assert!(text.ends_with("refused\n  the agent's last words:\n    first\n    last \n"), "{text}");
        report.ending = LiveTrialEnding::Interrupted;
        assert!(report.render().ends_with("interrupted\n"));
        report.refused = Some(4);
        assert_eq!(report.render().lines().count(), 1);
    }
}
