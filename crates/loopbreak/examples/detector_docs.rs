//! Prints the documentation of every detector as JSON, with the defaults of its options filled in:
//! `cargo run -p loopbreak --example detector_docs`.
//!
//! `cargo xtask generate` writes the tables of the README and the guide from it.
#![expect(clippy::print_stdout, reason = "an example prints what it reads")]

use loopbreak::DetectorName;
use serde_json::{Value, json};

fn main() {
    let mut detectors = DetectorName::ALL.to_vec();
    detectors.sort_by_key(|detector| (detector.subject(), *detector));
    let entries: Vec<Value> = detectors.iter().filter_map(entry).collect();
    println!("{}", Value::from(entries));
}

fn entry(detector: &DetectorName) -> Option<Value> {
    let docs = detector.docs()?;
    Some(json!({
        "name": detector,
        "summary": docs.summary,
        "reads": docs.reads,
        "effect": docs.effect,
        "catches": docs.catches,
        "ignores": docs.ignores,
        "guide": docs.guide,
    }))
}
