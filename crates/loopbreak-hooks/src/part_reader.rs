//! Reads the new part of a transcript, and finds the calls that the agent rejected by itself.

use std::io::{self, Read, Seek, SeekFrom};
use std::time::Instant;

use loopbreak::Action;
use loopbreak_trace::{LogFollower, LogFormat, LogRecord, RecordSink, RejectedCall, SkippedLine};

use crate::hook_budget::has_passed;

/// Number of bytes read at a time. An event that stops in the middle of a part reads the rest for nothing.
const PART_BYTES: u64 = 128 * 1024;
/// Longest line that is read.
const LINE_BYTES: u64 = 1024 * 1024;
/// Number of bytes read at most for one event. The next event goes on there.
const NEW_BYTES: u64 = 4 * 1024 * 1024;
/// Number of unread bytes above which the oldest are skipped: nobody needs advice about calls of yesterday.
const MAX_BACKLOG: u64 = 64 * 1024 * 1024;
/// Number of bytes before the new part that are searched for the calls whose results are new.
pub(crate) const EARLIER_BYTES: u64 = 256 * 1024;
/// Number of rejected calls that are taken at once.
pub(crate) const MAX_REJECTED: usize = 64;

/// A call that no hook reported.
#[derive(Clone, Debug)]
pub(crate) struct UnreportedCall {
    pub(crate) id: String,
    pub(crate) action: Action<'static>,
    /// The reason why the agent rejected it.
    pub(crate) reason: String,
}

/// Reads the rejected calls from an offset on, as far as the limits allow. Returns them and the offset up to which was read.
///
/// Every line is parsed once, beside the lines before a part that are searched for its calls. To search the transcript for the call
/// of each result would take a time that grows with the square of their number.
pub(crate) fn read_calls(
    file: &mut (impl Read + Seek),
    size: u64,
    mut at: u64,
    format: Option<LogFormat>,
    deadline: Option<Instant>,
) -> io::Result<(Vec<UnreportedCall>, u64)> {
    if size - at > MAX_BACKLOG {
        at = size - NEW_BYTES;
    }
    let end = size.min(at + NEW_BYTES);
    let mut reader = PartReader { file, size, format, deadline, follower: None };
    let mut rejected = RejectedCalls::default();
    while at < end {
        let read = reader.read(at, &mut rejected)?;
        at += read;
        if read == 0 || rejected.0.len() >= MAX_REJECTED || has_passed(deadline) {
            break;
        }
    }
    Ok((rejected.0, at))
}

/// Reads a transcript part by part.
struct PartReader<'f, F> {
    file: &'f mut F,
    size: u64,
    format: Option<LogFormat>,
    deadline: Option<Instant>,
    /// The reader of the format, and the offset that it has reached.
    follower: Option<(LogFollower, u64)>,
}

impl<F: Read + Seek> PartReader<'_, F> {
    /// Reads the lines of one part. Returns the number of bytes that are done.
    fn read(&mut self, start: u64, rejected: &mut RejectedCalls) -> io::Result<u64> {
        let mut part = Vec::new();
        for length in [PART_BYTES, LINE_BYTES] {
            part = read_range(self.file, start, self.size.min(start + length))?;
            if part.contains(&b'\n') || (part.len() as u64) < length {
                break;
            }
        }
        match part.iter().rposition(|byte| *byte == b'\n') {
            Some(end) => part.truncate(end + 1),
            // A line that is too long is skipped. The rest of it is not valid by itself.
            None if part.len() as u64 == LINE_BYTES => return Ok(LINE_BYTES),
            // The agent may still be writing the last line.
            None => return Ok(0),
        }
        let Some(format) = self.format.filter(|format| format.may_have_rejected_calls(&part)) else {
            return Ok(part.len() as u64);
        };
        let mut follower = match self.follower.take() {
            Some((follower, end)) if end == start => follower,
            _ => {
                let earlier = read_range(self.file, start.saturating_sub(EARLIER_BYTES), start)?;
                let mut follower = LogFollower::new(format);
                follower.push(0, &earlier, &mut RejectedCalls::default());
                follower
            }
        };
        let mut done = 0;
        for line in part.split_inclusive(|byte| *byte == b'\n') {
            follower.push(0, line, rejected);
            done += line.len() as u64;
            if rejected.0.len() >= MAX_REJECTED || has_passed(self.deadline) {
                break;
            }
        }
        self.follower = Some((follower, start + done));
        Ok(done)
    }
}

/// Reads a range of a file.
pub(crate) fn read_range(file: &mut (impl Read + Seek), from: u64, to: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(from))?;
    file.take(to.saturating_sub(from)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Collects the rejected calls of the main agent. Subagents have their own guards.
#[derive(Default)]
struct RejectedCalls(Vec<UnreportedCall>);

impl RecordSink for RejectedCalls {
    fn record(&mut self, _: &LogRecord<'_>) {}

    fn rejected_call(&mut self, call: &RejectedCall<'_>) {
        if call.agent.is_none() {
            self.0.push(UnreportedCall {
                id: call.id.to_owned(),
                action: call.action.clone().into_owned(),
                reason: call.reason.to_owned(),
            });
        }
    }

    fn skipped(&mut self, _: SkippedLine) {}
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    const CALL: &str = r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"Edit","input":{"file":"a.c"}}]}}"#;
    const RESULT: &str = r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"<tool_use_error>bad</tool_use_error>","is_error":true,"tool_use_id":"toolu_1"}]}}"#;

    /// A file that counts the bytes which are read from it.
    struct CountedFile {
        file: std::fs::File,
        bytes: u64,
    }

    impl Read for CountedFile {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let read = self.file.read(out)?;
            self.bytes += read as u64;
            Ok(read)
        }
    }

    impl Seek for CountedFile {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.file.seek(to)
        }
    }

    /// Returns how many bytes all events together read of a transcript, and the number of calls they find.
    fn read_to_the_end(text: &str) -> (u64, usize) {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let mut counted = CountedFile { file, bytes: 0 };
        let (mut at, mut found, size) = (0, 0, text.len() as u64);
        while at < size {
            let format = Some(LogFormat::CLAUDE_CODE);
            let (calls, end) = read_calls(&mut counted, size, at, format, None).unwrap();
            assert!(end > at);
            (at, found) = (end, found + calls.len());
        }
        (counted.bytes, found)
    }

    /// For each result, its call was searched in the whole transcript: 8,000 results without calls took 15 seconds, and 16,000
    /// four times as long.
    #[test]
    fn four_times_as_many_rejected_results_are_four_times_the_work() {
        let lines = |count: usize, with_calls: bool| -> String {
            let line = |number: usize| {
                let id = format!("toolu_{number:06}");
                let call = if with_calls { CALL.replace("toolu_1", &id) + "\n" } else { String::new() };
                format!("{call}{}\n", RESULT.replace("toolu_1", &id))
            };
            (0..count).map(line).collect()
        };
        for with_calls in [false, true] {
            let [some, many] = [2_000, 8_000].map(|count| {
                let (bytes, found) = read_to_the_end(&lines(count, with_calls));
                assert_eq!(found, if with_calls { count } else { 0 });
                bytes as f64
            });
            // The first event has nothing before it, so its share is smaller.
            assert!(many / some < 4.8, "{some} and {many} bytes, with calls: {with_calls}");
        }
    }
}
