//! Recordings of the runs that tests play. `cargo xtask generate` makes the page of known loops from them.

#![allow(clippy::unwrap_used, reason = "a recording that cannot be written is to fail")]

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use loopbreak::{Verdict, verdict::Audience};
use serde_json::{Value, json};

/// The variable with the folder to write recordings to. Nothing is recorded without it.
const FOLDER_VARIABLE: &str = "LOOPBREAK_RECORD_TESTS";

/// Numbers the recordings of this process, in the order in which their runs began.
static NEXT_NUMBER: AtomicU32 = AtomicU32::new(0);

/// The steps of a run with what was said about them. Written when the run is dropped.
pub(crate) struct TestRecording {
    path: PathBuf,
    test: String,
    steps: Vec<Value>,
}

impl TestRecording {
    /// Starts a recording if the variable asks for it.
    pub(crate) fn start() -> Option<Self> {
        let folder = PathBuf::from(std::env::var_os(FOLDER_VARIABLE)?);
        // The test runner names the thread of a test after it.
        let test = thread::current().name()?.to_owned();
        let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
        Some(TestRecording { path: folder.join(format!("{number:05}.json")), test, steps: Vec::new() })
    }

    /// Adds a step and its verdict.
    pub(crate) fn add(&mut self, record: &Value, verdict: &Verdict) {
        let texts = verdict.advice.iter().filter(|advice| advice.audience == Audience::Agent);
        let texts: Vec<&str> = texts.map(|advice| advice.text.as_str()).collect();
        self.steps.push(json!({
            "record": record,
            "turn": verdict.turn,
            "findings": verdict.findings,
            "decisions": verdict.decisions,
            "advice": texts,
        }));
    }
}

impl Drop for TestRecording {
    fn drop(&mut self) {
        if thread::panicking() {
            return;
        }
        let recording = json!({"test": self.test, "steps": self.steps});
        fs::write(&self.path, recording.to_string()).unwrap();
    }
}
