//! Calls that the agent's own validation rejected: unknown tools, wrong arguments. No hook is told of them, but they
//! stand in the conversation that the agent writes down. What was added to it since the last look is read.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use loopbreak::step::ActionArgs;
use loopbreak::{Action, StepText};
use loopbreak_store::TranscriptOffset;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::HookAgent;

/// How much of what is new is read, from its end.
const NEW_BYTES: u64 = 4 * 1024 * 1024;
/// How far back a call is looked for whose result is new.
const BACK_BYTES: u64 = 256 * 1024;

/// A call that was rejected before it was made.
#[derive(Debug)]
pub(crate) struct RejectedCall {
    /// The name under which a hook would have been told of it.
    pub(crate) id: String,
    pub(crate) action: Action<'static>,
    pub(crate) why: String,
}

/// Reads on from the mark. Gives the calls that were rejected, and the new mark. A conversation that was not looked at
/// before, or is another one now, is read from its present end on.
pub(crate) fn read_on(
    dialect: HookAgent,
    path: &str,
    mark: Option<&TranscriptOffset>,
) -> io::Result<(Vec<RejectedCall>, TranscriptOffset)> {
    let mut file = File::open(Path::new(path))?;
    let size = file.metadata()?.len();
    let here = |at: u64| TranscriptOffset { path: path.to_owned(), at };
    let Some(from) = mark.filter(|mark| mark.path == path && mark.at <= size).map(|mark| mark.at) else {
        return Ok((Vec::new(), here(size)));
    };
    let start = from.max(size.saturating_sub(NEW_BYTES));
    let new = part(&mut file, start, size)?;
    // The last line may still be written.
    let whole = new.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let mark = here(start + whole as u64);
    let mut rejected = Vec::new();
    let lines =
        || new[..whole].split(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
    let mut before: Option<Vec<u8>> = None;
    for (id, why) in lines().flat_map(|line| rejections(dialect, line)) {
        let mut action = lines().find_map(|line| call(dialect, line, &id));
        if action.is_none() {
            if before.is_none() {
                before = Some(part(&mut file, start.saturating_sub(BACK_BYTES), start)?);
            }
            let old = before.as_deref().unwrap_or_default().split(|byte| *byte == b'\n');
            let mut old = old.filter_map(|line| std::str::from_utf8(line).ok());
            action = old.find_map(|line| call(dialect, line, &id));
        }
        rejected.extend(action.map(|action| RejectedCall { id, action, why }));
    }
    Ok((rejected, mark))
}

fn part(file: &mut File, from: u64, to: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(from))?;
    file.take(to.saturating_sub(from)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The results of rejected calls on a line: which call, and why.
fn rejections(dialect: HookAgent, line: &str) -> Vec<(String, String)> {
    match dialect {
        HookAgent::ClaudeCode if line.contains(CLAUDE_MARK) => {
            let blocks = claude_blocks(line);
            let results = blocks.iter().filter(|block| &*block.kind == "tool_result" && block.is_error);
            let told = results.filter_map(|block| {
                let why = block.content.map(crate::tool_outcome::text_of)?;
                let why =
                    why.trim().strip_prefix(CLAUDE_MARK)?.trim_end_matches("</tool_use_error>").to_owned();
                // These were never judged: another call beside them failed, or the user stopped them.
                let judged = !NOT_JUDGED.iter().any(|start| why.starts_with(start));
                judged.then(|| (block.tool_use_id.to_string(), why))
            });
            told.collect()
        }
        HookAgent::Codex if CODEX_MARKS.iter().any(|mark| line.contains(mark)) => {
            let Some(payload) = codex_payload(line, "function_call_output") else { return Vec::new() };
            let why = payload.output.map(crate::tool_outcome::text_of).unwrap_or_default();
            let rejected = CODEX_MARKS.iter().any(|mark| why.starts_with(mark));
            rejected.then(|| (payload.call_id.to_string(), why)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// The call of this id, if it stands on this line.
fn call(dialect: HookAgent, line: &str, id: &str) -> Option<Action<'static>> {
    if !line.contains(id) {
        return None;
    }
    match dialect {
        HookAgent::ClaudeCode => {
            let blocks = claude_blocks(line);
            let block = blocks.iter().find(|block| &*block.kind == "tool_use" && &*block.id == id)?;
            Some(action(&block.name, block.input))
        }
        HookAgent::Codex => {
            let payload = codex_payload(line, "function_call").filter(|payload| &*payload.call_id == id)?;
            // Arguments are a text of JSON, unless the model wrote something else.
            let text: Option<String> = payload.arguments.and_then(|raw| serde_json::from_str(raw.get()).ok());
            let inner = text.and_then(|text| RawValue::from_string(text).ok());
            Some(action(&payload.name, inner.as_deref().or(payload.arguments)))
        }
        HookAgent::Gemini => None,
    }
}

fn action(name: &str, input: Option<&RawValue>) -> Action<'static> {
    let mut action = Action::new(name);
    action.args = input.map(ActionArgs::from);
    action.into_owned()
}

/// How Claude Code begins the result of a call that it rejected.
const CLAUDE_MARK: &str = "<tool_use_error>";
const NOT_JUDGED: [&str; 3] = ["Sibling tool call", "Cancelled", "Request cancelled"];
/// How Codex CLI does.
const CODEX_MARKS: [&str; 2] = ["unsupported call: ", "failed to parse function arguments"];

#[derive(Default, Deserialize)]
#[serde(default)]
struct ClaudeLine<'a> {
    #[serde(rename = "isSidechain")]
    sidechain: bool,
    #[serde(borrow)]
    message: Option<ClaudeMessage<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ClaudeMessage<'a> {
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ClaudeBlock<'a> {
    #[serde(borrow, rename = "type")]
    kind: StepText<'a>,
    #[serde(borrow)]
    id: StepText<'a>,
    #[serde(borrow)]
    name: StepText<'a>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_use_id: StepText<'a>,
    is_error: bool,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

/// The blocks of a message on a line; none of a subagent's, which has a guard of its own.
fn claude_blocks(line: &str) -> Vec<ClaudeBlock<'_>> {
    let read = serde_json::from_str::<ClaudeLine<'_>>(line).ok().filter(|read| !read.sidechain);
    let content = read.and_then(|read| read.message?.content);
    content.and_then(|content| serde_json::from_str(content.get()).ok()).unwrap_or_default()
}

#[derive(Deserialize)]
struct CodexLine<'a> {
    #[serde(borrow)]
    payload: CodexPayload<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CodexPayload<'a> {
    #[serde(borrow, rename = "type")]
    kind: StepText<'a>,
    #[serde(borrow)]
    call_id: StepText<'a>,
    #[serde(borrow)]
    name: StepText<'a>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
}

fn codex_payload<'a>(line: &'a str, kind: &str) -> Option<CodexPayload<'a>> {
    let read: CodexLine<'a> = serde_json::from_str(line).ok()?;
    Some(read.payload).filter(|payload| &*payload.kind == kind)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    const CALL: &str = r#"{"type":"assistant","isSidechain":false,"message":{"role":"assistant","content":[{"type":"text","text":"I edit it"},{"type":"tool_use","id":"toolu_1","name":"Edit","input":{"file":"a.c"}}]}}"#;
    const RESULT: &str = r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"<tool_use_error>InputValidationError: Edit failed: file_path is missing</tool_use_error>","is_error":true,"tool_use_id":"toolu_1"}]}}"#;

    fn mark(file: &tempfile::NamedTempFile, at: u64) -> TranscriptOffset {
        TranscriptOffset { path: file.path().to_str().unwrap().to_owned(), at }
    }

    fn read(
        dialect: HookAgent,
        file: &tempfile::NamedTempFile,
        at: u64,
    ) -> (Vec<RejectedCall>, TranscriptOffset) {
        read_on(dialect, file.path().to_str().unwrap(), Some(&mark(file, at))).unwrap()
    }

    #[test]
    fn a_rejected_call_is_read_once_with_what_was_asked_for() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "{CALL}").unwrap();
        let before = file.as_file().metadata().unwrap().len();
        write!(file, "{RESULT}").unwrap();
        // The call was written before the last look, and the result is not whole yet.
        let (none, at) = read(HookAgent::ClaudeCode, &file, before);
        assert!(none.is_empty() && at == mark(&file, before));
        writeln!(file).unwrap();
        let (rejected, after) = read(HookAgent::ClaudeCode, &file, before);
        assert_eq!(rejected.len(), 1);
        assert_eq!(
            (rejected[0].id.as_str(), &*rejected[0].action.line()),
            ("toolu_1", r#"Edit {"file":"a.c"}"#)
        );
        assert_eq!(rejected[0].why, "InputValidationError: Edit failed: file_path is missing");
        let (again, _) = read_on(HookAgent::ClaudeCode, file.path().to_str().unwrap(), Some(&after)).unwrap();
        assert!(again.is_empty());
    }

    #[test]
    fn what_is_no_rejection_is_passed_over() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let sibling = RESULT.replace("InputValidationError", "Sibling tool call errored");
        let side = RESULT.replace("{\"type\":\"user\"", "{\"isSidechain\":true,\"type\":\"user\"");
        let well = RESULT.replace("\"is_error\":true", "\"is_error\":false");
        for line in [CALL, &sibling, &side, &well, "not json <tool_use_error>", "\u{0}", "[]"] {
            writeln!(file, "{line}").unwrap();
        }
        file.write_all(b"\xff<tool_use_error>\n").unwrap();
        assert!(read(HookAgent::ClaudeCode, &file, 0).0.is_empty());
        assert!(read(HookAgent::Gemini, &file, 0).0.is_empty());
    }

    #[test]
    fn a_conversation_that_is_new_or_became_shorter_is_read_from_its_end_on() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "{CALL}\n{RESULT}").unwrap();
        let size = file.as_file().metadata().unwrap().len();
        let path = file.path().to_str().unwrap();
        for known in
            [None, Some(mark(&file, size + 1)), Some(TranscriptOffset { path: "other".into(), at: 0 })]
        {
            let (rejected, at) = read_on(HookAgent::ClaudeCode, path, known.as_ref()).unwrap();
            assert!(rejected.is_empty() && at == mark(&file, size), "{known:?}");
        }
        assert!(read_on(HookAgent::ClaudeCode, "/nowhere.jsonl", None).is_err());
    }

    #[test]
    fn codex_tells_of_tools_that_it_does_not_know() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        for line in [
            r#"{"type":"response_item","payload":{"type":"function_call","name":"run","arguments":"{\"cmd\":\"ls\"}","call_id":"c1"}}"#,
            r#"{"type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"unsupported call: run"}}"#,
            r#"{"type":"response_item","payload":{"type":"function_call_output","call_id":"c2","output":"it said: unsupported call: x"}}"#,
        ] {
            writeln!(file, "{line}").unwrap();
        }
        let (rejected, _) = read(HookAgent::Codex, &file, 0);
        assert_eq!(rejected.len(), 1);
        assert_eq!(&*rejected[0].action.line(), r#"run {"cmd":"ls"}"#);
    }
}
