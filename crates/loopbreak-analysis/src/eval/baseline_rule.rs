//! Rules of other projects, written from their published descriptions, to compare with.

use std::collections::VecDeque;
use std::hash::BuildHasher as _;

use foldhash::fast::FixedState;
use loopbreak::Step;

/// A rule that looks at the last few actions. Steps without an action are passed over.
#[derive(Clone, Debug)]
pub struct Rule {
    kind: Kind,
    /// The last actions, the newest at the end.
    last: VecDeque<Seen>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Openhands,
    Gemini,
}

/// An action and what came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    action: u64,
    observation: u64,
    failed: bool,
}

impl Seen {
    fn of(step: &Step<'_>) -> Option<Self> {
        let action = step.action.as_ref().filter(|_| !step.refused)?;
        let hash = FixedState::default();
        let args = action.args.as_ref().map(loopbreak::step::ActionArgs::as_text).unwrap_or_default();
        let outcome = step.outcome.as_ref();
        let text = outcome.and_then(|outcome| outcome.text.as_deref()).unwrap_or_default();
        Some(Seen {
            action: hash.hash_one((&*action.name, &*args)),
            observation: hash.hash_one(text),
            failed: outcome.is_some_and(|outcome| outcome.error),
        })
    }
}

/// The longest pattern of any rule.
const LONGEST: usize = 6;

impl Rule {
    /// Stuck after four equal pairs of action and observation in a row, three equal actions in a row that all failed, or
    /// two pairs in turns over six steps.
    pub fn openhands() -> Self {
        Rule { kind: Kind::Openhands, last: VecDeque::new() }
    }

    /// Stuck after five equal calls in a row, whatever came of them.
    pub fn gemini() -> Self {
        Rule { kind: Kind::Gemini, last: VecDeque::new() }
    }

    /// Takes in the next step, and says whether the run is stuck by now.
    pub fn observe(&mut self, step: &Step<'_>) -> bool {
        let Some(seen) = Seen::of(step) else { return false };
        if self.last.len() == LONGEST {
            self.last.pop_front();
        }
        self.last.push_back(seen);
        match self.kind {
            Kind::Openhands => {
                self.every(4, |seen, newest| seen == newest)
                    || self.every(3, |seen, newest| seen.failed && seen.action == newest.action)
                    || self.alternates()
            }
            Kind::Gemini => self.every(5, |seen, newest| seen.action == newest.action),
        }
    }

    /// Whether something holds of each of the last few, beside the newest.
    fn every(&self, count: usize, holds: impl Fn(&Seen, &Seen) -> bool) -> bool {
        let Some(newest) = self.last.back() else { return false };
        self.last.len() >= count && self.last.iter().rev().take(count).all(|seen| holds(seen, newest))
    }

    fn alternates(&self) -> bool {
        self.last.len() == LONGEST
            && self.last.iter().zip(self.last.iter().skip(2)).all(|(one, other)| one == other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The step at which a rule says stuck. A step is its action and its outcome; `!` before the outcome is a failure.
    fn fires(mut rule: Rule, steps: &[(&str, &str)]) -> Option<usize> {
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
    fn eval_rule_openhands_sees_four_equal_pairs() {
        let same = ("a", "x");
        assert_eq!(fires(Rule::openhands(), &[same; 5]), Some(4));
        assert_eq!(fires(Rule::openhands(), &[same; 3]), None);
        assert_eq!(fires(Rule::openhands(), &[same, same, same, ("b", "x"), same, same, same]), None);
        let other_outcome = [same, same, same, ("a", "y"), same, same];
        assert_eq!(fires(Rule::openhands(), &other_outcome), None);
        // What is no action neither counts nor breaks the row.
        assert_eq!(fires(Rule::openhands(), &[same, same, ("", ""), same, same]), Some(5));
    }

    #[test]
    fn eval_rule_openhands_sees_three_equal_failures() {
        assert_eq!(fires(Rule::openhands(), &[("a", "!x"), ("a", "!y"), ("a", "!z")]), Some(3));
        assert_eq!(fires(Rule::openhands(), &[("a", "!x"), ("a", "y"), ("a", "!z")]), None);
        assert_eq!(fires(Rule::openhands(), &[("a", "!x"), ("b", "!x"), ("a", "!x")]), None);
    }

    #[test]
    fn eval_rule_openhands_sees_two_pairs_in_turns() {
        let (a, b) = (("a", "x"), ("b", "y"));
        assert_eq!(fires(Rule::openhands(), &[a, b, a, b, a, b]), Some(6));
        assert_eq!(fires(Rule::openhands(), &[a, b, a, b, a]), None);
        assert_eq!(fires(Rule::openhands(), &[a, b, a, b, a, ("b", "new")]), None);
        assert_eq!(fires(Rule::openhands(), &[("c", "z"), a, b, a, b, a, b]), Some(7));
    }

    #[test]
    fn eval_rule_gemini_sees_five_equal_calls_whatever_came_of_them() {
        let steps = [("a", "1"), ("a", "2"), ("a", "!3"), ("a", "4"), ("a", "5")];
        assert_eq!(fires(Rule::gemini(), &steps), Some(5));
        assert_eq!(fires(Rule::gemini(), &steps[..4]), None);
        let (a, b) = (("a", "x"), ("b", "x"));
        assert_eq!(fires(Rule::gemini(), &[a, a, a, a, b, a, a, a, a]), None);
        assert_eq!(fires(Rule::gemini(), &[a, b, a, b, a, b, a, b]), None);
    }

    #[test]
    fn eval_rules_do_not_see_refused_proposals() {
        let mut rule = Rule::gemini();
        let line = r#"{"action":"north","refused":true}"#;
        assert!((0..9).all(|_| !rule.observe(&Step::from_json(line).unwrap())));
    }
}
