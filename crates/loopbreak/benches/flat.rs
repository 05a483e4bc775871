#![expect(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a benchmark reads the clock, prints its figures and has a valid load"
)]
//! Measures whether the cost of a step depends on the length of the run: `cargo bench -p loopbreak --bench flat`.
//!
//! Compares one run of 1,000,000 steps with one hundred runs of 10,000 on the same steps. They alternate in
//! one process, so that other load on the machine affects both. The result is their ratio.

mod load;

use std::time::{Duration, Instant};

use loopbreak::{Config, Guard, Step};

const SHORT: usize = 10_000;
const LONG: usize = 1_000_000;
const ROUNDS: usize = 5;

fn main() {
    let lines = load::lines(SHORT);
    let mut steps: Vec<Step<'_>> =
        lines.iter().map(|line| Step::from_json(line).expect("a valid line")).collect();
    // The long run repeats the same steps, so their own turn numbers would go backwards.
    for step in &mut steps {
        step.turn = None;
    }
    let mut ratios = Vec::new();
    let (mut short, mut long) = (Duration::ZERO, Duration::ZERO);
    for _ in 0..ROUNDS {
        let runs = LONG / SHORT;
        let short_round =
            time(|| (0..runs).for_each(|_| observe(&mut Guard::new(Config::default()), &steps)));
        let mut guard = Guard::new(Config::default());
        let long_round = time(|| (0..runs).for_each(|_| observe(&mut guard, &steps)));
        ratios.push(long_round.as_secs_f64() / short_round.as_secs_f64());
        short += short_round;
        long += long_round;
    }
    ratios.sort_by(f64::total_cmp);
    let nanos = |time: Duration| time.as_nanos() / (ROUNDS * LONG) as u128;
    println!("ns per step, runs of {SHORT}: {}; one run of {LONG}: {}", nanos(short), nanos(long));
    println!("ratio (median of {ROUNDS}): {:.3}", ratios[ROUNDS / 2]);
}

fn observe(guard: &mut Guard, steps: &[Step<'_>]) {
    for step in steps {
        std::hint::black_box(guard.observe(step));
    }
}

fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}
