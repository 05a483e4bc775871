#![expect(clippy::expect_used, reason = "the load is valid")]
//! The cost of one step, in time: `cargo bench -p loopbreak --bench observe`.

mod load;

use divan::Bencher;
use divan::counter::ItemsCount;
use loopbreak::{Action, Config, Guard, Proposal, Step};

fn main() {
    divan::main();
}

/// Number of steps of one measured run.
const STEPS: usize = 1_000;

fn observe(bencher: Bencher<'_, '_>, lines: &[String]) {
    let steps: Vec<Step<'_>> =
        lines.iter().map(|line| Step::from_json(line).expect("a valid line")).collect();
    bencher
        .counter(ItemsCount::new(steps.len()))
        .with_inputs(|| Guard::new(Config::default()))
        .bench_local_refs(|guard| {
            for step in &steps {
                divan::black_box(guard.observe(step));
            }
        });
}

/// All detectors on, a 200-byte action and a 500-byte outcome.
#[divan::bench]
fn tool_call(bencher: Bencher<'_, '_>) {
    observe(bencher, &load::lines(STEPS));
}

/// Steps as agents log them, one kind each.
#[divan::bench(args = ["coding", "edits", "game", "web"])]
fn typical(bencher: Bencher<'_, '_>, kind: &str) {
    let lines = match kind {
        "coding" => load::typical::coding(STEPS),
        "edits" => load::typical::edits(STEPS),
        "game" => load::typical::game(STEPS),
        _ => load::typical::web(STEPS),
    };
    observe(bencher, &lines);
}

/// The output of a whole iteration: `signature` and `similarity` read it.
#[divan::bench(args = [500, 2_000, 4_000])]
fn iteration_output(bencher: Bencher<'_, '_>, bytes: usize) {
    observe(bencher, &load::iterations(STEPS / 10, bytes));
}

/// A ruling on a move during an oscillation.
#[divan::bench]
fn weigh(bencher: Bencher<'_, '_>) {
    let mut guard = Guard::new(Config::default());
    for turn in 0..20 {
        let (way, place) = if turn % 2 == 0 { ("north", "Lobby") } else { ("south", "Dam") };
        let line = format!(r#"{{"action":"{way}","place":"{place}"}}"#);
        guard.observe(&Step::from_json(&line).expect("a valid line"));
    }
    let proposal = Proposal { action: Action::new("north"), score: Some(0.9), ..Proposal::default() };
    bencher.bench_local(|| divan::black_box(guard.weigh(&proposal)));
}

/// Cost of parsing the line, for comparison.
#[divan::bench]
fn parse(bencher: Bencher<'_, '_>) {
    let lines = load::lines(STEPS);
    bencher.counter(ItemsCount::new(lines.len())).bench_local(|| {
        for line in &lines {
            divan::black_box(Step::from_json(line).expect("a valid line"));
        }
    });
}
