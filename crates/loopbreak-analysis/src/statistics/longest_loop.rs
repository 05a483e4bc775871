//! The loops of a run: the longest one, and the steps and the money that each of them took.

use loopbreak::verdict::LoopId;
use loopbreak::{DetectorName, Finding, Pattern, Severity, Step, Verdict};
use serde::{Deserialize, Serialize};

use super::spend::StepSpend;
use crate::prices::StepCost;
use crate::recording::visible_text;

/// Maximum number of loops that are followed at once.
const FOLLOWED: usize = 64;
/// Maximum number of loops that are kept with their cost.
const KEPT: usize = 64;
/// Maximum length of the reason that is kept, in bytes.
const REASON: usize = 160;
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
    warned: Vec<PricedLoop>,
    in_loops: StepSpend,
    steps_in_loops: u64,
    tokens_in_loops: u64,
}

/// A loop that the agent would have been warned about. A step that belongs to several loops counts for one of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PricedLoop {
    pub(crate) id: LoopId,
    pub(crate) detector: DetectorName,
    pub(crate) pattern: Pattern,
    pub(crate) tool: Option<String>,
    /// The reason of the first warning.
    pub(crate) reason: String,
    /// The turn at which it began.
    pub(crate) since: u64,
    pub(crate) steps: u64,
    pub(crate) tokens: u64,
    pub(crate) spend: StepSpend,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SightedLoop {
    id: LoopId,
    steps: u64,
    tool: Option<String>,
    /// The first warning.
    warned: Option<FirstLoopWarning>,
    /// Number of steps that count for this loop, their tokens and their cost.
    own_steps: u64,
    tokens: u64,
    spend: StepSpend,
}

/// The first warning of a loop.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct FirstLoopWarning {
    detector: DetectorName,
    pattern: Pattern,
    reason: String,
    since: u64,
}

impl LoopSightings {
    /// Adds a step, its verdict and its cost.
    pub(crate) fn add(&mut self, step: &Step<'_>, verdict: &Verdict, cost: &StepCost) {
        if let Some(first) = verdict.sighted.first() {
            let is_warned = |id: &&LoopId| self.loops.iter().any(|it| it.id == **id && it.warned.is_some());
            let index = self.position(*verdict.sighted.iter().find(is_warned).unwrap_or(first));
            self.loops[index].own_steps += u64::from(!step.refused);
            self.loops[index].tokens = self.loops[index].tokens.saturating_add(cost.tokens);
            self.loops[index].spend.add(cost);
        }
        for id in &verdict.sighted {
            let index = self.position(*id);
            let sighted = &mut self.loops[index];
            sighted.steps += 1;
            sighted.tool = tool_of(step);
        }
        for finding in verdict.findings.iter().filter(|it| it.enforced && it.severity >= Severity::Warn) {
            let index = self.position(finding.loop_id);
            self.loops[index].warned.get_or_insert_with(|| warning(finding));
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
        self.loops.push(SightedLoop {
            id,
            steps: 0,
            tool: None,
            warned: None,
            own_steps: 0,
            tokens: 0,
            spend: StepSpend::default(),
        });
        self.loops.len() - 1
    }

    fn settle(&mut self, sighted: SightedLoop) {
        let Some(FirstLoopWarning { detector, pattern, reason, since }) = sighted.warned else { return };
        self.in_loops.merge(&sighted.spend);
        self.steps_in_loops += sighted.own_steps;
        self.tokens_in_loops = self.tokens_in_loops.saturating_add(sighted.tokens);
        let (id, steps, tokens, spend) = (sighted.id, sighted.own_steps, sighted.tokens, sighted.spend);
        if let Some(known) = self.warned.iter_mut().find(|known| known.id == id) {
            known.steps += steps;
            known.tokens = known.tokens.saturating_add(tokens);
            known.spend.merge(&spend);
        } else if self.warned.len() < KEPT {
            let tool = sighted.tool.clone();
            self.warned.push(PricedLoop { id, detector, pattern, tool, reason, since, steps, tokens, spend });
        }
        let candidate = LongestLoop { steps: sighted.steps, tool: sighted.tool, pattern };
        if self.longest.as_ref().is_none_or(|longest| candidate.is_longer_than(longest)) {
            self.longest = Some(candidate);
        }
    }

    /// Returns the loops that the agent would have been warned about.
    pub(crate) fn finish(mut self) -> FinishedLoops {
        for sighted in std::mem::take(&mut self.loops) {
            self.settle(sighted);
        }
        FinishedLoops {
            longest: self.longest.filter(|longest| longest.steps > 0),
            warned: self.warned,
            spend: self.in_loops,
            steps: self.steps_in_loops,
            tokens: self.tokens_in_loops,
        }
    }
}

/// The loops of a run that has ended.
#[derive(Debug)]
pub(crate) struct FinishedLoops {
    /// The longest loop.
    pub(crate) longest: Option<LongestLoop>,
    /// The first loops.
    pub(crate) warned: Vec<PricedLoop>,
    /// The cost of all their steps.
    pub(crate) spend: StepSpend,
    /// The number of their steps.
    pub(crate) steps: u64,
    /// Their tokens.
    pub(crate) tokens: u64,
}

fn warning(finding: &Finding) -> FirstLoopWarning {
    FirstLoopWarning {
        detector: finding.detector,
        pattern: finding.pattern,
        reason: visible_text(finding.reason(), REASON),
        since: finding.since,
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
            sightings.add(&step, &verdict, &StepCost::default());
        }
        sightings.finish().longest
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
