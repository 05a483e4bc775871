#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a benchmark prints its figures and has a valid load"
)]
//! The cost of one step, in instructions: `cargo bench -p loopbreak --bench instructions`.
//!
//! The number of instructions does not depend on other load on the machine, so changes are judged by it. The
//! benchmark runs itself under valgrind with N and with 2 N steps. The difference divided by N is the cost of
//! a step, without the cost of everything that happens once.

mod load;

use std::process::Command;

use loopbreak::{Config, Guard, Proposal, Step};

const STEPS: usize = 2_000;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if let [_, workload, steps] = &args[..]
        && let Ok(steps) = steps.parse()
    {
        return run(workload, steps);
    }
    println!("instructions per step (valgrind, difference of {STEPS} and {} steps)", 2 * STEPS);
    // A step borrows from its line, so each workload contains the one it is compared with.
    for (workload, without, text) in [
        ("parse", "load", "read a line of 1.2 kB"),
        ("auto", "parse", "observe, every detector on"),
        ("documents", "parse", "observe, the ten detectors of the documents"),
        ("off", "parse", "observe, every detector off"),
        ("coding", "coding-parse", "observe, every detector on: a coding agent's calls"),
        ("outputs", "outputs-parse", "observe, every detector on: calls with outputs of 2 kB on average"),
        ("weigh", "coding", "weigh, every detector on: a coding agent's calls, each before it is observed"),
        ("edit", "edit-parse", "observe, every detector on: edits"),
        ("game", "game-parse", "observe, every detector on: commands of a text game"),
        ("web", "web-parse", "observe, every detector on: clicks, logged without outcomes"),
        ("oscillation", "oscillation-parse", "observe, every detector on: two rooms to and fro"),
        (
            "oscillation-weigh",
            "oscillation",
            "weigh, every detector on: two rooms to and fro, refused by a score",
        ),
        ("iteration", "iteration-parse", "observe, every detector on: a 500-byte output of an iteration"),
        ("signature", "load", "the signature of a 500-byte output"),
    ] {
        let Some((with, without)) = cost(workload).zip(cost(without)) else {
            println!("valgrind was not found: install it to count instructions");
            return;
        };
        println!("{:>8}  {text}", with.saturating_sub(without));
    }
}

fn run(workload: &str, steps: usize) {
    let (load, parse_only) =
        workload.strip_suffix("-parse").map_or((workload, workload == "parse"), |load| (load, true));
    let lines = match load {
        "coding" | "weigh" => load::typical::coding(steps),
        "outputs" => load::typical::outputs(steps),
        "edit" => load::typical::edits(steps),
        "game" => load::typical::game(steps),
        "web" => load::typical::web(steps),
        "oscillation" | "oscillation-weigh" => load::typical::oscillation(steps),
        "iteration" => load::iterations(steps, 500),
        _ => load::lines(steps),
    };
    let documents = workload == "documents";
    let config = if documents { Config::from(loopbreak::Profile::Documents) } else { Config::default() };
    let off =
        Config::new(loopbreak::Settings { mode: loopbreak::Mode::Off, ..loopbreak::Settings::default() });
    let mut guard = Guard::new(if workload == "off" { off.expect("valid settings") } else { config });
    for line in &lines {
        if workload == "load" {
            continue;
        }
        if workload == "signature" {
            std::hint::black_box(loopbreak::text::signature(&line[..500]));
            continue;
        }
        let step = Step::from_json(line).expect("a valid line");
        if workload.ends_with("weigh")
            && let Some(action) = &step.action
        {
            let score = (workload == "oscillation-weigh").then_some(0.9);
            let proposal = Proposal { action: action.clone(), score, ..Proposal::default() };
            std::hint::black_box(guard.weigh(&proposal));
        }
        if !parse_only {
            std::hint::black_box(guard.observe(&step));
        }
    }
}

/// Returns the number of instructions per step.
fn cost(workload: &str) -> Option<u64> {
    let (once, twice) = (count(workload, STEPS)?, count(workload, 2 * STEPS)?);
    Some(twice.saturating_sub(once) / STEPS as u64)
}

fn count(workload: &str, steps: usize) -> Option<u64> {
    let program = std::env::current_exe().ok()?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args([workload, &steps.to_string()])
        .output()
        .ok()?;
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    let collected = report
        .lines()
        .find_map(|line| line.split_once("Collected : ").map(|(_, count)| count.trim().to_owned()))?;
    collected.parse().ok()
}
