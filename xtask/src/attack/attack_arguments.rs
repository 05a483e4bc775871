//! The command line of `cargo xtask attack`.

use std::path::PathBuf;

use super::findings::{AttackFinding, FINDINGS};
use crate::chore_failure::ChoreFailure;

/// The help text.
pub(super) const USAGE: &str = "\
Attack a real program again in every way in which a review attacked the first version, and check that each attack fails.

Usage: cargo xtask attack [OPTIONS]

Needs Linux, `sqlite3`, `zstd`, `gzip`, `curl`, `git` and a C compiler. Attacks by another user need root: the other user is a
number without an account. Every attack has a home and a project of its own in the temporary folder, and limits of time and memory.
Load goes to the loopback address only. Progress is on standard error, the table on standard output.

Options:
  --only F7,F8     make only the attacks of these findings; may be repeated
  --list           list the findings
  --slow [N]       make the attacks in the sizes of the review, with limits of time that are N times as long (default: 4);
                   takes an hour or more with a debug build
  --release        build the program with the release profile
  --program PATH   use this program instead of building one
  --write          write the table into docs/reliability.md
  -h, --help       print this

Exit codes: 0 every attack that was tried has failed; 1 one did harm, or could not be judged; 2 wrong usage.
";

/// The arguments of the chore.
#[derive(Debug)]
pub(super) struct AttackArguments {
    pub(super) list: bool,
    pub(super) help: bool,
    pub(super) write: bool,
    pub(super) release: bool,
    /// The factor of `--slow`.
    pub(super) slow: Option<u32>,
    pub(super) program: Option<PathBuf>,
    pub(super) findings: Vec<&'static AttackFinding>,
}

impl AttackArguments {
    /// Parses the arguments.
    pub(super) fn parse(arguments: &[String]) -> Result<Self, ChoreFailure> {
        let usage = |message: String| ChoreFailure::Usage(format!("attack: {message}"));
        let mut parsed = AttackArguments {
            list: false,
            help: false,
            write: false,
            release: false,
            slow: None,
            program: None,
            findings: Vec::new(),
        };
        let mut rest = arguments.iter().peekable();
        while let Some(argument) = rest.next() {
            match argument.as_str() {
                "--list" => parsed.list = true,
                "--help" | "-h" => parsed.help = true,
                "--write" => parsed.write = true,
                "--release" => parsed.release = true,
                "--slow" => {
                    let factor = rest.next_if(|word| !word.starts_with('-'));
                    let factor = factor.map_or(Ok(4), |word| match word.parse() {
                        Ok(factor @ 1..=100) => Ok(factor),
                        _ => Err(usage(format!("--slow needs a number from 1 to 100, not {word:?}"))),
                    });
                    parsed.slow = Some(factor?);
                }
                "--program" => {
                    let path = rest.next().ok_or_else(|| usage("--program needs a value".to_owned()))?;
                    parsed.program = Some(PathBuf::from(path));
                }
                "--only" => {
                    let names = rest.next().ok_or_else(|| usage("--only needs a value".to_owned()))?;
                    for name in names.split(',') {
                        let finding = FINDINGS.iter().find(|finding| finding.name == name);
                        let finding =
                            finding.ok_or_else(|| usage(format!("there is no finding {name:?}")))?;
                        parsed.findings.push(finding);
                    }
                }
                other => return Err(usage(format!("unexpected {other:?}"))),
            }
        }
        if parsed.write && !parsed.findings.is_empty() {
            return Err(usage("--write needs all findings: leave out --only".to_owned()));
        }
        if parsed.findings.is_empty() {
            parsed.findings.extend(FINDINGS);
        }
        Ok(parsed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<AttackArguments, ChoreFailure> {
        AttackArguments::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn all_findings_are_tried_unless_some_are_named() {
        assert_eq!(parse("").unwrap().findings.len(), FINDINGS.len());
        let some = parse("--only F7,F8 --slow --program x").unwrap();
        assert_eq!((some.findings.len(), some.slow), (2, Some(4)));
        assert_eq!(parse("--slow 9").unwrap().slow, Some(9));
    }

    #[test]
    fn wrong_words_are_named() {
        for line in ["--only F7,nothing", "--slow soon", "--slow 0", "--short", "--only", "--write --only F1"]
        {
            assert!(matches!(parse(line), Err(ChoreFailure::Usage(_))), "{line}");
        }
    }
}
