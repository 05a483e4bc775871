//! The memory of a guard is bounded: after a million steps of every kind it uses at most a documented number
//! of kilobytes.
//!
//! This is a separate program, because its global allocator counts the memory of the whole process.

use loopbreak::snapshot::SNAPSHOT_BYTES;
use loopbreak::{Config, Guard, Step};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Maximum memory of one guard in kilobytes, as documented in the README.
const MOST_KB: f32 = 160.0;

/// Returns a step in which every part is new: places, directions, agents, tasks, objectives, outputs. Nothing
/// repeats, so nothing is saved by repetition, and every memory of the guard is always full.
fn step(index: u64) -> String {
    let agent = index % 40;
    let pad = "\"\\u0001 ".repeat(12);
    match index % 4 {
        0 => format!(
            r#"{{"agent":"agent {agent}","outcome":{{"text":"output {index} {}"}}}}"#,
            "x\\n".repeat(1400)
        ),
        1 => format!(
            r#"{{"agent":"agent {agent}","action":"go way {index}","place":{{"id":"place {index}","name":"a place of long name number {index}","exits":["way {index}","way b{index}","north"]}},"score":{index},"critic":{{"score":0.9}}}}"#
        ),
        2 => format!(
            r#"{{"task":{{"id":"task {}","status":"blocked","blockers":["blocker of some length {index}","{}"],"work":["w{index}"],"session":"session {index}"}},"at":{index}}}"#,
            index / 3,
            pad.replace('"', "'").replace("\\u0001", "")
        ),
        _ => format!(
            r#"{{"agent":"agent {agent}","action":{{"name":"tool {index}","args":{{"n":{index}}}}},"outcome":{{"text":"e{index}","error":true}},"objectives":{{"active":["goal {index}"],"completed":["done {index}"]}}}}"#
        ),
    }
}

#[test]
fn a_guard_holds_no_more_after_a_million_steps_than_it_states() {
    let before = ALLOCATOR.current_usage_as_kb();
    let mut guard = Guard::new(Config::default());
    let mut held_at_half = 0.0;
    for index in 0..1_000_000 {
        // The large outputs are slow to compare: a tenth of them is enough to fill the store over and over.
        if index % 4 == 0 && index % 400 != 0 {
            continue;
        }
        let line = step(index);
        guard.observe(&Step::from_json(&line).unwrap());
        if index == 500_001 {
            held_at_half = ALLOCATOR.current_usage_as_kb() - before;
        }
    }
    let held = ALLOCATOR.current_usage_as_kb() - before;
    println!("held: {held_at_half} kB after half a million steps, {held} kB after a million");
    assert!(held < MOST_KB, "{held} kB");
    assert!(held < held_at_half * 1.1, "it grew from {held_at_half} kB to {held} kB");
    let snapshot = serde_json::to_string(&guard.snapshot()).unwrap();
    println!("snapshot: {} bytes", snapshot.len());
    assert!(snapshot.len() <= SNAPSHOT_BYTES, "{} bytes", snapshot.len());
}
