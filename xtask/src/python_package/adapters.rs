//! `cargo xtask adapters`: runs the tests of every adapter with the newest and the oldest version of its framework.

use std::process::Command;
use std::time::Instant;

use super::PACKAGE;
use super::adapter_environment::AdapterEnvironment;
use super::wheel;
use super::wheel_options::WheelOptions;
use crate::chore_failure::ChoreFailure;
use crate::process::root;
use crate::programs;

/// The framework whose test needs Java.
const SPARK: &str = "spark";

const USAGE: &str = "\
Run the tests of the adapters, each with the newest and the oldest version of its framework.

Usage: cargo xtask adapters [OPTIONS] [FRAMEWORK…]

The packages are installed from PyPI below target/adapters/. `spark` is among the frameworks; it needs Java, which is
installed with apt-get if it is missing.

Options:
  --list      list the frameworks and their versions
  --newest    only the newest version of each framework
  --oldest    only the oldest version of each framework
  --help      print this

Exit codes: 0 all passed; 1 one failed; 2 wrong usage.
";

/// The result of the tests of an environment.
struct AdapterResult {
    name: String,
    /// The summary of the tests, or the reason why they could not be run.
    summary: String,
    has_passed: bool,
    seconds: f32,
}

#[expect(clippy::print_stdout, reason = "the table is the result of the chore")]
pub(crate) fn run(arguments: &[String]) -> Result<(), ChoreFailure> {
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        print!("{USAGE}");
        return Ok(());
    }
    let all = AdapterEnvironment::list()?;
    let (flags, frameworks): (Vec<&String>, Vec<&String>) =
        arguments.iter().partition(|argument| argument.starts_with('-'));
    for framework in &frameworks {
        if !all.iter().any(|environment| environment.framework == **framework) {
            return Err(ChoreFailure::Usage(format!(
                "adapters: there is no framework {framework:?}; `cargo xtask adapters --list` names them"
            )));
        }
    }
    let (mut is_list, mut age) = (false, None);
    for flag in flags {
        match flag.as_str() {
            "--list" => is_list = true,
            "--newest" => age = Some("newest"),
            "--oldest" => age = Some("oldest"),
            other => return Err(ChoreFailure::Usage(format!("adapters: unexpected {other:?}"))),
        }
    }
    let wanted: Vec<&AdapterEnvironment> = all
        .iter()
        .filter(|environment| frameworks.is_empty() || frameworks.contains(&&environment.framework))
        .filter(|environment| age.is_none_or(|age| environment.age == age))
        .collect();
    if is_list {
        for environment in wanted {
            println!("{}", environment.name());
        }
        return Ok(());
    }
    if wanted.iter().any(|environment| environment.framework == SPARK) {
        programs::install_java()?;
    }
    let wheel = wheel::build(&WheelOptions::quick())?;
    let results: Vec<AdapterResult> =
        wanted.into_iter().map(|environment| test(environment, &wheel)).collect();
    print!("{}", table(&results));
    let failed: Vec<&str> =
        results.iter().filter(|result| !result.has_passed).map(|result| result.name.as_str()).collect();
    if failed.is_empty() {
        return Ok(());
    }
    Err(ChoreFailure::Failed(format!("adapters: failed: {}", failed.join(", "))))
}

/// Runs the tests of an environment. A failure does not end the others.
fn test(environment: &AdapterEnvironment, wheel: &std::path::Path) -> AdapterResult {
    let started = Instant::now();
    eprintln!("xtask: {} …", environment.name());
    let outcome = environment.install(wheel).and_then(|python| {
        let mut command = Command::new(python);
        command.args(["-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider"]).arg(environment.test());
        command.current_dir(root().join(PACKAGE));
        command.output().map_err(|error| ChoreFailure::io("start pytest", &error)).map(|output| {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let summary = summary_of(&text);
            let has_passed = output.status.success() && is_complete(&summary);
            if !has_passed {
                eprintln!("{text}{}", String::from_utf8_lossy(&output.stderr));
            }
            (summary, has_passed)
        })
    });
    let (summary, has_passed) = outcome.unwrap_or_else(|failure| {
        let (ChoreFailure::Failed(reason) | ChoreFailure::Usage(reason)) = failure;
        (reason, false)
    });
    AdapterResult { name: environment.name(), summary, has_passed, seconds: started.elapsed().as_secs_f32() }
}

/// Returns the last line of pytest, which counts the tests.
fn summary_of(output: &str) -> String {
    output
        .lines()
        .rfind(|line| !line.trim().is_empty())
        .unwrap_or("pytest printed nothing")
        .trim_matches(['=', ' '])
        .to_owned()
}

/// Returns whether tests were run and none was left out.
fn is_complete(summary: &str) -> bool {
    summary.contains(" passed") && !summary.contains(" skipped") && !summary.contains(" deselected")
}

fn table(results: &[AdapterResult]) -> String {
    let width = results.iter().map(|result| result.name.len()).max().unwrap_or(0);
    let lines = results.iter().map(|AdapterResult { name, summary, has_passed, seconds }| {
        format!(
            "{name:width$}  {}  {seconds:5.1} s  {summary}\n",
            if *has_passed { "ok    " } else { "FAILED" }
        )
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_that_were_left_out_have_not_passed() {
        assert!(is_complete(&summary_of("....\n12 passed in 3.20s\n\n")));
        for other in
            ["11 passed, 1 skipped in 2s", "no tests ran in 0.01s", "1 failed, 2 passed, 1 skipped", ""]
        {
            assert!(!is_complete(&summary_of(other)), "{other}");
        }
    }

    #[test]
    fn the_table_marks_failures() {
        let result = |name: &str, has_passed| AdapterResult {
            name: name.to_owned(),
            summary: "3 passed".to_owned(),
            has_passed,
            seconds: 1.0,
        };
        let table = table(&[result("a-newest", true), result("longer-oldest", false)]);
        assert_eq!(
            table,
            "a-newest       ok        1.0 s  3 passed\nlonger-oldest  FAILED    1.0 s  3 passed\n"
        );
    }
}
