//! The rest of a loop after the first warning of its run.

use loopbreak::verdict::LoopId;
use loopbreak::{Finding, Severity, Step, Verdict};

use crate::statistics::RunCost;

/// The part of a loop after its first warning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LoopRemainder {
    /// Number of steps from the warning to the last step of the loop; 0 if the agent left it immediately. Calls that were
    /// refused are not steps.
    pub steps: u64,
    /// Their cost, with that of the refused calls between them.
    pub cost: RunCost,
}

/// Follows the loop that a run is first warned about, to its last step.
#[derive(Debug, Default)]
pub(super) struct LoopFollower {
    now: LoopRemainder,
    warned: Option<WarnedPoint>,
}

/// The first warning of a run, and the last step of its loop so far.
#[derive(Debug)]
struct WarnedPoint {
    loop_id: LoopId,
    at: LoopRemainder,
    last: LoopRemainder,
}

impl LoopFollower {
    /// Adds a step and its verdict.
    pub(super) fn add(&mut self, step: &Step<'_>, verdict: &Verdict) {
        self.now.steps += u64::from(!step.refused);
        if let Some(usage) = &step.usage {
            self.now.cost.add(usage);
        }
        match &mut self.warned {
            Some(warned) if verdict.sighted.contains(&warned.loop_id) => warned.last = self.now,
            Some(_) => {}
            None => {
                self.warned = verdict
                    .findings
                    .iter()
                    .find(|finding| is_warning(finding))
                    .map(|finding| WarnedPoint { loop_id: finding.loop_id, at: self.now, last: self.now });
            }
        }
    }

    /// Returns the rest of the loop, or `None` if there was no warning.
    pub(super) fn finish(&self) -> Option<LoopRemainder> {
        let WarnedPoint { at, last, .. } = self.warned.as_ref()?;
        Some(LoopRemainder { steps: last.steps - at.steps, cost: last.cost.since(&at.cost) })
    }
}

/// Returns whether a finding is a warning of a loop that an agent can leave.
fn is_warning(finding: &Finding) -> bool {
    finding.enforced && finding.severity >= Severity::Warn && finding.detector.subject().can_be_left()
}

#[cfg(test)]
mod tests {
    use loopbreak::{Config, Guard};

    use super::*;

    /// Observes one step per letter, which is refused if it is uppercase. Three identical ones cause a warning.
    fn follow(letters: &str) -> Option<LoopRemainder> {
        let (mut guard, mut follower) = (Guard::new(Config::default()), LoopFollower::default());
        for letter in letters.chars() {
            let line = format!(
                r#"{{"action":"do {0}","outcome":"{0}{0} came of it","refused":{1},"usage":{{"input_tokens":100}}}}"#,
                letter.to_lowercase(),
                letter.is_uppercase()
            );
            let step = Step::from_json(&line).unwrap();
            follower.add(&step, &guard.observe(&step));
        }
        follower.finish()
    }

    #[test]
    fn the_loop_is_followed_to_its_last_step() {
        assert_eq!(follow("abcd"), None);
        let with_tokens = |steps, tokens| {
            Some(LoopRemainder { steps, cost: RunCost { tokens: Some(tokens), cost_usd: None } })
        };
        let rest = |steps: u64| with_tokens(steps, 100 * steps);
        assert_eq!(follow("aaa"), rest(0));
        assert_eq!(follow("aaabcdefgh"), rest(0));
        assert_eq!(follow("aaaaaabcdefgh"), rest(3));
        assert_eq!(follow("aaaaaaaaa"), rest(6));
        assert_eq!(follow("aaaaAAAa"), with_tokens(2, 500), "a refused call costs tokens, but is not a step");
    }
}
