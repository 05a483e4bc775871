//! Passes a native log to a guard, step by step, as your own orchestrator would:
//! `cargo run -p loopbreak --example watch_log -- examples/dam.jsonl`.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "an example reads a file and prints what it sees"
)]

use std::io::BufRead as _;

use loopbreak::{Config, Guard, Step};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "examples/dam.jsonl".to_owned());
    let mut guard = Guard::new(Config::default());
    for line in std::io::BufReader::new(std::fs::File::open(path)?).lines() {
        let line = line?;
        let verdict = guard.observe(&Step::from_json(&line)?);
        for act in verdict.decisions {
            println!(
                "turn {}: {} by {}: {}",
                verdict.turn,
                act.intervention.as_str(),
                act.detector,
                act.reason
            );
        }
        if let Some(stop) = verdict.stop {
            println!("turn {}: the run would end here: {}", verdict.turn, stop.reason);
            break;
        }
    }
    Ok(())
}
