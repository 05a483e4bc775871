//! A second opinion: asks another model or program for root cause, blind spot and alternative.

use std::fmt::Write as _;
use std::time::Duration;

use loopbreak::text::{clip, mask_secrets};
use loopbreak::{Decision, DetectorName, Verdict};

use crate::error::RunError;
use crate::iterations::run_loop::RunLoop;
use crate::process::command_run::{CommandEnd, CommandStart};
use loopbreak_watch::notification::split_command_line;

/// The number of bytes of the prompt that the advisor is shown, and of its answer that are passed on.
const PROMPT_BYTES: usize = 16 * 1024;
const ANSWER_BYTES: usize = 4 * 1024;
/// The number of levels of loops that are remembered as asked about. The oldest are forgotten first.
const ASKED: usize = 64;

/// The program that is asked.
#[derive(Debug)]
pub(crate) struct SecondOpinion {
    words: Vec<String>,
    longest: Duration,
}

impl SecondOpinion {
    pub(crate) fn new(command: &str, longest: Duration) -> Result<Self, RunError> {
        let words = split_command_line(command).filter(|words| !words.is_empty()).ok_or_else(|| {
            RunError::usage(format!("--advisor {command:?}: empty command, or an unclosed quote"))
        })?;
        Ok(SecondOpinion { words, longest })
    }
}

impl RunLoop<'_> {
    /// Asks the advisor, if there is one and something new was found, and adds its answer to the advice for
    /// the agent. If the advisor fails, that is shown, and the run continues without it.
    pub(crate) fn ask_advisor(&mut self, verdict: &Verdict) {
        if self.advisor.is_none() || !self.is_new_rung(verdict) {
            return;
        }
        let Some(answer) = self.advisor_says(verdict) else { return };
        let mut advice = self.kept.advice.take().unwrap_or_else(|| self.framed("The guard detected a loop."));
        advice.push_str("\n\nA second opinion, from a program that was shown this history:\n\n");
        advice.push_str(&answer);
        self.kept.advice = Some(advice);
    }

    /// Returns whether the verdict has a level of a loop that the advisor was not asked about yet. Limits and
    /// errors are not loops.
    fn is_new_rung(&mut self, verdict: &Verdict) -> bool {
        let about = |act: &&Decision| {
            act.enforced && !matches!(act.detector, DetectorName::Budget | DetectorName::Errors)
        };
        let mut new = false;
        for act in verdict.decisions.iter().filter(about) {
            let rung = format!("{} {}", act.loop_id, act.intervention.as_str());
            if !self.kept.asked.contains(&rung) {
                self.kept.asked.push(rung);
                new = true;
            }
        }
        let surplus = self.kept.asked.len().saturating_sub(ASKED);
        self.kept.asked.drain(..surplus);
        new
    }

    fn advisor_says(&self, verdict: &Verdict) -> Option<String> {
        let advisor = self.advisor.as_ref()?;
        let longest = self.time_left().map_or(advisor.longest, |left| left.min(advisor.longest));
        let start = CommandStart {
            words: &advisor.words,
            input: Some(self.question(verdict)),
            variables: &[],
            longest: Some(longest),
            log: None,
            pass_on: None,
        };
        self.observer.message("asking the advisor");
        let ran = match start.run(&self.interrupts) {
            Ok(ran) => ran,
            Err(error) => {
                self.observer.warning(&format!("--advisor: cannot start {:?}: {error}", advisor.words[0]));
                return None;
            }
        };
        let wrong = match ran.end {
            CommandEnd::Exited(status) if status.success() => None,
            CommandEnd::Exited(status) => Some(status.to_string()),
            CommandEnd::TimedOut => Some(format!("no answer within {} s", longest.as_secs_f64())),
            CommandEnd::Interrupted => return None,
        };
        if let Some(wrong) = wrong {
            self.observer.warning(&format!("--advisor: {wrong}; continuing without it"));
            return None;
        }
        let answer = super::agent_answer::answer(&ran.out).unwrap_or(ran.out);
        let answer = clip(answer.trim(), ANSWER_BYTES);
        if answer.is_empty() {
            self.observer.warning("--advisor: the answer is empty");
        }
        (!answer.is_empty()).then(|| answer.to_owned())
    }

    /// Returns the question for the advisor. Secrets are masked, because it may be a service of somebody
    /// else.
    fn question(&self, verdict: &Verdict) -> String {
        let mut text = String::from(
            "An agent that is started repeatedly with the same prompt seems to be stuck. Read the following \
             and answer each question in a few sentences:\n\
             1. Root cause: why does it make no progress?\n\
             2. Blind spot: what does it overlook?\n\
             3. Alternative: what should it do instead, as a concrete next step?\n\
             Your answer is inserted into its next prompt unchanged.\n\n# Findings\n",
        );
        for act in verdict.decisions.iter().filter(|act| act.enforced) {
            let _ = write!(text, "\n- {}: {}", act.detector, act.reason);
        }
        text.push_str("\n\n# Last iterations\n");
        for line in &self.kept.history {
            let _ = write!(text, "\n- {line}");
        }
        text.push_str("\n\n# Prompt\n\n");
        text.push_str(clip(self.prompt.last(), PROMPT_BYTES));
        text.push('\n');
        mask_secrets(&text).into_owned()
    }
}
