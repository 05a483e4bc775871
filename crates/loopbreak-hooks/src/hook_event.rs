//! The event that an agent passes to a hook on standard input.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::io::{self, Read};

use loopbreak::step::{ActionArgs, HarnessEvent};
use loopbreak::{Action, step::StepText};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::hook_error::HookError;

/// Largest event that is parsed, in bytes. Agents truncate what they show to a model long before.
pub(crate) const MAX_EVENT_BYTES: u64 = 128 * 1024 * 1024;
/// Number of bytes read at a time.
const READ_BYTES: usize = 64 * 1024;

/// An event, with the keys of all events of all agents.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_field_names, reason = "the names are those of the JSON keys")]
pub(crate) struct HookEvent<'a> {
    #[serde(borrow)]
    pub(crate) session_id: Option<StepText<'a>>,
    #[serde(borrow)]
    pub(crate) hook_event_name: Option<StepText<'a>>,
    #[serde(borrow)]
    pub(crate) cwd: Option<StepText<'a>>,
    /// The subagent; absent for the main agent.
    #[serde(borrow)]
    pub(crate) agent_id: Option<StepText<'a>>,
    #[serde(borrow)]
    tool_name: Option<StepText<'a>>,
    #[serde(borrow)]
    tool_input: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_use_id: Option<StepText<'a>>,
    /// The id that the model gave the call, if `tool_use_id` is another one.
    #[serde(borrow)]
    tool_call_id: Option<StepText<'a>>,
    #[serde(borrow, alias = "tool_result")]
    pub(crate) tool_response: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) error: Option<&'a RawValue>,
    pub(crate) is_interrupt: Option<bool>,
    #[serde(borrow)]
    pub(crate) prompt: Option<StepText<'a>>,
    /// The author of the prompt.
    #[serde(borrow)]
    source: Option<StepText<'a>>,
    #[serde(borrow)]
    pub(crate) transcript_path: Option<StepText<'a>>,
    /// A hook has already kept the agent from ending its turn.
    pub(crate) stop_hook_active: Option<bool>,
    #[serde(borrow)]
    last_assistant_message: Option<StepText<'a>>,
    #[serde(borrow)]
    prompt_response: Option<StepText<'a>>,
    #[serde(borrow)]
    background_tasks: Option<Vec<&'a RawValue>>,
    /// The calls of a message.
    #[serde(borrow)]
    pub(crate) tool_calls: Vec<BatchCall<'a>>,
    /// Ids of the prompt, by agent.
    #[serde(borrow)]
    pub(crate) prompt_id: Option<StepText<'a>>,
    #[serde(borrow)]
    pub(crate) turn_id: Option<StepText<'a>>,
    /// Time of the event. Agents that have no ids give it.
    #[serde(borrow)]
    pub(crate) timestamp: Option<StepText<'a>>,
    /// Only their presence counts: it tells agents apart.
    #[serde(borrow)]
    pub(crate) model: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) permission_mode: Option<&'a RawValue>,
}

/// A call of a message, with the result as the model gets it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct BatchCall<'a> {
    #[serde(borrow)]
    tool_name: Option<StepText<'a>>,
    #[serde(borrow)]
    tool_input: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_use_id: Option<StepText<'a>>,
    #[serde(borrow)]
    tool_call_id: Option<StepText<'a>>,
    #[serde(borrow)]
    status: Option<StepText<'a>>,
    /// The text that the model gets, or an object with the error.
    #[serde(borrow)]
    tool_response: Option<&'a RawValue>,
}

impl BatchCall<'_> {
    /// Returns the id of the call, or an empty text.
    pub(crate) fn id(&self) -> &str {
        self.tool_call_id.as_deref().or(self.tool_use_id.as_deref()).unwrap_or_default()
    }

    /// Returns why the agent rejected the call, if the result says that it did.
    pub(crate) fn rejection(&self) -> Option<String> {
        let response = self.tool_response?;
        if let Ok(text) = serde_json::from_str::<String>(response.get()) {
            return loopbreak_trace::rejection_reason(&text).map(str::to_owned);
        }
        error_in(response).filter(|_| self.status.as_deref() == Some("error"))
    }

    pub(crate) fn action(&self) -> Option<Action<'_>> {
        action_of(self.tool_name.as_deref(), self.tool_input)
    }
}

fn action_of<'a>(name: Option<&'a str>, input: Option<&'a RawValue>) -> Option<Action<'a>> {
    let mut action = Action::new(name.filter(|name| !name.is_empty())?);
    action.args = input.filter(|input| input.get() != "null").map(ActionArgs::from);
    Some(action)
}

/// Beginning of the prompt by which an agent tells itself that a background task has ended.
const NOTIFICATION: &str = "<task-notification>";

#[cfg(test)]
impl<'a> HookEvent<'a> {
    /// Creates an event with a name and nothing else.
    pub(crate) fn with_name(name: &'a str) -> Self {
        HookEvent { hook_event_name: Some(name.into()), ..HookEvent::default() }
    }
}

impl HookEvent<'_> {
    /// Returns the name of the event, or an empty text.
    pub(crate) fn name(&self) -> &str {
        self.hook_event_name.as_deref().unwrap_or_default()
    }

    /// Returns the tool call.
    pub(crate) fn action(&self) -> Option<Action<'_>> {
        action_of(self.tool_name.as_deref(), self.tool_input)
    }

    /// Returns the id of the tool call, or its time if the agent gives no ids, or an empty text.
    pub(crate) fn call_id(&self) -> Cow<'_, str> {
        match (self.tool_call_id.as_deref().or(self.tool_use_id.as_deref()), self.timestamp.as_deref()) {
            (Some(id), _) => Cow::Borrowed(id),
            (None, Some(time)) => {
                let sum = checksum(&(self.tool_name.as_deref(), self.tool_input.map(RawValue::get)));
                Cow::Owned(format!("{sum:x} {time}"))
            }
            (None, None) => Cow::Borrowed(""),
        }
    }

    /// Returns an id of the prompt: what the agent gives, or the time of the event, and a checksum, because a turn can have
    /// several prompts. The text is empty if the agent gives none of them.
    pub(crate) fn prompt_id(&self) -> String {
        let ids = [&self.prompt_id, &self.turn_id, &self.timestamp];
        let Some(id) = ids.into_iter().find_map(|id| id.as_deref()) else { return String::new() };
        format!("{:x} {id}", checksum(&self.prompt.as_deref()))
    }

    /// Returns the error in the response of the tool call.
    pub(crate) fn error_message(&self) -> Option<String> {
        self.tool_response.and_then(error_in)
    }

    /// Returns whether the message at the end of a turn contains all earlier ones of the turn.
    pub(crate) fn message_grows(&self) -> bool {
        self.last_assistant_message.is_none() && self.prompt_response.is_some()
    }

    /// Returns the last message of the agent at the end of a turn, or an empty text.
    pub(crate) fn last_message(&self) -> &str {
        self.last_assistant_message.as_deref().or(self.prompt_response.as_deref()).unwrap_or_default()
    }

    /// Returns whether background tasks are running. The agent is notified when they finish.
    pub(crate) fn has_background_tasks(&self) -> bool {
        self.background_tasks.as_ref().is_some_and(|tasks| !tasks.is_empty())
    }

    /// Returns the author of the prompt. Agents use the same event to wake themselves.
    pub(crate) fn prompt_author(&self) -> PromptAuthor {
        let prompt = self.prompt.as_deref().unwrap_or_default().trim_start();
        match self.source.as_deref() {
            _ if prompt.starts_with(NOTIFICATION) => PromptAuthor::Harness(HarnessEvent::Notification),
            Some("poll_event") => PromptAuthor::Harness(HarnessEvent::Notification),
            Some(source) if !matches!(source, "user" | "sdk") => {
                PromptAuthor::Harness(HarnessEvent::Continuation)
            }
            _ if prompt.is_empty() => PromptAuthor::Nobody,
            _ => PromptAuthor::Human,
        }
    }
}

/// Returns the error in the response of a tool: a text, or an object with a message.
fn error_in(response: &RawValue) -> Option<String> {
    #[derive(Deserialize)]
    struct FailedResponse {
        error: Option<ResponseError>,
    }
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum ResponseError {
        Message { message: String },
        Text(String),
    }
    let response: FailedResponse = serde_json::from_str(response.get()).ok()?;
    match response.error? {
        ResponseError::Message { message } => Some(message),
        ResponseError::Text(text) => Some(text),
    }
}

fn checksum(value: &impl Hash) -> u64 {
    let mut sum = DefaultHasher::new();
    value.hash(&mut sum);
    sum.finish()
}

/// The author of a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PromptAuthor {
    Human,
    /// The agent itself, or a program that drives it.
    Harness(HarnessEvent),
    /// Some agents send an empty prompt after every message with calls.
    Nobody,
}

/// Reads the text of an event: the first JSON object, without waiting for the end of the input. `begin` is called when the first
/// byte has arrived. Anything else is read to its end, because a broken pipe could harm the agent.
pub(crate) fn read_event(mut input: impl Read, begin: impl FnOnce()) -> Result<String, HookError> {
    let (mut bytes, mut object, mut begin) = (Vec::new(), ObjectScanner::default(), Some(begin));
    let mut chunk = vec![0; READ_BYTES];
    loop {
        let count = match input.read(&mut chunk) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read.map_err(HookError::Read)?,
        };
        if let Some(begin) = begin.take() {
            begin();
        }
        if count == 0 {
            break;
        }
        let end = object.scan(&chunk[..count]);
        bytes.extend_from_slice(&chunk[..end.unwrap_or(count)]);
        if bytes.len() as u64 > MAX_EVENT_BYTES {
            io::copy(&mut input, &mut io::sink()).map_err(HookError::Read)?;
            return Err(HookError::TooLarge);
        }
        if end.is_some() {
            break;
        }
    }
    // Tools print invalid UTF-8. The rest of the event is still valid.
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// Finds the end of a JSON object in bytes that arrive in pieces.
#[derive(Debug, Default)]
struct ObjectScanner {
    depth: u64,
    in_text: bool,
    escaped: bool,
    /// True if the input does not begin with an object.
    is_other: bool,
}

impl ObjectScanner {
    /// Looks at the next bytes. Returns the position after the end of the object, if it ends in them.
    fn scan(&mut self, bytes: &[u8]) -> Option<usize> {
        if self.is_other {
            return None;
        }
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            if self.in_text && !self.escaped {
                // Texts are nearly all of a long event.
                at += memchr::memchr2(b'"', b'\\', &bytes[at..])?;
                if bytes[at] == b'"' {
                    self.in_text = false;
                } else {
                    self.escaped = true;
                }
                at += 1;
                continue;
            }
            at += 1;
            match byte {
                _ if self.escaped => self.escaped = false,
                b'"' if self.depth > 0 => self.in_text = true,
                b'{' => self.depth += 1,
                b'}' if self.depth == 1 => return Some(at),
                b'}' if self.depth > 1 => self.depth -= 1,
                byte if self.depth == 0 && !byte.is_ascii_whitespace() => {
                    self.is_other = true;
                    return None;
                }
                _ => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_that_is_too_large_is_read_to_its_end() {
        let mut endless = io::repeat(b' ').take(MAX_EVENT_BYTES + 3);
        assert!(read_event(&mut endless, || {}).unwrap_err().to_string().contains("larger than 128 MB"));
        assert_eq!(endless.limit(), 0);
    }

    /// An input that gives its bytes one by one, and fails if it is read to its end.
    struct NeverClosed<'b>(&'b [u8]);

    impl Read for NeverClosed<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let (first, rest) = self.0.split_first().expect("it waits for more than the object");
            (out[0], self.0) = (*first, rest);
            Ok(1)
        }
    }

    /// Some agents keep the standard input of their hooks open.
    #[test]
    fn an_event_is_complete_with_its_object_and_not_with_the_end_of_the_input() {
        for text in [r"{}", r#" {"a":{"b":["}",{"c":"\\"}],"d":"\"}{"}}"#, r#"{"a":"{"}"#] {
            assert_eq!(read_event(NeverClosed(text.as_bytes()), || {}).unwrap(), text);
        }
        assert_eq!(read_event(&b"{\"a\":1}\n{"[..], || {}).unwrap(), "{\"a\":1}");
        for text in ["", "[{}]x", "x{}", "{\"a\":", "null"] {
            assert_eq!(read_event(text.as_bytes(), || {}).unwrap(), text, "read to its end");
        }
    }

    #[test]
    fn invalid_utf_8_is_replaced() {
        assert_eq!(read_event(&b"{\"prompt\":\"\xff\"}"[..], || {}).unwrap(), "{\"prompt\":\"\u{fffd}\"}");
    }

    #[test]
    fn a_prompt_of_the_agent_itself_is_not_from_a_human() {
        let author = |json| serde_json::from_str::<HookEvent<'_>>(json).unwrap().prompt_author();
        let harness = PromptAuthor::Harness;
        for (json, expected) in [
            (r#"{"prompt":"continue"}"#, PromptAuthor::Human),
            (r#"{"prompt":"go","source":"user"}"#, PromptAuthor::Human),
            (r#"{"prompt":"go","source":"schedule_wakeup"}"#, harness(HarnessEvent::Continuation)),
            (r#"{"prompt":"go","source":"system"}"#, harness(HarnessEvent::Continuation)),
            (r#"{"prompt":"go","source":"poll_event"}"#, harness(HarnessEvent::Notification)),
            (
                r#"{"prompt":"<task-notification>\n<task-id>b</task-id>"}"#,
                harness(HarnessEvent::Notification),
            ),
            (r#"{"prompt":" "}"#, PromptAuthor::Nobody),
        ] {
            assert_eq!(author(json), expected, "{json}");
        }
    }
}
