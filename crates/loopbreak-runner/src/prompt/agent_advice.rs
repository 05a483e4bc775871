//! The advice for the next prompt.

use loopbreak::{Verdict, verdict::Audience};

use crate::iterations::run_loop::RunLoop;

/// The number of last iterations in the advice.
const MAX_HISTORY: usize = 5;
/// The heading of the last iterations. Advice of the engine that contains it already lists them.
const HISTORY_HEADING: &str = "Last iterations:";

impl RunLoop<'_> {
    /// Adds a line to the history.
    pub(crate) fn add_to_history(&mut self, line: String) {
        self.runner_state.history.push(line);
        let surplus = self.runner_state.history.len().saturating_sub(MAX_HISTORY);
        self.runner_state.history.drain(..surplus);
    }

    /// Returns the advice for the agent, with the last iterations.
    pub(crate) fn agent_advice(&self, verdict: &Verdict) -> Option<String> {
        let mut texts: Vec<&str> = Vec::new();
        for advice in verdict.advice.iter().filter(|advice| advice.audience == Audience::Agent) {
            if !texts.contains(&advice.text.as_str()) {
                texts.push(&advice.text);
            }
        }
        (!texts.is_empty()).then(|| self.with_history(&texts.join("\n\n")))
    }

    /// Returns a text for the agent, with the last iterations unless it lists them already.
    pub(crate) fn with_history(&self, text: &str) -> String {
        let mut advice = format!("Loop guard, after iteration {}:\n\n{text}", self.guard.turn());
        if !text.contains(HISTORY_HEADING) {
            advice.push_str("\n\n");
            advice.push_str(HISTORY_HEADING);
            for line in &self.runner_state.history {
                advice.push_str("\n- ");
                advice.push_str(line);
            }
        }
        advice
    }
}
