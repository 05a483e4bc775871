//! The command line of `cargo xtask fleet`.

use std::path::PathBuf;
use std::time::Duration;

use super::parts::{FleetPart, PARTS};
use super::store_kind::StoreKind;
use crate::chore_failure::ChoreFailure;

/// The help text.
pub(super) const USAGE: &str = "\
Put `loopbreak serve` under load and inject faults, and check what docs/reliability.md and docs/performance.md promise.

Usage: cargo xtask fleet [OPTIONS]

Needs Linux, `strace`, `sqlite3` and PostgreSQL; `cargo xtask setup` installs them. A full disk needs root, who may mount a file system
in memory. All parts take an hour. Progress is on standard error, the table on standard output.

Example: cargo xtask fleet --only kills --kills 20 --store postgres

Options:
  --only PART             run only this part; may be repeated
  --list                  list the parts
  --store KIND            use only this store, `sqlite` or `postgres`
  --short                 run the faults in the small size of the tests
  --program PATH          use this program, built with the feature `postgres`, instead of building one with the profile `dist`
  --batches N             batches of 200 steps (default: 300)
  --connections N         connections with single steps (default: 500)
  --rate N                single steps a second (default: 1000)
  --steady-seconds N      time for which they are sent (default: 300)
  --soak-seconds N        time of the soak (default: 900)
  --soak-runs N           runs of the soak (default: 100000)
  --kills N               number of times that a server is killed, on each store (default: 200)
  --runs N                runs on two servers (default: 1000)
  --fault-seconds N       time of each fault of the database (default: 8)
  --overload-seconds N    time of the overload (default: 20)
  --seed N                the seed of runs and moments (default: 1)
  --write                 write the table into docs/reliability.md
  -h, --help              print this

Exit codes: 0 every promise was kept; 1 one was broken; 2 wrong usage.
";

/// The extent of the parts.
#[derive(Clone, Debug)]
pub(super) struct FleetExtent {
    pub(super) batches: usize,
    pub(super) connections: usize,
    pub(super) rate: usize,
    pub(super) steady: Duration,
    pub(super) soak: Duration,
    pub(super) soak_runs: usize,
    pub(super) kills: usize,
    pub(super) runs: usize,
    pub(super) fault: Duration,
    /// Time for which a server is cut off: longer than its leases.
    pub(super) cut: Duration,
    pub(super) overload: Duration,
    /// True if only the faults are tried that a test has time for.
    pub(super) is_short: bool,
}

/// The arguments of the chore.
#[derive(Debug)]
pub(super) struct FleetArguments {
    pub(super) list: bool,
    pub(super) help: bool,
    pub(super) write: bool,
    pub(super) seed: u64,
    pub(super) program: Option<PathBuf>,
    pub(super) extent: FleetExtent,
    pub(super) stores: Vec<StoreKind>,
    pub(super) parts: Vec<&'static FleetPart>,
}

impl FleetExtent {
    /// The extent for which promises are made.
    pub(super) fn full() -> Self {
        FleetExtent {
            batches: 300,
            connections: 500,
            rate: 1000,
            steady: Duration::from_mins(5),
            soak: Duration::from_mins(15),
            soak_runs: 100_000,
            kills: 200,
            runs: 1000,
            fault: Duration::from_secs(8),
            cut: Duration::from_secs(26),
            overload: Duration::from_secs(20),
            is_short: false,
        }
    }

    /// The extent of the tests.
    pub(super) fn short() -> Self {
        FleetExtent {
            batches: 10,
            connections: 40,
            rate: 100,
            steady: Duration::from_secs(3),
            soak: Duration::from_secs(5),
            soak_runs: 400,
            kills: 4,
            runs: 30,
            fault: Duration::from_millis(1200),
            cut: Duration::from_secs(22),
            overload: Duration::from_secs(3),
            is_short: true,
        }
    }
}

impl FleetArguments {
    /// Parses the arguments.
    pub(super) fn parse(arguments: &[String]) -> Result<Self, ChoreFailure> {
        let usage = |message: String| ChoreFailure::Usage(format!("fleet: {message}"));
        let mut parsed = FleetArguments {
            list: false,
            help: false,
            write: false,
            seed: 1,
            program: None,
            extent: FleetExtent::full(),
            stores: Vec::new(),
            parts: Vec::new(),
        };
        if arguments.iter().any(|argument| argument == "--short") {
            parsed.extent = FleetExtent::short();
        }
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value = || rest.next().ok_or_else(|| usage(format!("{argument} needs a value")));
            let mut number = || {
                let text = value()?;
                let number = text.parse::<u64>().ok().filter(|number| *number > 0);
                number.ok_or_else(|| usage(format!("{argument} needs a number from 1, not {text:?}")))
            };
            let extent = &mut parsed.extent;
            match argument.as_str() {
                "--short" => {}
                "--list" => parsed.list = true,
                "--help" | "-h" => parsed.help = true,
                "--write" => parsed.write = true,
                "--batches" => extent.batches = number()? as usize,
                "--connections" => extent.connections = number()? as usize,
                "--rate" => extent.rate = number()? as usize,
                "--steady-seconds" => extent.steady = Duration::from_secs(number()?),
                "--soak-seconds" => extent.soak = Duration::from_secs(number()?),
                "--soak-runs" => extent.soak_runs = number()? as usize,
                "--kills" => extent.kills = number()? as usize,
                "--runs" => extent.runs = number()? as usize,
                "--fault-seconds" => extent.fault = Duration::from_secs(number()?),
                "--overload-seconds" => extent.overload = Duration::from_secs(number()?),
                "--seed" => parsed.seed = number()?,
                "--program" => parsed.program = Some(PathBuf::from(value()?)),
                "--store" => {
                    let name = value()?;
                    let store = StoreKind::ALL.into_iter().find(|store| store.name() == name);
                    parsed.stores.push(store.ok_or_else(|| usage(format!("there is no store {name:?}")))?);
                }
                "--only" => {
                    let name = value()?;
                    let part = PARTS.iter().find(|part| part.name == name);
                    parsed.parts.push(part.ok_or_else(|| usage(format!("there is no part {name:?}")))?);
                }
                other => return Err(usage(format!("unexpected {other:?}"))),
            }
        }
        let is_partial = parsed.extent.is_short || !parsed.parts.is_empty() || !parsed.stores.is_empty();
        if parsed.write && is_partial {
            return Err(usage("--write needs everything: leave out --short, --only and --store".to_owned()));
        }
        if parsed.parts.is_empty() {
            parsed.parts.extend(PARTS);
        }
        if parsed.stores.is_empty() {
            parsed.stores.extend(StoreKind::ALL);
        }
        Ok(parsed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<FleetArguments, ChoreFailure> {
        FleetArguments::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn all_parts_run_in_full_on_both_stores_unless_told_otherwise() {
        let all = parse("").unwrap();
        assert_eq!((all.parts.len(), all.stores.len(), all.extent.kills), (PARTS.len(), 2, 200));
        let some = parse("--only kills --kills 7 --short --store postgres").unwrap();
        assert_eq!((some.parts.len(), some.extent.kills, some.extent.runs), (1, 7, 30));
        assert_eq!(some.stores, [StoreKind::Postgres]);
    }

    #[test]
    fn wrong_words_are_named() {
        for line in [
            "--only nothing",
            "--kills none",
            "--kills 0",
            "--slow",
            "--only",
            "--store x",
            "--write --short",
        ] {
            assert!(matches!(parse(line), Err(ChoreFailure::Usage(_))), "{line}");
        }
    }
}
