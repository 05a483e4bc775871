//! The longest loop of a run.

use loopbreak::verdict::LoopId;
use loopbreak::{Pattern, Severity, Step, Verdict};
use serde::{Deserialize, Serialize};

/// Maximum number of loops that are followed at once.
const FOLLOWED: usize = 64;
/// Maximum length of the name of a tool, in bytes.
const TOOL: usize = 32;

/// The longest loop that the agent would have been warned about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LongestLoop {
    /// Number of steps at which it was seen.
    pub steps: u64,
    /// The tool of its last step, if the log names tools. An action that is a whole command has no tool.
    pub tool: Option<String>,
    /// The pattern.
    pub pattern: Pattern,
}

/// Follows the loops of a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct LoopSightings {
    loops: Vec<SightedLoop>,
    longest: Option<LongestLoop>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SightedLoop {
    id: LoopId,
    steps: u64,
    tool: Option<String>,
    /// The pattern of the first warning.
    warned: Option<Pattern>,
}

impl LoopSightings {
    /// Adds a step and its verdict.
    pub(crate) fn add(&mut self, step: &Step<'_>, verdict: &Verdict) {
        for id in &verdict.sighted {
            let index = self.position(*id);
            let sighted = &mut self.loops[index];
            sighted.steps += 1;
            sighted.tool = tool_of(step);
        }
        for finding in verdict.findings.iter().filter(|it| it.enforced && it.severity >= Severity::Warn) {
            let index = self.position(finding.loop_id);
            self.loops[index].warned.get_or_insert(finding.pattern);
        }
    }

    /// Returns the index of a loop. The loop that is known for longest makes room for a new one.
    fn position(&mut self, id: LoopId) -> usize {
        if let Some(index) = self.loops.iter().position(|sighted| sighted.id == id) {
            return index;
        }
        if self.loops.len() >= FOLLOWED {
            let oldest = self.loops.remove(0);
            self.settle(oldest);
        }
        self.loops.push(SightedLoop { id, steps: 0, tool: None, warned: None });
        self.loops.len() - 1
    }

    fn settle(&mut self, sighted: SightedLoop) {
        let Some(pattern) = sighted.warned else { return };
        let candidate = LongestLoop { steps: sighted.steps, tool: sighted.tool, pattern };
        if self.longest.as_ref().is_none_or(|longest| candidate.is_longer_than(longest)) {
            self.longest = Some(candidate);
        }
    }

    /// Returns the longest loop, if the agent would have been warned about any.
    pub(crate) fn finish(mut self) -> Option<LongestLoop> {
        for sighted in std::mem::take(&mut self.loops) {
            self.settle(sighted);
        }
        self.longest.filter(|longest| longest.steps > 0)
    }
}

impl LongestLoop {
    /// Returns whether it has more steps. A loop of a tool says more than one of the run as a whole.
    pub(crate) fn is_longer_than(&self, other: &LongestLoop) -> bool {
        (self.tool.is_some(), self.steps) > (other.tool.is_some(), other.steps)
    }
}

/// Returns the name of the tool of a step. In some logs an action is a whole command, which may be private: a name is short, has
/// only letters, digits and a few signs, and its call has arguments.
fn tool_of(step: &Step<'_>) -> Option<String> {
    let action = step.action.as_ref().filter(|action| action.args.is_some())?;
    let name: &str = &action.name;
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let is_name = name.len() <= TOOL && name.starts_with(|first: char| first.is_ascii_alphabetic());
    (is_name && name.bytes().all(is_sign)).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use loopbreak::{Config, Guard};
    use serde_json::{Value, json};

    use super::*;

    fn longest(actions: impl IntoIterator<Item = Value>) -> Option<LongestLoop> {
        let mut guard = Guard::new(Config::default());
        let mut sightings = LoopSightings::default();
        for action in actions {
            let line = json!({"action": action, "outcome": {"text": "1 failed", "error": true}}).to_string();
            let step = Step::from_json(&line).unwrap();
            let verdict = guard.observe(&step);
            sightings.add(&step, &verdict);
        }
        sightings.finish()
    }

    #[test]
    fn the_longest_loop_has_its_tool_and_its_steps() {
        let call = |command: &str| json!({"name": "Bash", "args": {"command": command}});
        let calls = (0..5).map(|_| call("make")).chain((0..30).map(|_| call("cargo test")));
        let found = longest(calls).unwrap();
        assert_eq!(found.tool.as_deref(), Some("Bash"));
        assert!(found.steps >= 25, "{found:?}");
    }

    #[test]
    fn a_whole_command_is_not_the_name_of_a_tool() {
        let found = longest((0..30).map(|_| json!("cat /home/ada/secret.txt"))).unwrap();
        assert_eq!(found.tool, None);
        let named = json!({"name": "cat /home/ada/secret.txt", "args": {"x": 1}});
        assert_eq!(longest((0..30).map(|_| named.clone())).unwrap().tool, None);
        assert_eq!(longest([json!("look")]), None);
    }
}
