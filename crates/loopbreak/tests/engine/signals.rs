//! Builders and checks for the tests that are named after complaints: records as logs have them, and the turns of
//! the first warning and the first hard finding of any detector.

use crate::steps::{RunDriver, call, played};
use loopbreak::Severity;
use serde_json::{Value, json};

/// Returns the first turn at which any detector made a finding of at least this severity.
fn first_of(run: &RunDriver, severity: Severity) -> Option<u64> {
    let all = run.verdicts.iter().flat_map(|verdict| &verdict.findings);
    all.filter(|finding| finding.severity >= severity).map(|finding| finding.turn).min()
}

/// Returns the turn of the first warning or hard finding of any detector.
pub(crate) fn first_warning(run: &RunDriver) -> Option<u64> {
    first_of(run, Severity::Warn)
}

/// Returns the turn of the first hard finding of any detector.
pub(crate) fn first_hard(run: &RunDriver) -> Option<u64> {
    first_of(run, Severity::Hard)
}

/// Lists the findings of a run that are more than hints, for the message of a failed test.
fn listed(run: &RunDriver) -> String {
    let all = run.verdicts.iter().flat_map(|verdict| &verdict.findings);
    let bad = all.filter(|finding| finding.severity >= Severity::Warn);
    let lines = bad.map(|finding| {
        format!("turn {}: {:?} {:?} {:?}", finding.turn, finding.severity, finding.detector, finding.pattern)
    });
    lines.take(12).collect::<Vec<_>>().join("\n")
}

/// Checks that there is a warning no later than at this turn.
#[track_caller]
pub(crate) fn assert_warned(run: &RunDriver, warned_by: u64) {
    let warned = first_warning(run);
    assert!(
        warned.is_some_and(|turn| turn <= warned_by),
        "warned at {warned:?}, not by {warned_by}\n{}",
        listed(run)
    );
}

/// Checks that there is a warning and a hard finding, each no later than at its turn.
#[track_caller]
pub(crate) fn assert_broken(run: &RunDriver, warned_by: u64, hard_by: u64) {
    assert_warned(run, warned_by);
    let hard = first_hard(run);
    assert!(hard.is_some_and(|turn| turn <= hard_by), "hard at {hard:?}, not by {hard_by}\n{}", listed(run));
}

/// Plays a healthy beginning and then rounds of steps, and checks that there is a warning by the end of one round
/// and a hard finding by the end of another. Rounds count from 1.
#[track_caller]
pub(crate) fn assert_rounds_broken(
    lead: Vec<Value>,
    rounds: impl IntoIterator<Item = Vec<Value>>,
    warned_by: usize,
    hard_by: usize,
) {
    let rounds: Vec<Vec<Value>> = rounds.into_iter().collect();
    let start = lead.len();
    let end_of = |round: usize| (start + rounds[..round].iter().map(Vec::len).sum::<usize>()) as u64;
    let (warned_by, hard_by) = (end_of(warned_by), end_of(hard_by));
    let run = played(lead.into_iter().chain(rounds.into_iter().flatten()));
    assert!(first_warning(&run).is_none_or(|turn| turn > start as u64), "the beginning\n{}", listed(&run));
    assert_broken(&run, warned_by, hard_by);
}

/// Checks that a run has no finding above a hint.
#[track_caller]
pub(crate) fn assert_healthy(run: &RunDriver) {
    assert_eq!(first_warning(run), None, "\n{}", listed(run));
}

/// Plays a run and checks that it has no finding above a hint.
#[track_caller]
pub(crate) fn assert_spared(records: impl IntoIterator<Item = Value>) {
    assert_healthy(&played(records));
}

/// Returns a call that the log marks as successful.
pub(crate) fn worked(name: &str, args: &Value, reply: &str) -> Value {
    json!({"action": {"name": name, "args": args}, "outcome": {"text": reply, "error": false}})
}

/// Returns a shell command with its exit code.
pub(crate) fn ran(command: &str, exit: i64, output: &str) -> Value {
    json!({
        "action": {"name": "bash", "args": {"command": command}},
        "outcome": {"text": output, "exit": exit, "error": exit != 0},
    })
}

/// Returns a call of which the log has no outcome.
pub(crate) fn unanswered(name: &str, args: &Value) -> Value {
    json!({"action": {"name": name, "args": args}})
}

/// Returns an edit that replaces one text by another and succeeds.
pub(crate) fn edited(path: &str, old: &str, new: &str) -> Value {
    let args = json!({"file_path": path, "old_string": old, "new_string": new});
    worked("edit", &args, &format!("The file {path} has been updated."))
}

/// Returns a reading of a file, whose content depends on its path and its version.
pub(crate) fn read(path: &str, version: usize) -> Value {
    let content =
        format!("// {path}\nuse crate::prelude::*;\n\npub const REVISION: &str = \"r{version}\";\n");
    worked("read_file", &json!({"path": path}), &content)
}

/// Returns a message of the agent.
pub(crate) fn said(text: &str) -> Value {
    json!({"say": text})
}

/// Returns the record with words of the agent.
pub(crate) fn announced(mut record: Value, words: &str) -> Value {
    record["say"] = json!(words);
    record
}

/// Returns the record of a subagent.
pub(crate) fn by(agent: &str, mut record: Value) -> Value {
    record["agent"] = json!(agent);
    record
}

/// Returns the record as one of several calls that one message made in parallel.
pub(crate) fn in_batch(batch: &str, mut record: Value) -> Value {
    record["batch"] = json!(batch);
    record
}

/// Returns the records with times, these milliseconds apart and a little more or less.
pub(crate) fn timed(records: impl IntoIterator<Item = Value>, apart: u64) -> Vec<Value> {
    let mut at = 1_778_000_000_000_u64;
    let mut number = 0;
    let stamp = |mut record: Value| {
        number += 1;
        at += apart + apart * (number * 7 % 5) / 40;
        record["at"] = json!(at);
        record
    };
    records.into_iter().map(stamp).collect()
}

/// Returns rounds of records with times, as [`timed`] gives them.
pub(crate) fn timed_rounds(rounds: Vec<Vec<Value>>, apart: u64) -> Vec<Vec<Value>> {
    let lengths: Vec<usize> = rounds.iter().map(Vec::len).collect();
    let mut records = timed(rounds.into_iter().flatten(), apart).into_iter();
    lengths.into_iter().map(|length| records.by_ref().take(length).collect()).collect()
}

/// Returns the record with which a harness sends its agent on.
pub(crate) fn continuation() -> Value {
    json!({"harness": "continuation"})
}

/// Returns the record of a compaction.
pub(crate) fn compaction() -> Value {
    json!({"harness": "compaction"})
}

/// Returns the record of a background job that ended.
pub(crate) fn notification() -> Value {
    json!({"harness": "notification"})
}

/// Returns an id of eight characters, letters and digits, that differs for every number.
pub(crate) fn fresh(number: u64) -> String {
    let mixed = (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    format!("{:03x}a{:03x}{}", (mixed >> 52) & 0xfff, (mixed >> 36) & 0xfff, mixed % 10)
}

/// Returns a UUID that differs for every number.
pub(crate) fn fresh_uuid(number: u64) -> String {
    let mixed = (number + 1).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    let tail = mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) & 0xffff_ffff_ffff;
    format!(
        "{:08x}-{:04x}-4{:03x}-a{:03x}-{tail:012x}",
        mixed >> 32,
        mixed & 0xffff,
        mixed >> 52,
        number & 0xfff
    )
}

/// Returns a call and its reply as JSON text.
pub(crate) fn answered(name: &str, args: &Value, reply: &Value) -> Value {
    call(name, args, &reply.to_string())
}
