//! Calls that the agent rejected by itself: unknown tools, invalid arguments. No hook reports them, but the transcript of
//! the session has them. Only the part that was added since the last event is read.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};

use loopbreak::Action;
use loopbreak_store::{HookState, TranscriptOffset};
use loopbreak_trace::{LogFollower, LogFormat, LogRecord, RecordSink, RejectedCall, SkippedLine};

use crate::hook_request::HookRequest;

/// Number of bytes read at most of a new part, from its end.
const NEW_BYTES: u64 = 4 * 1024 * 1024;
/// Number of bytes before the new part that are searched for the calls whose results are new.
const EARLIER_BYTES: u64 = 256 * 1024;

/// The new part of a transcript.
#[derive(Debug, Default)]
pub(crate) struct TranscriptUpdate {
    /// Calls that the agent rejected by itself.
    pub(crate) rejected: Vec<UnreportedCall>,
    /// Position up to which the transcript has been read.
    pub(crate) offset: Option<TranscriptOffset>,
}

/// A call that no hook reported.
#[derive(Debug)]
pub(crate) struct UnreportedCall {
    pub(crate) id: String,
    pub(crate) action: Action<'static>,
    /// The reason why the agent rejected it.
    pub(crate) reason: String,
}

impl TranscriptUpdate {
    /// Reads the transcript that an event names. Without a readable transcript, nothing is new.
    pub(crate) fn read(request: &HookRequest<'_>, state: &HookState) -> Self {
        let known = state.transcript.as_ref();
        // Events of a subagent name the transcript of the main agent.
        let path = request.event.transcript_path.as_deref().filter(|_| request.event.agent_id.is_none());
        let read = path.map(|path| (path, read_new_part(request.agent.transcript_format(), path, known)));
        let mut update = match read {
            Some((_, Ok(update))) => update,
            // A transcript that does not exist yet is read from its beginning, once it does.
            Some((path, Err(error))) if error.kind() == io::ErrorKind::NotFound && known.is_none() => {
                let offset = Some(TranscriptOffset { path: path.to_owned(), at: 0 });
                return TranscriptUpdate { rejected: Vec::new(), offset };
            }
            _ => return TranscriptUpdate { rejected: Vec::new(), offset: known.cloned() },
        };
        // The calls of the event itself are spelled as in other events, which the transcript does not always do.
        let is_in_event = |id: &str| request.event.tool_calls.iter().any(|call| call.id() == id);
        update.rejected.retain(|call| !state.has_call(&call.id) && !is_in_event(&call.id));
        update
    }
}

/// Returns the exit code of the call that has just ended, for agents whose hooks do not report it but whose transcript has it.
pub(crate) fn exit_code(request: &HookRequest<'_>) -> Option<i64> {
    let (format, call) = (request.agent.transcript_format()?, request.event.call_id());
    let mut file = File::open(request.event.transcript_path.as_deref()?).ok()?;
    let size = file.metadata().ok()?.len();
    let end = read_range(&mut file, size.saturating_sub(EARLIER_BYTES), size).ok()?;
    format.exit_code(&end, &call).filter(|_| !call.is_empty())
}

/// Reads a transcript from the known offset. A transcript that is new, was replaced or became shorter is read from its
/// present end on.
fn read_new_part(
    format: Option<LogFormat>,
    path: &str,
    known: Option<&TranscriptOffset>,
) -> io::Result<TranscriptUpdate> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    let read_up_to = |at: u64, rejected: Vec<UnreportedCall>| TranscriptUpdate {
        rejected,
        offset: Some(TranscriptOffset { path: path.to_owned(), at }),
    };
    let Some(known) = known.filter(|known| known.path == path && known.at <= size) else {
        return Ok(read_up_to(size, Vec::new()));
    };
    let start = known.at.max(size.saturating_sub(NEW_BYTES));
    let mut new = read_range(&mut file, start, size)?;
    // The agent may still be writing the last line.
    new.truncate(new.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1));
    let end = start + new.len() as u64;
    let Some(format) = format.filter(|format| format.may_have_rejected_calls(&new)) else {
        return Ok(read_up_to(end, Vec::new()));
    };
    let earlier = read_range(&mut file, start.saturating_sub(EARLIER_BYTES), start)?;
    let mut follower = LogFollower::new(format);
    follower.push(0, &earlier, &mut RejectedCalls::default());
    let mut rejected = RejectedCalls::default();
    follower.push(0, &new, &mut rejected);
    Ok(read_up_to(end, rejected.0))
}

fn read_range(file: &mut File, from: u64, to: u64) -> io::Result<Vec<u8>> {
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

    const CALL: &str = r#"{"type":"assistant","isSidechain":false,"message":{"role":"assistant","content":[{"type":"text","text":"I edit it"},{"type":"tool_use","id":"toolu_1","name":"Edit","input":{"file":"a.c"}}]}}"#;
    const RESULT: &str = r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"<tool_use_error>InputValidationError: Edit failed: file_path is missing</tool_use_error>","is_error":true,"tool_use_id":"toolu_1"}]}}"#;

    fn offset(file: &tempfile::NamedTempFile, at: u64) -> TranscriptOffset {
        TranscriptOffset { path: file.path().to_str().unwrap().to_owned(), at }
    }

    fn read(format: Option<LogFormat>, file: &tempfile::NamedTempFile, at: u64) -> TranscriptUpdate {
        read_new_part(format, file.path().to_str().unwrap(), Some(&offset(file, at))).unwrap()
    }

    #[test]
    fn a_rejected_call_is_read_once_and_with_its_arguments() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "{CALL}").unwrap();
        let before = file.as_file().metadata().unwrap().len();
        write!(file, "{RESULT}").unwrap();
        // The call was written before the last event, and the line of the result is not complete.
        let unfinished = read(Some(LogFormat::CLAUDE_CODE), &file, before);
        assert!(unfinished.rejected.is_empty());
        assert_eq!(unfinished.offset, Some(offset(&file, before)));
        writeln!(file).unwrap();
        let update = read(Some(LogFormat::CLAUDE_CODE), &file, before);
        let [call] = &update.rejected[..] else { panic!("{update:?}") };
        assert_eq!((call.id.as_str(), &*call.action.line()), ("toolu_1", r#"Edit {"file":"a.c"}"#));
        assert_eq!(call.reason, "InputValidationError: Edit failed: file_path is missing");
        let again = read(Some(LogFormat::CLAUDE_CODE), &file, update.offset.unwrap().at);
        assert!(again.rejected.is_empty());
    }

    #[test]
    fn other_results_and_broken_lines_are_ignored() {
        let sibling = RESULT.replace("InputValidationError", "Sibling tool call errored");
        let sidechain = RESULT.replace("{\"type\":\"user\"", "{\"isSidechain\":true,\"type\":\"user\"");
        let success = RESULT.replace("\"is_error\":true", "\"is_error\":false");
        for line in [&sibling, &sidechain, &success, "not json <tool_use_error>", "\u{0}", "[]"] {
            let mut file = tempfile::NamedTempFile::new().unwrap();
            writeln!(file, "{CALL}\n{line}").unwrap();
            file.write_all(b"\xff<tool_use_error>\n").unwrap();
            assert!(read(Some(LogFormat::CLAUDE_CODE), &file, 0).rejected.is_empty(), "{line}");
        }
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "{CALL}\n{RESULT}").unwrap();
        assert!(read(None, &file, 0).rejected.is_empty());
    }

    #[test]
    fn a_transcript_that_is_new_or_became_shorter_is_read_from_its_end_on() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "{CALL}\n{RESULT}").unwrap();
        let size = file.as_file().metadata().unwrap().len();
        let path = file.path().to_str().unwrap();
        let other = TranscriptOffset { path: "other".into(), at: 0 };
        for known in [None, Some(offset(&file, size + 1)), Some(other)] {
            let update = read_new_part(Some(LogFormat::CLAUDE_CODE), path, known.as_ref()).unwrap();
            assert!(update.rejected.is_empty(), "{known:?}");
            assert_eq!(update.offset, Some(offset(&file, size)), "{known:?}");
        }
        assert!(read_new_part(Some(LogFormat::CLAUDE_CODE), "/nowhere.jsonl", None).is_err());
    }

    #[test]
    fn codex_rejects_tools_that_it_does_not_know() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        for line in [
            r#"{"type":"response_item","payload":{"type":"function_call","name":"run","arguments":"{\"cmd\":\"ls\"}","call_id":"c1"}}"#,
            r#"{"type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"unsupported call: run"}}"#,
            r#"{"type":"response_item","payload":{"type":"function_call","name":"cat","arguments":"{}","call_id":"c2"}}"#,
            r#"{"type":"response_item","payload":{"type":"function_call_output","call_id":"c2","output":"it said: unsupported call: x"}}"#,
        ] {
            writeln!(file, "{line}").unwrap();
        }
        let update = read(Some(LogFormat::CODEX), &file, 0);
        assert_eq!(update.rejected.len(), 1);
        assert_eq!(&*update.rejected[0].action.line(), r#"run {"cmd":"ls"}"#);
    }
}
