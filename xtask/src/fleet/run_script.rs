//! The steps of a run. They depend on the number of the run only, so that they can be sent to another server and compared.

use std::fmt::Write as _;

use crate::split_mix::SplitMix;

/// Time of the first step, in milliseconds since 1970: steps have times of their own, so that verdicts do not depend on the load.
const FIRST_TIME: u64 = 1_790_000_000_000;
/// Added to the number of a step to get its tokens, by which it is recognized in the store.
const TOKENS: usize = 1000;

/// A run that is sent step by step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RunScript {
    pub(super) name: String,
    /// Number of steps.
    pub(super) steps: usize,
    kind: u32,
}

impl RunScript {
    /// Makes the run with a number, with a number of steps between these.
    pub(super) fn new(group: &str, number: usize, seed: u64, steps: (usize, usize)) -> Self {
        let mut random = SplitMix(seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(number as u64));
        let (fewest, most) = steps;
        let spread = random.below((most - fewest + 1) as u32) as usize;
        RunScript { name: format!("{group}-{number}"), steps: fewest + spread, kind: random.below(4) }
    }

    /// Returns a step as JSON, with its id. Steps are numbered from 0.
    pub(super) fn step(&self, number: usize) -> String {
        let (action, outcome) = match self.kind {
            // An agent that repeats a failing command.
            0 => (
                r#"{"name":"bash","args":{"command":"make test"}}"#.to_owned(),
                r#"{"text":"FAILED tests/parser.rs: 3 of 41 tests failed: expected `;`","error":true,"exit":2}"#
                    .to_owned(),
            ),
            // One that edits and tests by turns, and gets the same error.
            1 if number.is_multiple_of(2) => (
                format!(
                    r#"{{"name":"edit","args":{{"path":"src/parser.rs","text":"let token = next({});"}}}}"#,
                    number % 6
                ),
                r#"{"text":"The file was changed."}"#.to_owned(),
            ),
            1 => (
                r#"{"name":"bash","args":{"command":"cargo test -p parser"}}"#.to_owned(),
                r#"{"text":"error[E0308]: mismatched types: expected `Token`, found `Option<Token>`","error":true,"exit":101}"#
                    .to_owned(),
            ),
            // One that makes progress.
            _ => (
                format!(
                    r#"{{"name":"read","args":{{"path":"crates/part-{}/src/module_{number}.rs"}}}}"#,
                    number % 7
                ),
                format!(
                    r#"{{"text":"//! Module {number}\nuse std::collections::BTreeMap;\n\npub fn entry_{number}(map: &BTreeMap<u32, u32>) -> usize {{ map.len() + {number} }}"}}"#
                ),
            ),
        };
        let mut step = String::with_capacity(400);
        // Writing to a text cannot fail.
        _ = write!(
            step,
            r#"{{"run":"{}","id":"s{number}","at":{},"model":"model-{}","action":{action},"outcome":{outcome},"#,
            self.name,
            FIRST_TIME + 4000 * number as u64,
            self.kind % 2
        );
        _ = write!(
            step,
            r#""usage":{{"input_tokens":{},"output_tokens":80,"cost_usd":0.0125}}}}"#,
            TOKENS + number
        );
        step
    }

    /// Returns some steps as a JSON array.
    pub(super) fn steps(&self, numbers: impl Iterator<Item = usize>) -> String {
        let steps: Vec<String> = numbers.map(|number| self.step(number)).collect();
        format!("[{}]", steps.join(","))
    }

    /// Returns the number of a step that was stored.
    pub(super) fn number_of(input: &serde_json::Value) -> Option<usize> {
        let tokens = input["usage"]["input_tokens"].as_u64()?;
        usize::try_from(tokens).ok()?.checked_sub(TOKENS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_of_a_run_are_always_the_same_and_know_their_numbers() {
        let kinds: std::collections::BTreeSet<u32> = (0..40)
            .map(|number| {
                let run = RunScript::new("a", number, 7, (3, 9));
                assert_eq!(run, RunScript::new("a", number, 7, (3, 9)));
                assert!((3..=9).contains(&run.steps));
                for step in 0..run.steps {
                    let json: serde_json::Value = serde_json::from_str(&run.step(step)).unwrap();
                    assert_eq!(
                        (RunScript::number_of(&json), json["run"].as_str()),
                        (Some(step), Some(&*run.name))
                    );
                }
                run.kind
            })
            .collect();
        assert_eq!(kinds.len(), 4);
    }
}
