//! `cargo xtask api-fuzz`: holds the description of the API of `loopbreak serve` against the server with many examples. The tests do
//! the same with few.

use crate::chore_failure::ChoreFailure;
use crate::process::{WITH_AGENTS, cargo, run as run_process};
use crate::python;

/// Number of examples of each operation, with a token and again without one.
const EXAMPLES: u32 = 200;
/// Start of the random numbers.
const SEED: u32 = 1;

/// Options of the chore.
#[derive(Debug, PartialEq, Eq)]
struct ApiFuzzOptions {
    examples: u32,
    seed: u32,
}

pub(crate) fn run(arguments: &[String]) -> Result<(), ChoreFailure> {
    let options = ApiFuzzOptions::parse(arguments)?;
    python::install()?;
    let mut command = cargo(["test", "--locked", "--package", "loopbreak-cli"]);
    command.args(WITH_AGENTS).args(["--test", "cli", "--", "serve_description", "--nocapture"]);
    command.env("LOOPBREAK_API_EXAMPLES", options.examples.to_string());
    command.env("LOOPBREAK_API_SEED", options.seed.to_string());
    run_process(&mut command)
}

impl ApiFuzzOptions {
    fn parse(arguments: &[String]) -> Result<Self, ChoreFailure> {
        let mut options = ApiFuzzOptions { examples: EXAMPLES, seed: SEED };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let number = match word.as_str() {
                "--examples" => &mut options.examples,
                "--seed" => &mut options.seed,
                other => return Err(ChoreFailure::Usage(format!("api-fuzz: unexpected {other:?}"))),
            };
            let given = words.next().and_then(|given| given.parse().ok()).filter(|given| *given > 0);
            *number = given
                .ok_or_else(|| ChoreFailure::Usage(format!("api-fuzz: {word} needs a number above 0")))?;
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_examples_and_the_seed_can_be_chosen() {
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let usual = ApiFuzzOptions { examples: EXAMPLES, seed: SEED };
        assert_eq!(ApiFuzzOptions::parse(&[]).unwrap(), usual);
        let chosen = ApiFuzzOptions::parse(&words("--examples 1000 --seed 7")).unwrap();
        assert_eq!(chosen, ApiFuzzOptions { examples: 1000, seed: 7 });
        for line in ["--examples", "--examples 0", "--examples x", "--seed -1"] {
            assert!(ApiFuzzOptions::parse(&words(line)).is_err(), "{line}");
        }
    }
}
