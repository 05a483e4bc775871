//! Measures `observe` on the steps of a log, from their lines. Prints the seconds of a step, which `cargo xtask python-bench`
//! compares with those of the Python package.
#![expect(
    clippy::disallowed_methods,
    reason = "the engine reads no file and no clock, but this program measures it"
)]
#![allow(clippy::print_stdout, reason = "the figure is the result")]

use std::error::Error;
use std::time::Instant;

use loopbreak::{Config, Guard, Step};

/// Number of times that the log is played.
const ROUNDS: usize = 40;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: observe_lines LOG")?;
    let text = std::fs::read_to_string(path)?;
    let lines: Vec<&str> = text.lines().collect();
    let mut best = f64::INFINITY;
    let mut findings = 0;
    for _ in 0..ROUNDS {
        let mut guard = Guard::new(Config::default());
        let started = Instant::now();
        for line in &lines {
            findings += guard.observe(&Step::from_json(line)?).findings.len();
        }
        best = best.min(started.elapsed().as_secs_f64() / lines.len() as f64);
    }
    if findings == 0 {
        return Err("the log has no findings: it is not the one to measure".into());
    }
    println!("{best:e}");
    Ok(())
}
