//! The advice for the next prompt.

use loopbreak::{Audience, Verdict};

use crate::iterations::run_loop::RunLoop;

/// The number of last iterations in the advice.
const HISTORY: usize = 5;
/// The heading of the last iterations. Advice of the engine that contains it already lists them.
const TOLD: &str = "Last iterations:";

impl RunLoop<'_> {
    /// Adds a line to the history.
    pub(crate) fn remember(&mut self, line: String) {
        self.kept.history.push(line);
        let surplus = self.kept.history.len().saturating_sub(HISTORY);
        self.kept.history.drain(..surplus);
    }

    /// Returns the advice for the agent, with the last iterations.
    pub(crate) fn advice(&self, verdict: &Verdict) -> Option<String> {
        let mut texts: Vec<&str> = Vec::new();
        for advice in verdict.advice.iter().filter(|advice| advice.audience == Audience::Agent) {
            if !texts.contains(&advice.text.as_str()) {
                texts.push(&advice.text);
            }
        }
        (!texts.is_empty()).then(|| self.framed(&texts.join("\n\n")))
    }

    pub(crate) fn framed(&self, text: &str) -> String {
        let mut framed = format!("Loop guard, after iteration {}:\n\n{text}", self.guard.turn());
        if !text.contains(TOLD) {
            framed.push_str("\n\n");
            framed.push_str(TOLD);
            for line in &self.kept.history {
                framed.push_str("\n- ");
                framed.push_str(line);
            }
        }
        framed
    }
}
