//! Tests of `rework`.

use crate::steps::{call, played};
use crate::{DetectorName, Severity};
use serde_json::{Value, json};

const REWORK: DetectorName = DetectorName::Rework;

fn compaction() -> Value {
    json!({"harness": "compaction"})
}

fn reads(count: usize) -> impl Iterator<Item = Value> {
    (0..count).map(|number| {
        let path = format!("src/part{number}.rs");
        call("read_file", &json!({"path": path}), &format!("pub fn part{number}() {{}}"))
    })
}

#[test]
fn the_same_reads_after_a_compaction_give_a_warning_that_tells_a_result() {
    let run = played(reads(12).chain([compaction()]).chain(reads(12)));
    // The compaction is turn 13. The eighth read after it is turn 21.
    assert_eq!(run.turns(REWORK, Severity::Warn), [21]);
    let text = &run.verdicts[20].advice[0].text;
    assert!(text.contains("pub fn part0() {}") && text.contains("turn 1"), "{text}");
}

#[test]
fn picking_up_the_thread_and_files_that_changed_are_no_rework() {
    assert!(played(reads(12).chain([compaction()]).chain(reads(7))).findings(REWORK).is_empty());
    let changed = (0..12).map(|number| {
        call("read_file", &json!({"path": format!("src/part{number}.rs")}), &format!("pub fn other{number}() {{}}"))
    });
    assert!(played(reads(12).chain([compaction()]).chain(changed)).findings(REWORK).is_empty());
}

#[test]
fn several_compactions_with_the_same_few_reads_are_hard() {
    let rounds = (0..8).flat_map(|_| reads(4).chain([compaction()]));
    let run = played(rounds);
    assert!(run.turns(REWORK, Severity::Warn)[0] <= 20, "{:?}", run.turns(REWORK, Severity::Warn));
    assert!(run.turns(REWORK, Severity::Hard)[0] <= 35, "{:?}", run.turns(REWORK, Severity::Hard));
}

#[test]
fn compactions_with_nothing_between_them_are_a_loop() {
    let run = played((0..8).map(|_| compaction()));
    assert_eq!(run.turns(REWORK, Severity::Warn), [3]);
    assert_eq!(run.turns(REWORK, Severity::Hard), [6]);
}
