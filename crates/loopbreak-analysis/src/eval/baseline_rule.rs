//! Rules of other projects, written from their published descriptions, to compare with.

use std::collections::VecDeque;
use std::hash::BuildHasher as _;

use foldhash::fast::FixedState;
use loopbreak::Step;

/// A rule that looks at the last few actions. Steps without an action are ignored.
#[derive(Clone, Debug)]
pub struct BaselineRule {
    kind: RuleKind,
    /// The last actions, the newest at the end.
    last: VecDeque<SeenAction>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RuleKind {
    Openhands,
    Gemini,
    Opencode,
    Window,
}

/// An action and its outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SeenAction {
    action: u64,
    observation: u64,
    failed: bool,
}

impl SeenAction {
    fn from_step(step: &Step<'_>) -> Option<Self> {
        let action = step.action.as_ref().filter(|_| !step.refused)?;
        let hash = FixedState::default();
        let args = action.args.as_ref().map(loopbreak::step::ActionArgs::as_text).unwrap_or_default();
        let outcome = step.outcome.as_ref();
        let text = outcome.and_then(|outcome| outcome.text.as_deref()).unwrap_or_default();
        Some(SeenAction {
            action: hash.hash_one((&*action.name, &*args)),
            observation: hash.hash_one(text),
            failed: outcome.is_some_and(loopbreak::Outcome::is_error),
        })
    }
}

/// Number of actions that the longest rule looks at.
const LONGEST: usize = 10;

/// Number of actions over which two pairs alternate.
const ALTERNATING: usize = 6;

impl BaselineRule {
    /// Creates the rule of OpenHands: stuck after four identical pairs of action and observation in a row, three
    /// identical actions in a row that all failed, or two alternating pairs over six steps.
    pub fn openhands() -> Self {
        BaselineRule { kind: RuleKind::Openhands, last: VecDeque::new() }
    }

    /// Creates the rule of Gemini CLI: stuck after five identical calls in a row with any outcome.
    pub fn gemini() -> Self {
        BaselineRule { kind: RuleKind::Gemini, last: VecDeque::new() }
    }

    /// Creates the rule of opencode and others: stuck after three identical calls in a row with any outcome.
    pub fn opencode() -> Self {
        BaselineRule { kind: RuleKind::Opencode, last: VecDeque::new() }
    }

    /// Creates the rule of several agent frameworks: stuck when one call has had the same outcome three times within the
    /// last ten calls.
    pub fn window() -> Self {
        BaselineRule { kind: RuleKind::Window, last: VecDeque::new() }
    }

    /// Observes the next step. Returns whether the run is stuck now.
    pub fn observe(&mut self, step: &Step<'_>) -> bool {
        let Some(seen) = SeenAction::from_step(step) else { return false };
        if self.last.len() == LONGEST {
            self.last.pop_front();
        }
        self.last.push_back(seen);
        match self.kind {
            RuleKind::Openhands => {
                self.every(4, |seen, newest| seen == newest)
                    || self.every(3, |seen, newest| seen.failed && seen.action == newest.action)
                    || self.alternates()
            }
            RuleKind::Gemini => self.every(5, |seen, newest| seen.action == newest.action),
            RuleKind::Opencode => self.every(3, |seen, newest| seen.action == newest.action),
            RuleKind::Window => self.last.iter().filter(|seen| Some(*seen) == self.last.back()).count() >= 3,
        }
    }

    /// Returns whether a condition holds for each of the last `count` actions.
    fn every(&self, count: usize, holds: impl Fn(&SeenAction, &SeenAction) -> bool) -> bool {
        let Some(newest) = self.last.back() else { return false };
        self.last.len() >= count && self.last.iter().rev().take(count).all(|seen| holds(seen, newest))
    }

    fn alternates(&self) -> bool {
        let newest = self.last.iter().rev().take(ALTERNATING);
        self.last.len() >= ALTERNATING && newest.clone().zip(newest.skip(2)).all(|(one, other)| one == other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the step at which a rule first reports stuck. A step is its action and its outcome; `!` before the
    /// outcome is a failure.
    fn fires(mut rule: BaselineRule, steps: &[(&str, &str)]) -> Option<usize> {
        let lines: Vec<String> = steps
            .iter()
            .map(|(action, outcome)| {
                let (text, error) = (outcome.trim_start_matches('!'), outcome.starts_with('!'));
                match *action {
                    "" => r#"{"say":"hm"}"#.to_owned(),
                    _ => format!(
                        r#"{{"action":{{"name":"t","args":"{action}"}},"outcome":{{"text":"{text}","error":{error}}}}}"#
                    ),
                }
            })
            .collect();
        let at = lines.iter().position(|line| rule.observe(&Step::from_json(line).unwrap()));
        at.map(|at| at + 1)
    }

    #[test]
    fn eval_rule_openhands_detects_four_identical_pairs() {
        let same = ("a", "x");
        assert_eq!(fires(BaselineRule::openhands(), &[same; 5]), Some(4));
        assert_eq!(fires(BaselineRule::openhands(), &[same; 3]), None);
        assert_eq!(fires(BaselineRule::openhands(), &[same, same, same, ("b", "x"), same, same, same]), None);
        let other_outcome = [same, same, same, ("a", "y"), same, same];
        assert_eq!(fires(BaselineRule::openhands(), &other_outcome), None);
        // A step without an action neither counts nor breaks the row.
        assert_eq!(fires(BaselineRule::openhands(), &[same, same, ("", ""), same, same]), Some(5));
    }

    #[test]
    fn eval_rule_openhands_detects_three_identical_failures() {
        assert_eq!(fires(BaselineRule::openhands(), &[("a", "!x"), ("a", "!y"), ("a", "!z")]), Some(3));
        assert_eq!(fires(BaselineRule::openhands(), &[("a", "!x"), ("a", "y"), ("a", "!z")]), None);
        assert_eq!(fires(BaselineRule::openhands(), &[("a", "!x"), ("b", "!x"), ("a", "!x")]), None);
    }

    #[test]
    fn eval_rule_openhands_detects_two_alternating_pairs() {
        let (a, b) = (("a", "x"), ("b", "y"));
        assert_eq!(fires(BaselineRule::openhands(), &[a, b, a, b, a, b]), Some(6));
        assert_eq!(fires(BaselineRule::openhands(), &[a, b, a, b, a]), None);
        assert_eq!(fires(BaselineRule::openhands(), &[a, b, a, b, a, ("b", "new")]), None);
        assert_eq!(fires(BaselineRule::openhands(), &[("c", "z"), a, b, a, b, a, b]), Some(7));
    }

    #[test]
    fn eval_rule_gemini_detects_five_identical_calls_with_any_outcome() {
        let steps = [("a", "1"), ("a", "2"), ("a", "!3"), ("a", "4"), ("a", "5")];
        assert_eq!(fires(BaselineRule::gemini(), &steps), Some(5));
        assert_eq!(fires(BaselineRule::gemini(), &steps[..4]), None);
        let (a, b) = (("a", "x"), ("b", "x"));
        assert_eq!(fires(BaselineRule::gemini(), &[a, a, a, a, b, a, a, a, a]), None);
        assert_eq!(fires(BaselineRule::gemini(), &[a, b, a, b, a, b, a, b]), None);
    }

    #[test]
    fn eval_rule_opencode_detects_three_identical_calls_with_any_outcome() {
        assert_eq!(fires(BaselineRule::opencode(), &[("a", "1"), ("a", "2"), ("a", "!3")]), Some(3));
        let (a, b) = (("a", "x"), ("b", "x"));
        assert_eq!(fires(BaselineRule::opencode(), &[a, a, b, a, a, b]), None);
    }

    #[test]
    fn eval_rule_window_detects_three_identical_pairs_in_ten() {
        let (a, other) = (("a", "x"), ["b", "c", "d", "e", "f", "g", "h", "i"].map(|action| (action, "y")));
        assert_eq!(fires(BaselineRule::window(), &[a, other[0], a, other[1], a]), Some(5));
        // The first and the third are ten calls apart, then eleven.
        let apart = |between: usize| [&[a], &other[..between], &[a, a]].concat();
        assert_eq!(fires(BaselineRule::window(), &apart(7)), Some(10));
        assert_eq!(fires(BaselineRule::window(), &apart(8)), None);
        assert_eq!(fires(BaselineRule::window(), &[a, a, ("a", "new"), ("b", "x"), ("a", "newer")]), None);
    }

    #[test]
    fn eval_rules_ignore_refused_proposals() {
        let mut rule = BaselineRule::gemini();
        let line = r#"{"action":"north","refused":true}"#;
        assert!((0..9).all(|_| !rule.observe(&Step::from_json(line).unwrap())));
    }
}
