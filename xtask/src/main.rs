//! The chores of the workspace: `cargo xtask CHORE`.
#![expect(clippy::print_stdout, reason = "a program prints its usage")]
#![expect(clippy::print_stderr, reason = "a program says what it is doing")]

#[cfg(feature = "agents")]
mod agents;
#[cfg(not(feature = "agents"))]
mod agents_relay;
mod analyze_bench;
mod api_fuzz;
#[cfg(target_os = "linux")]
mod attack;
mod bench;
mod builder_paths;
mod chore_failure;
mod ci;
mod coding_run;
mod dam;
mod dashboard_pictures;
mod detector_pages;
mod dist;
mod event_page;
mod extensions;
#[cfg(target_os = "linux")]
mod faults;
#[cfg(target_os = "linux")]
mod fleet;
mod format_table;
mod fresh_project;
mod fuzz;
mod generate;
mod generated_parts;
mod known_loops;
mod licences;
mod names;
mod picture;
mod prices;
mod process;
mod programs;
mod public_api;
mod python;
mod python_package;
mod quality;
mod release_fixture;
mod screenshots;
mod secrets;
mod session_weeks;
mod source_lexer;
mod split_mix;
#[cfg(target_os = "linux")]
mod trial;
mod workflows;
mod workspace_program;

use std::process::ExitCode;

use chore_failure::ChoreFailure;

const USAGE: &str = "\
The chores of the Loopbreak workspace.

Usage: cargo xtask CHORE [ARGUMENTS]

Chores:
  ci [--fast]                  check everything: format, lints, tests, documentation, generated files
                               --fast leaves out the documentation (doc tests and rustdoc)
  generate [--check] [FILE…]   write the generated files, or those named;
                               --check writes nothing and fails if one of them is not current
  extensions [TEMPLATE]        add a detector and a hook agent as CONTRIBUTING.md says, in a copy of the tree, and try
                               them; TEMPLATE is `detector` or `hook-agent`
  names                        check the names of types and the wording of comments and pages
  setup                        install the programs and Python packages that the tests need; ci does this too
  dist [--target TRIPLE]       build the release archive, its bill of materials and the list of checksums in dist/, and try
                               the archive; TRIPLE.GLIBC, as in x86_64-unknown-linux-gnu.2.17, links with Zig for an older
                               glibc
  dist --finish --releases-url URL [--tag TAG]
                               write what a release has once: checksums, install.sh and the formula of Homebrew
  wheel [--quick] [--target TRIPLE] [--interpreter PYTHON]
                               build the wheel of the Python package below target/wheels/, with the program in it, and print its
                               size; --quick builds what the tests use; TRIPLE.GLIBC links with Zig for an older glibc
  adapters [FRAMEWORK…] [--list] [--newest] [--oldest]
                               run the tests of the Python adapters, each with the newest and the oldest version of its
                               framework, and of Spark; `adapters --help` has more
  python-bench                 measure the Python package beside Rust and beside the checks of agent frameworks
  fresh-project                run the example of the readme in a new project; a part of ci
  workflows                    check the workflows and the action of GitHub against their schemas; a part of ci
  bench [ARGUMENTS…]           run the benchmarks; the arguments go to `cargo bench`
  hook-bench [--against PROGRAM]
                               measure a hook beside `python3 -c pass`, and beside another build of the program
  analyze-bench FOLDER [--logs N] [--rounds N] [--program PATH]
                               measure `analyze` beside `convert` on the logs of FOLDER, copied to N logs (default 1000) under
                               fresh ids: the first time, and when nothing has changed; builds the program, or takes that of PATH
  fuzz [SECONDS]               run every fuzz target for SECONDS (default 30); needs nightly and cargo-fuzz
  api-fuzz [--examples N] [--seed N]
                               hold the description of the API of `loopbreak serve` against the server: N examples of each
                               operation (default 200), with a token and without one; takes some minutes
  faults [OPTIONS]             inject faults into hooks and their store, and check what is promised about them; `faults --help`
                               has more
  fleet [OPTIONS]              put the service under load, inject faults, and check what is promised about it; `fleet --help` has
                               more
  attack [OPTIONS]             make the attacks of a review again and check that none does harm; `attack --help` has more
  release-fixture NAME [--program PATH]
                               write the store that a release leaves behind into the fixtures
  screenshots                  take the screenshots of the report page and the dashboard in docs/images/ with a real browser
  quality PATH [--part look|check] [--walkthroughs FILE] [--write]
                               compute the figures of docs/quality.md from the samples in PATH;
                               --write replaces them in the page
  prices [--check]             write the table of the prices of models, from packages of PyPI;
                               --check writes nothing and fails if the table is not current
  secrets [PATH…]              count what masking hides in the files of PATH, or of the workspace, by rule;
                               ordinary text has no secrets, so each of them is a mistake
  agents [NAME…] [OPTIONS]     play parts with real coding agents and a scripted model; `agents --help` has more
  help                         print this

Exit codes: 0 done; 1 a step failed; 2 wrong usage.
";

fn main() -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(ChoreFailure::Failed(message)) => {
            eprintln!("xtask: {message}");
            ExitCode::from(1)
        }
        Err(ChoreFailure::Usage(message)) => {
            eprintln!("xtask: {message}\n\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[String]) -> Result<(), ChoreFailure> {
    let Some((chore, rest)) = arguments.split_first() else {
        return Err(ChoreFailure::Usage("which chore?".to_owned()));
    };
    let asks_for_help =
        rest.iter().take_while(|argument| *argument != "--").any(|a| a == "--help" || a == "-h");
    match chore.as_str() {
        "help" | "--help" | "-h" => print_usage(),
        // These have help texts of their own.
        "bench" => return bench::run(rest),
        #[cfg(target_os = "linux")]
        "faults" => return faults::run(rest),
        #[cfg(not(target_os = "linux"))]
        "faults" => {
            return Err(ChoreFailure::Failed("faults: faults can be injected on Linux only".to_owned()));
        }
        #[cfg(target_os = "linux")]
        "fleet" => return fleet::run(rest),
        #[cfg(not(target_os = "linux"))]
        "fleet" => return Err(ChoreFailure::Failed("fleet: servers are tried on Linux only".to_owned())),
        #[cfg(target_os = "linux")]
        "attack" => return attack::run(rest),
        #[cfg(not(target_os = "linux"))]
        "attack" => return Err(ChoreFailure::Failed("attack: attacks are made on Linux only".to_owned())),
        #[cfg(feature = "agents")]
        "agents" => return agents::run(rest),
        #[cfg(not(feature = "agents"))]
        "agents" => return agents_relay::run(rest),
        "adapters" => return python_package::run_adapters(rest),
        _ if asks_for_help => print_usage(),
        "ci" => return ci::run(rest),
        "generate" => return generate::run(rest),
        "extensions" => return extensions::run(rest),
        "names" => return names::run(rest),
        "setup" => return ci::setup(rest),
        "dist" => return dist::run(rest),
        "wheel" => return python_package::run_wheel(rest),
        "python-bench" => return without_arguments(chore, rest).and_then(|()| python_package::run_bench()),
        "fresh-project" => return without_arguments(chore, rest).and_then(|()| fresh_project::check()),
        "workflows" => return without_arguments(chore, rest).and_then(|()| workflows::check()),
        "hook-bench" => return bench::hook(rest),
        "analyze-bench" => return analyze_bench::run(rest),
        "fuzz" => return fuzz::run(rest),
        "api-fuzz" => return api_fuzz::run(rest),
        "release-fixture" => return release_fixture::run(rest),
        "screenshots" => return screenshots::run(rest),
        "quality" => return quality::run(rest),
        "prices" => return prices::run(rest),
        "secrets" => return secrets::run(rest),
        other => return Err(ChoreFailure::Usage(format!("there is no chore {other:?}"))),
    }
    Ok(())
}

fn without_arguments(chore: &str, rest: &[String]) -> Result<(), ChoreFailure> {
    match rest {
        [] => Ok(()),
        [other, ..] => Err(ChoreFailure::Usage(format!("{chore}: unexpected {other:?}"))),
    }
}

fn print_usage() {
    print!("{USAGE}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn the_usage_text_lists_every_chore() {
        for chore in [
            "ci",
            "generate",
            "setup",
            "dist",
            "fresh-project",
            "workflows",
            "bench",
            "hook-bench",
            "analyze-bench",
            "fuzz",
            "api-fuzz",
            "faults",
            "fleet",
            "attack",
            "release-fixture",
            "screenshots",
            "quality",
            "prices",
            "agents",
            "wheel",
            "adapters",
            "python-bench",
            "help",
        ] {
            assert!(USAGE.contains(&format!("\n  {chore}")), "{chore}");
        }
    }

    #[test]
    fn unknown_words_are_usage_errors_and_name_themselves() {
        for line in [
            "",
            "tidy",
            "ci --slow",
            "generate no/such/file",
            "generate --chekc",
            "extensions nothing",
            "setup all",
            "dist --target",
            "dist x",
            "fresh-project x",
            "wheel --slow",
            "adapters nothing",
            "adapters --all",
            "python-bench x",
            "workflows x",
            "hook-bench x",
            "analyze-bench",
            "analyze-bench logs --rounds x",
            "fuzz soon",
            "api-fuzz --soon",
            "faults --only nothing",
            "fleet --only nothing",
            "attack --only nothing",
            "release-fixture a/b",
            "screenshots all",
            "quality runs --part test",
            "prices now",
        ] {
            let failure = run(&words(line)).unwrap_err();
            let ChoreFailure::Usage(message) = failure else { panic!("{line:?}: {failure:?}") };
            assert!(message.contains(line.split(' ').next_back().unwrap()), "{line:?}: {message}");
        }
    }
}
