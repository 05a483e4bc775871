//! `cargo xtask python-bench`: the Python package beside the engine in Rust, beside the import of another package, and beside the
//! checks of agent frameworks on the same steps.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::PACKAGE;
use super::adapter_environment::AdapterEnvironment;
use super::wheel;
use super::wheel_options::WheelOptions;
use crate::chore_failure::ChoreFailure;
use crate::process::{cargo, root, stdout_of};

/// The steps that everything is measured on.
const STEPS: &str = "crates/loopbreak-cli/tests/fixtures/golden/logs/coding.jsonl";

/// Number of measurements of each kind. They take turns, and the fastest of each counts: other programs only make them slower.
const ROUNDS: usize = 7;

/// A ratio with the highest value at which it passes.
struct RatioLimit {
    name: &'static str,
    ratio: f64,
    limit: f64,
}

#[expect(clippy::print_stdout, reason = "the table is the result of the chore")]
pub(crate) fn run() -> Result<(), ChoreFailure> {
    let wheel = wheel::build(&WheelOptions::measured())?;
    let langchain = AdapterEnvironment::for_benchmark("langchain").install(&wheel)?;
    let openhands = AdapterEnvironment::for_benchmark("openhands").install(&wheel)?;
    let rust = build_example()?;
    let script = root().join(PACKAGE).join("benches");
    let measure = |python: &Path, file: &str, word: &str| -> Result<f64, ChoreFailure> {
        let mut command = Command::new(python);
        number(command.arg(script.join(file)).arg(word).arg(root().join(STEPS)))
    };
    let mut fastest = [f64::INFINITY; 7];
    for _ in 0..ROUNDS {
        let round = [
            number(Command::new(&rust).arg(root().join(STEPS)))?,
            measure(&langchain, "loopbreak_steps.py", "text")?,
            measure(&langchain, "loopbreak_steps.py", "dict")?,
            measure(&langchain, "import_time.py", "loopbreak")?,
            measure(&langchain, "import_time.py", "pydantic")?,
            measure(&langchain, "langchain_limits.py", "steps")?,
            measure(&openhands, "openhands_stuck.py", "steps")?,
        ];
        for (fastest, seconds) in fastest.iter_mut().zip(round) {
            *fastest = fastest.min(seconds);
        }
    }
    let [rust, text, dict, loopbreak, pydantic, langchain, openhands] = fastest;
    let limits = [
        RatioLimit { name: "a step as a JSON text, compared with Rust", ratio: text / rust, limit: 3.0 },
        RatioLimit { name: "a step as a dict, compared with Rust", ratio: dict / rust, limit: 6.0 },
        RatioLimit {
            name: "`import loopbreak`, compared with `import pydantic`",
            ratio: loopbreak / pydantic,
            limit: 0.5,
        },
    ];
    println!(
        "a step in Rust: {:.1} µs; as a text: {:.1} µs; as a dict: {:.1} µs",
        rust * 1e6,
        text * 1e6,
        dict * 1e6
    );
    println!("import loopbreak: {:.1} ms; pydantic: {:.1} ms", loopbreak * 1e3, pydantic * 1e3);
    println!(
        "limit middleware of LangChain, a step: {:.1} µs, {:.1} times a dict",
        langchain * 1e6,
        langchain / dict
    );
    println!(
        "StuckDetector of OpenHands, a step: {:.1} µs, {:.1} times a dict",
        openhands * 1e6,
        openhands / dict
    );
    for RatioLimit { name, ratio, limit } in &limits {
        println!("{name}: {ratio:.2} (limit {limit})");
    }
    let over: Vec<&str> = limits.iter().filter(|one| one.ratio > one.limit).map(|one| one.name).collect();
    if over.is_empty() {
        return Ok(());
    }
    Err(ChoreFailure::Failed(format!("python-bench: over the limit: {}", over.join("; "))))
}

/// Builds the example that measures the engine in Rust, and returns where it is.
fn build_example() -> Result<PathBuf, ChoreFailure> {
    let mut command = cargo(["build", "--profile", "dist", "--locked", "--package", "loopbreak"]);
    let messages =
        stdout_of(command.args(["--example", "observe_lines", "--message-format=json-render-diagnostics"]))?;
    String::from_utf8_lossy(&messages)
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .ok_or_else(|| ChoreFailure::Failed("cargo did not build `observe_lines`".to_owned()))
}

/// Returns the number that a command prints: seconds.
fn number(command: &mut Command) -> Result<f64, ChoreFailure> {
    let output = stdout_of(command)?;
    let text = String::from_utf8_lossy(&output);
    text.trim()
        .parse()
        .map_err(|error| ChoreFailure::Failed(format!("a benchmark printed {text:?}: {error}")))
}
