//! The command line of `cargo xtask faults`.

use std::path::PathBuf;

use super::parts::{FaultPart, PARTS};
use crate::chore_failure::ChoreFailure;

/// The help text.
pub(super) const USAGE: &str = "\
Inject faults into hooks and their store, one at a time, and check what docs/reliability.md promises.

Usage: cargo xtask faults [OPTIONS]

Needs Linux, `strace`, `sqlite3` and a C compiler; `cargo xtask setup` installs the first two. Runs some 10,000 hooks, which
takes 20 minutes beside other work and less on a quiet machine. Progress is on standard error, the table of figures on standard
output.

Options:
  --short          inject only a sample of the faults, as the tests do
  --only PART      run only this part; may be repeated
  --list           list the parts
  --seed N         the seed of random damages and moments (default: 1)
  --release        build the program with the release profile
  --program PATH   use this program instead of building one
  --write          write the table into docs/reliability.md
  -h, --help       print this

Exit codes: 0 every promise was kept; 1 one was broken; 2 wrong usage.
";

/// The arguments of the chore.
#[derive(Debug)]
pub(super) struct FaultsArguments {
    pub(super) short: bool,
    pub(super) list: bool,
    pub(super) help: bool,
    pub(super) write: bool,
    pub(super) release: bool,
    pub(super) seed: u64,
    pub(super) program: Option<PathBuf>,
    pub(super) parts: Vec<&'static FaultPart>,
}

impl FaultsArguments {
    /// Parses the arguments.
    pub(super) fn parse(arguments: &[String]) -> Result<Self, ChoreFailure> {
        let usage = |message: String| ChoreFailure::Usage(format!("faults: {message}"));
        let mut parsed = FaultsArguments {
            short: false,
            list: false,
            help: false,
            write: false,
            release: false,
            seed: 1,
            program: None,
            parts: Vec::new(),
        };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value = || rest.next().ok_or_else(|| usage(format!("{argument} needs a value")));
            match argument.as_str() {
                "--short" => parsed.short = true,
                "--list" => parsed.list = true,
                "--help" | "-h" => parsed.help = true,
                "--write" => parsed.write = true,
                "--release" => parsed.release = true,
                "--program" => parsed.program = Some(PathBuf::from(value()?)),
                "--seed" => {
                    let seed = value()?;
                    parsed.seed =
                        seed.parse().map_err(|_| usage(format!("--seed needs a number, not {seed:?}")))?;
                }
                "--only" => {
                    let name = value()?;
                    let part = PARTS.iter().find(|part| part.name == name);
                    parsed.parts.push(part.ok_or_else(|| usage(format!("there is no part {name:?}")))?);
                }
                other => return Err(usage(format!("unexpected {other:?}"))),
            }
        }
        let is_partial = parsed.short || !parsed.parts.is_empty();
        if parsed.write && is_partial {
            return Err(usage("--write needs all faults: leave out --short and --only".to_owned()));
        }
        if parsed.parts.is_empty() {
            parsed.parts.extend(PARTS);
        }
        Ok(parsed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<FaultsArguments, ChoreFailure> {
        FaultsArguments::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn all_parts_run_unless_some_are_named() {
        assert_eq!(parse("").unwrap().parts.len(), PARTS.len());
        let some = parse("--only clock --short --seed 7").unwrap();
        assert_eq!((some.parts.len(), some.seed, some.short), (1, 7, true));
    }

    #[test]
    fn wrong_words_are_named() {
        for line in ["--only nothing", "--seed soon", "--slow", "--only", "--write --short"] {
            assert!(matches!(parse(line), Err(ChoreFailure::Usage(_))), "{line}");
        }
    }
}
