//! Calls that an agent rejected by itself. Hooks read them from the log while it grows.

use std::fs;

use crate::support::fixtures;
use loopbreak_trace::{LogFollower, LogFormat, LogRecord, RecordSink, RejectedCall, SkippedLine};

#[derive(Default)]
struct RejectionList(Vec<String>);

impl RecordSink for RejectionList {
    fn record(&mut self, _: &LogRecord<'_>) {}
    fn rejected_call(&mut self, call: &RejectedCall<'_>) {
        self.0.push(format!("{} {}: {}", call.id, call.action.name, call.reason.lines().next().unwrap()));
    }
    fn skipped(&mut self, _: SkippedLine) {}
}

/// Returns the rejected calls of a fixture.
fn rejected(format: LogFormat, name: &str) -> Vec<String> {
    let log = fs::read(fixtures().join(name)).unwrap();
    assert!(format.may_have_rejected_calls(&log));
    let mut rejections = RejectionList::default();
    LogFollower::new(format).push(0, &log, &mut rejections);
    rejections.0
}

#[test]
fn codex_rejects_patches_that_do_not_apply() {
    let failed = "apply_patch verification failed: Failed to find expected lines in";
    assert_eq!(
        rejected(LogFormat::CODEX, "codex/direct-tools.jsonl"),
        [format!("d4 apply_patch: {failed} a.c:")]
    );
    assert_eq!(
        rejected(LogFormat::CODEX, "codex/code-mode.jsonl"),
        [format!("c3 apply_patch: {failed} src/lib.rs:")],
        "a refusal of the guard is not one of them"
    );
}
