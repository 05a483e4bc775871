//! Compares the number of runs, steps, calls, user messages and events with those of an independent program.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use crate::support::{fixtures, read};

/// Returns the counts that `counts.py` prints for each log.
fn counted() -> BTreeMap<String, [usize; 5]> {
    let script = fixtures().with_file_name("counts.py");
    let output = Command::new("python3").arg(script).arg(fixtures()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let line = |line: &str| {
        let (name, numbers) = line.split_once(' ').unwrap();
        let numbers: Vec<usize> = numbers.split(' ').map(|number| number.parse().unwrap()).collect();
        (name.to_owned(), numbers.try_into().unwrap())
    };
    text.lines().map(line).collect()
}

#[test]
fn an_independent_program_counts_the_same() {
    let counted = counted();
    let mut seen = 0;
    for folder in std::fs::read_dir(fixtures()).unwrap().map(|entry| entry.unwrap().path()) {
        if !folder.is_dir() {
            continue;
        }
        for log in read(&folder) {
            let steps: Vec<serde_json::Value> =
                log.collected.steps.iter().map(|(_, step)| serde_json::from_str(step).unwrap()).collect();
            let runs: BTreeSet<String> = steps.iter().map(|step| step["run"].to_string()).collect();
            let with = |key: &str| steps.iter().filter(|step| !step[key].is_null()).count();
            let ours = [runs.len(), steps.len(), with("action"), with("user"), with("harness")];
            assert_eq!(
                counted.get(&log.name),
                Some(&ours),
                "{}: runs, steps, calls, user messages, events",
                log.name
            );
            seen += 1;
        }
    }
    assert_eq!(seen, counted.len(), "every log was read");
}
