//! A second opinion: asks another model or program for root cause, blind spot and alternative.

use std::fmt::Write as _;
use std::time::Duration;

use loopbreak::event::SafetyGuard;
use loopbreak::text::{clip, inert, mask_secrets};
use loopbreak::{Decision, Verdict};

use crate::error::RunError;
use crate::iterations::run_loop::RunLoop;
use crate::process::command_run::{CommandEnd, CommandStart};
use loopbreak_watch::notification::split_command_line;

/// The number of bytes of the prompt that the advisor is shown, and of its answer that are passed on.
const PROMPT_BYTES: usize = 16 * 1024;
const ANSWER_BYTES: usize = 4 * 1024;
/// The number of levels of loops that are remembered as asked about. The oldest are forgotten first.
const MAX_ASKED: usize = 64;

/// The program that is asked.
#[derive(Debug)]
pub(crate) struct SecondOpinion {
    words: Vec<String>,
    time_limit: Duration,
}

impl SecondOpinion {
    pub(crate) fn new(command: &str, time_limit: Duration) -> Result<Self, RunError> {
        let words = split_command_line(command).filter(|words| !words.is_empty()).ok_or_else(|| {
            RunError::usage(format!("--advisor {command:?}: empty command, or an unclosed quote"))
        })?;
        Ok(SecondOpinion { words, time_limit })
    }
}

impl RunLoop<'_> {
    /// Asks the advisor, if there is one and something new was found, and adds its answer to the advice for
    /// the agent. If the advisor fails, that is shown, and the run continues without it.
    pub(crate) fn ask_advisor(&mut self, verdict: &Verdict) {
        if self.advisor.is_none() || !self.is_new_level(verdict) {
            return;
        }
        let Some(answer) = self.query_advisor(verdict) else { return };
        let mut advice = self
            .runner_state
            .advice
            .take()
            .unwrap_or_else(|| self.with_history("The guard detected a loop."));
        advice.push_str("\n\nA second opinion, from a program that was shown this history:\n");
        // Each line is marked as a quotation, so that no line can be taken for a text of the guard.
        for line in answer.lines() {
            let _ = write!(advice, "\n> {}", inert(&mask_secrets(line)));
        }
        self.runner_state.advice = Some(advice);
    }

    /// Returns whether the verdict has a level of a loop that the advisor was not asked about yet. Limits and
    /// errors are not loops.
    fn is_new_level(&mut self, verdict: &Verdict) -> bool {
        let is_loop = |decision: &&Decision| {
            decision.enforced
                && SafetyGuard::of_finding(decision.detector, decision.pattern) == SafetyGuard::LoopDetection
        };
        let mut new = false;
        for decision in verdict.decisions.iter().filter(is_loop) {
            let level = format!("{} {}", decision.loop_id, decision.intervention.as_str());
            if !self.runner_state.asked.contains(&level) {
                self.runner_state.asked.push(level);
                new = true;
            }
        }
        let surplus = self.runner_state.asked.len().saturating_sub(MAX_ASKED);
        self.runner_state.asked.drain(..surplus);
        new
    }

    fn query_advisor(&self, verdict: &Verdict) -> Option<String> {
        let advisor = self.advisor.as_ref()?;
        let time_limit = self.time_left().map_or(advisor.time_limit, |left| left.min(advisor.time_limit));
        let start = CommandStart {
            words: &advisor.words,
            input: Some(self.render_question(verdict)),
            variables: &[],
            time_limit: Some(time_limit),
            log: None,
            observer: None,
            guardian: self.guardian.as_ref(),
        };
        self.observer.message("asking the advisor");
        let ran = match start.run(&self.interrupts, &mut |_| {}) {
            Ok(ran) => ran,
            Err(error) => {
                self.observer.warning(&format!("--advisor: cannot start {:?}: {error}", advisor.words[0]));
                return None;
            }
        };
        let failure = match ran.end {
            CommandEnd::Exited(status) if status.success() => None,
            CommandEnd::Exited(status) => Some(status.to_string()),
            CommandEnd::TimedOut => Some(format!("no answer within {} s", time_limit.as_secs_f64())),
            CommandEnd::Interrupted => return None,
        };
        if let Some(failure) = failure {
            self.observer.warning(&format!("--advisor: {failure}; continuing without it"));
            return None;
        }
        let answer = super::agent_answer::final_message(&ran.out).unwrap_or(ran.out);
        let answer = clip(answer.trim(), ANSWER_BYTES);
        if answer.is_empty() {
            self.observer.warning("--advisor: the answer is empty");
        }
        (!answer.is_empty()).then(|| answer.to_owned())
    }

    /// Returns the question for the advisor. Secrets are masked, because it may be a service of somebody
    /// else.
    fn render_question(&self, verdict: &Verdict) -> String {
        let mut text = String::from(
            "An agent that is started repeatedly with the same prompt seems to be stuck. Read the following \
             and answer each question in a few sentences:\n\
             1. Root cause: why does it make no progress?\n\
             2. Blind spot: what does it overlook?\n\
             3. Alternative: what should it do instead, as a concrete next step?\n\
             Your answer is inserted into its next prompt unchanged.\n\n# Findings\n",
        );
        for decision in verdict.decisions.iter().filter(|decision| decision.enforced) {
            let _ = write!(text, "\n- {}: {}", decision.detector, decision.reason);
        }
        text.push_str("\n\n# Last iterations\n");
        for line in &self.runner_state.history {
            let _ = write!(text, "\n- {line}");
        }
        text.push_str("\n\n# Prompt\n\n");
        text.push_str(clip(self.prompt.current(), PROMPT_BYTES));
        text.push('\n');
        mask_secrets(&text).into_owned()
    }
}
