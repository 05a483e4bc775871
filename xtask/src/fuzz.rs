//! `cargo xtask fuzz`: every fuzz target for a short time, starting from the fixtures.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::chore_failure::ChoreFailure;
use crate::process::{root, run as run_process, works};

/// The default duration per target, in seconds.
const SECONDS: u64 = 30;
/// The memory limit in megabytes.
const MEMORY: u64 = 1024;
/// The time limit per input, in seconds. The sanitizer slows everything down.
const TIMEOUT: u64 = 10;

/// The targets in `fuzz/fuzz_targets/`, and the files each starts with.
const TARGETS: &[(&str, &str)] = &[
    ("read", LOGS),
    ("analyze", LOGS),
    ("telemetry", "crates/loopbreak-trace/tests/fixtures/otel"),
    ("story", "crates/loopbreak-arena/story"),
    ("configuration", "fuzz/seeds/configuration"),
    ("mcp_arguments", "fuzz/seeds/mcp_arguments"),
    ("mcp_lines", "fuzz/seeds/mcp_lines"),
    ("store", "fuzz/seeds/store"),
    ("hook_event", "crates/loopbreak-cli/tests/fixtures/hooks"),
    ("secret", "fuzz/seeds/secret"),
];
const LOGS: &str = "crates/loopbreak-trace/tests/fixtures";

/// Runs all targets.
pub(crate) fn run(arguments: &[String]) -> Result<(), ChoreFailure> {
    let seconds = match arguments {
        [] => SECONDS,
        [seconds] => seconds.parse().map_err(|_| {
            ChoreFailure::Usage(format!("fuzz: expected a number of seconds, found {seconds:?}"))
        })?,
        [_, more, ..] => return Err(ChoreFailure::Usage(format!("fuzz: unexpected {more:?}"))),
    };
    if !works(rustup_cargo().arg("--version")) {
        return Err(ChoreFailure::Failed(
            "fuzzing needs a nightly compiler: rustup toolchain install nightly".to_owned(),
        ));
    }
    if !works(rustup_cargo().args(["fuzz", "--version"])) {
        return Err(ChoreFailure::Failed("fuzzing needs cargo-fuzz: cargo install cargo-fuzz".to_owned()));
    }
    for (target, fixtures) in TARGETS.iter().copied() {
        let corpus = root().join("fuzz/corpus").join(target);
        seed(&root().join(fixtures), &corpus)?;
        let limits = [
            format!("-max_total_time={seconds}"),
            format!("-rss_limit_mb={MEMORY}"),
            format!("-timeout={TIMEOUT}"),
        ];
        run_process(rustup_cargo().args(["fuzz", "run", target, "--"]).args(limits))?;
    }
    Ok(())
}

/// Returns the cargo of rustup. The one that runs this chore is stable and does not accept toolchain names.
fn rustup_cargo() -> Command {
    let mut command = Command::new("cargo");
    // The cargo that runs this chore sets these, and they would select the stable compiler again.
    command.env_remove("RUSTUP_TOOLCHAIN").env_remove("RUSTC").env_remove("CARGO");
    command.arg("+nightly").current_dir(root());
    command
}

/// Puts the fixtures into the corpus.
fn seed(fixtures: &Path, corpus: &Path) -> Result<(), ChoreFailure> {
    let failed = |path: &Path, error: &std::io::Error| {
        ChoreFailure::io(format_args!("copy {}", path.display()), error)
    };
    fs::create_dir_all(corpus).map_err(|error| failed(corpus, &error))?;
    let mut paths: Vec<PathBuf> = vec![fixtures.to_owned()];
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            for entry in fs::read_dir(&path).map_err(|error| failed(&path, &error))? {
                paths.push(entry.map_err(|error| failed(&path, &error))?.path());
            }
        } else {
            let name =
                path.strip_prefix(fixtures).unwrap_or(&path).to_string_lossy().replace(['/', '\\'], "-");
            fs::copy(&path, corpus.join(name)).map_err(|error| failed(&path, &error))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_a_file_and_is_in_the_manifest() {
        let manifest = fs::read_to_string(root().join("fuzz/Cargo.toml")).unwrap();
        for (target, fixtures) in TARGETS.iter().copied() {
            assert!(root().join(fixtures).is_dir(), "{fixtures}");
            assert!(root().join(format!("fuzz/fuzz_targets/{target}.rs")).is_file(), "{target}");
            assert!(manifest.contains(&format!("name = \"{target}\"")), "{target}");
        }
    }

    #[test]
    fn the_corpus_has_all_fixtures() {
        let fixtures = root().join(LOGS);
        let corpus = std::env::temp_dir().join(format!("loopbreak-corpus-{}", std::process::id()));
        seed(&fixtures, &corpus).unwrap();
        let count = fs::read_dir(&corpus).unwrap().count();
        fs::remove_dir_all(&corpus).unwrap();
        assert!(count > 20, "{count}");
    }
}
