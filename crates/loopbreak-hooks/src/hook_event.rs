//! The event that an agent passes to a hook on standard input.

use std::io::{self, Read};

use loopbreak::step::ActionArgs;
use loopbreak::{Action, step::StepText};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::hook_error::HookError;

/// Largest event that is parsed, in bytes. Agents truncate what they show to a model long before.
pub(crate) const MAX_EVENT_BYTES: u64 = 128 * 1024 * 1024;

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
    pub(crate) tool_use_id: Option<StepText<'a>>,
    #[serde(borrow)]
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
}

impl HookEvent<'_> {
    /// Returns the name of the event, or an empty text.
    pub(crate) fn name(&self) -> &str {
        self.hook_event_name.as_deref().unwrap_or_default()
    }

    /// Returns the tool call.
    pub(crate) fn action(&self) -> Option<Action<'_>> {
        let mut action = Action::new(self.tool_name.as_deref().filter(|name| !name.is_empty())?);
        action.args = self.tool_input.filter(|input| input.get() != "null").map(ActionArgs::from);
        Some(action)
    }

    /// Returns the id of the tool call, or an empty text.
    pub(crate) fn call_id(&self) -> &str {
        self.tool_use_id.as_deref().unwrap_or_default()
    }

    /// Returns the last message of the agent at the end of a turn, or an empty text.
    pub(crate) fn last_message(&self) -> &str {
        self.last_assistant_message.as_deref().or(self.prompt_response.as_deref()).unwrap_or_default()
    }

    /// Returns whether background tasks are running. The agent is notified when they finish.
    pub(crate) fn has_background_tasks(&self) -> bool {
        self.background_tasks.as_ref().is_some_and(|tasks| !tasks.is_empty())
    }

    /// Returns whether a human wrote the prompt. Agents use the same event to wake themselves.
    pub(crate) fn is_from_human(&self) -> bool {
        self.source.as_deref().is_none_or(|source| matches!(source, "user" | "sdk"))
    }
}

/// Reads the text of an event. Reads the input to its end in any case, because a broken pipe could harm the agent.
pub(crate) fn read_event(mut input: impl Read) -> Result<String, HookError> {
    let mut bytes = Vec::new();
    (&mut input).take(MAX_EVENT_BYTES).read_to_end(&mut bytes).map_err(HookError::Read)?;
    let more = io::copy(&mut input, &mut io::sink()).map_err(HookError::Read)?;
    if more > 0 {
        return Err(HookError::TooLarge);
    }
    // Tools print invalid UTF-8. The rest of the event is still valid.
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_that_is_too_large_is_read_to_its_end() {
        let mut endless = io::repeat(b' ').take(MAX_EVENT_BYTES + 3);
        assert!(read_event(&mut endless).unwrap_err().to_string().contains("larger than 128 MB"));
        assert_eq!(endless.limit(), 0);
    }

    #[test]
    fn invalid_utf_8_is_replaced() {
        assert_eq!(read_event(&b"{\"prompt\":\"\xff\"}"[..]).unwrap(), "{\"prompt\":\"\u{fffd}\"}");
    }

    #[test]
    fn a_prompt_of_the_agent_itself_is_not_from_a_human() {
        let is_from_human = |json| serde_json::from_str::<HookEvent<'_>>(json).unwrap().is_from_human();
        assert!(is_from_human(r#"{"prompt":"continue"}"#) && is_from_human(r#"{"source":"user"}"#));
        assert!(
            !is_from_human(r#"{"source":"schedule_wakeup"}"#) && !is_from_human(r#"{"source":"system"}"#)
        );
    }
}
