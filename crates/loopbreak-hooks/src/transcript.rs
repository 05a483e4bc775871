//! Calls that the agent rejected by itself: unknown tools, invalid arguments. No hook reports them, but the transcript of
//! the session has them. Only the part that was added since the last event is read.

use std::cell::OnceCell;
use std::io;
use std::path::Path;
use std::time::Instant;

use loopbreak_store::{HookState, TranscriptCost, TranscriptOffset, open_regular_file};
use loopbreak_trace::LogFormat;

use crate::hook_request::HookRequest;
use crate::part_reader::{EARLIER_BYTES, UnreportedCall, read_calls, read_range};
use crate::transcript_costs::CostUpdate;

/// Reads the transcript of one event, at most once: before the store is locked, because a disk may be slow.
#[derive(Debug, Default)]
pub(crate) struct TranscriptReader {
    /// Time after which no more is read.
    deadline: Option<Instant>,
    /// True for an event that waited in the queue: the transcript has gone on since.
    is_late: bool,
    /// The offset that was read from, and what was found there.
    read: OnceCell<(Option<TranscriptOffset>, TranscriptUpdate)>,
    exit_code: OnceCell<Option<i64>>,
    costs: OnceCell<ReadCosts>,
}

/// The costs that were known, and those after the new part.
type ReadCosts = (Option<TranscriptCost>, Option<CostUpdate>);

impl TranscriptReader {
    /// Creates a reader that stops at a deadline.
    pub(crate) fn until(deadline: Option<Instant>) -> Self {
        TranscriptReader { deadline, ..TranscriptReader::default() }
    }

    /// Creates a reader for an event that waited in the queue. It finds exit codes, and no rejected calls.
    pub(crate) fn for_late_event() -> Self {
        TranscriptReader { is_late: true, ..TranscriptReader::default() }
    }

    /// Returns the time after which no more is read.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Returns what was read of the costs. An event that waited in the queue reads none.
    pub(crate) fn costs(&self, read: impl FnOnce() -> ReadCosts) -> Option<&ReadCosts> {
        (!self.is_late).then(|| self.costs.get_or_init(read))
    }

    /// Returns the exit code of the call that has just ended, for agents whose hooks do not report it but whose transcript has
    /// it.
    pub(crate) fn exit_code(&self, request: &HookRequest<'_>) -> Option<i64> {
        *self.exit_code.get_or_init(|| find_exit_code(request))
    }
}

/// The new part of a transcript.
#[derive(Clone, Debug, Default)]
pub(crate) struct TranscriptUpdate {
    /// Calls that the agent rejected by itself.
    pub(crate) rejected: Vec<UnreportedCall>,
    /// Position up to which the transcript has been read.
    pub(crate) offset: Option<TranscriptOffset>,
}

impl TranscriptUpdate {
    /// Reads the transcript that an event names. Without a readable transcript, nothing is new.
    pub(crate) fn read(request: &HookRequest<'_>, state: &HookState) -> Self {
        let known = state.transcript.as_ref();
        let unread = || TranscriptUpdate { rejected: Vec::new(), offset: known.cloned() };
        if request.transcript.is_late {
            return unread();
        }
        let (from, update) = request
            .transcript
            .read
            .get_or_init(|| (known.cloned(), TranscriptUpdate::read_file(request, known)));
        if from.as_ref() != known {
            // Another hook of the session has read on meanwhile. The next event goes on where it stopped.
            return unread();
        }
        let mut update = update.clone();
        // The calls of the event itself are spelled as in other events, which the transcript does not always do.
        let is_in_event = |id: &str| request.event.tool_calls.iter().any(|call| call.id() == id);
        update.rejected.retain(|call| !state.has_call(&call.id) && !is_in_event(&call.id));
        update
    }

    fn read_file(request: &HookRequest<'_>, known: Option<&TranscriptOffset>) -> Self {
        // Events of a subagent name the transcript of the main agent.
        let path = request.event.transcript_path.as_deref().filter(|_| request.event.agent_id.is_none());
        let format = request.agent.transcript_format();
        let read = path.map(|path| (path, read_new_part(format, path, known, request.transcript.deadline)));
        match read {
            Some((_, Ok(update))) => update,
            // A transcript that does not exist yet is read from its beginning, once it does.
            Some((path, Err(error))) if error.kind() == io::ErrorKind::NotFound && known.is_none() => {
                let offset = Some(TranscriptOffset { path: path.to_owned(), at: 0 });
                TranscriptUpdate { rejected: Vec::new(), offset }
            }
            _ => TranscriptUpdate { rejected: Vec::new(), offset: known.cloned() },
        }
    }
}

fn find_exit_code(request: &HookRequest<'_>) -> Option<i64> {
    let (format, call) = (request.agent.transcript_format()?, request.event.call_id());
    let mut file = open_regular_file(Path::new(request.event.transcript_path.as_deref()?)).ok()?;
    let size = file.metadata().ok()?.len();
    let end = read_range(&mut file, size.saturating_sub(EARLIER_BYTES), size).ok()?;
    format.exit_code(&end, &call).filter(|_| !call.is_empty())
}

/// Reads a transcript from the known offset on, as far as the limits allow. A transcript that is new, was replaced or became
/// shorter is read from its present end on.
fn read_new_part(
    format: Option<LogFormat>,
    path: &str,
    known: Option<&TranscriptOffset>,
    deadline: Option<Instant>,
) -> io::Result<TranscriptUpdate> {
    let mut file = open_regular_file(Path::new(path))?;
    let size = file.metadata()?.len();
    let known = known.filter(|known| known.path == path && known.at <= size);
    let (rejected, at) = read_calls(&mut file, size, known.map_or(size, |known| known.at), format, deadline)?;
    Ok(TranscriptUpdate { rejected, offset: Some(TranscriptOffset { path: path.to_owned(), at }) })
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::part_reader::MAX_REJECTED;

    const CALL: &str = r#"{"type":"assistant","isSidechain":false,"message":{"role":"assistant","content":[{"type":"text","text":"I edit it"},{"type":"tool_use","id":"toolu_1","name":"Edit","input":{"file":"a.c"}}]}}"#;
    const RESULT: &str = r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"<tool_use_error>InputValidationError: Edit failed: file_path is missing</tool_use_error>","is_error":true,"tool_use_id":"toolu_1"}]}}"#;

    fn offset(file: &tempfile::NamedTempFile, at: u64) -> TranscriptOffset {
        TranscriptOffset { path: file.path().to_str().unwrap().to_owned(), at }
    }

    fn read(format: Option<LogFormat>, file: &tempfile::NamedTempFile, at: u64) -> TranscriptUpdate {
        read_new_part(format, file.path().to_str().unwrap(), Some(&offset(file, at)), None).unwrap()
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
            let update = read_new_part(Some(LogFormat::CLAUDE_CODE), path, known.as_ref(), None).unwrap();
            assert!(update.rejected.is_empty(), "{known:?}");
            assert_eq!(update.offset, Some(offset(&file, size)), "{known:?}");
        }
        assert!(read_new_part(Some(LogFormat::CLAUDE_CODE), "/nowhere.jsonl", None, None).is_err());
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

    /// Returns a transcript with this many rejected calls.
    fn many_rejected(count: usize) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        for number in 0..count {
            let id = format!("toolu_{number}_x");
            writeln!(file, "{}\n{}", CALL.replace("toolu_1", &id), RESULT.replace("toolu_1", &id)).unwrap();
        }
        file
    }

    /// All of them at once took longer than an agent waits, and the next event began again at the same place.
    #[test]
    fn many_rejected_calls_are_read_in_bounded_parts_that_make_progress() {
        let file = many_rejected(500);
        let (mut at, mut found, mut parts) = (0, Vec::new(), 0);
        let size = file.as_file().metadata().unwrap().len();
        while at < size {
            let update = read(Some(LogFormat::CLAUDE_CODE), &file, at);
            assert!((1..=MAX_REJECTED).contains(&update.rejected.len()));
            found.extend(update.rejected.into_iter().map(|call| call.id));
            at = update.offset.unwrap().at;
            parts += 1;
        }
        let expected: Vec<String> = (0..500).map(|number| format!("toolu_{number}_x")).collect();
        assert_eq!((found, parts), (expected, 500_usize.div_ceil(MAX_REJECTED)));
    }

    #[test]
    fn a_part_that_takes_too_long_is_continued_by_the_next_event() {
        let file = many_rejected(3);
        let path = file.path().to_str().unwrap();
        let (mut at, mut found) = (0, 0);
        for _ in 0..6 {
            let update = read_new_part(
                Some(LogFormat::CLAUDE_CODE),
                path,
                Some(&offset(&file, at)),
                Some(Instant::now()),
            );
            let update = update.unwrap();
            found += update.rejected.len();
            assert!(update.offset.as_ref().unwrap().at > at, "one line at least");
            at = update.offset.unwrap().at;
        }
        assert_eq!((found, at), (3, file.as_file().metadata().unwrap().len()));
    }

    #[test]
    fn a_line_that_is_longer_than_a_part_is_skipped() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "{{\"image\":\"{}\"}}\n{CALL}\n{RESULT}", "x".repeat(2_500_000)).unwrap();
        let update = read(Some(LogFormat::CLAUDE_CODE), &file, 0);
        assert_eq!(update.rejected.len(), 1);
        assert_eq!(update.offset.unwrap().at, file.as_file().metadata().unwrap().len());
    }

    /// Opening a pipe would wait for a writer.
    #[cfg(unix)]
    #[test]
    fn a_transcript_that_is_a_pipe_or_a_device_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for path in [pipe.to_str().unwrap(), "/dev/zero", folder.path().to_str().unwrap()] {
            assert!(read_new_part(Some(LogFormat::CLAUDE_CODE), path, None, None).is_err(), "{path}");
        }
    }
}
