//! The event an agent tells a hook of, as it stands on standard input.

use std::io::{self, Read};

use loopbreak::step::ActionArgs;
use loopbreak::{Action, StepText};
use serde::Deserialize;
use serde_json::value::RawValue;

/// An event of more bytes is not looked at. Agents cut what they show a model long before.
const LONGEST: u64 = 128 * 1024 * 1024;

/// The keys of all events of all agents together.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_field_names, reason = "the agents call it so")]
pub(crate) struct HookEvent<'a> {
    #[serde(borrow)]
    pub(crate) session_id: Option<StepText<'a>>,
    #[serde(borrow)]
    pub(crate) hook_event_name: Option<StepText<'a>>,
    #[serde(borrow)]
    pub(crate) cwd: Option<StepText<'a>>,
    /// The subagent, where it is one.
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
    /// Who wrote the prompt.
    #[serde(borrow)]
    source: Option<StepText<'a>>,
    /// Where the agent writes down the conversation.
    #[serde(borrow)]
    pub(crate) transcript_path: Option<StepText<'a>>,
    /// The agent goes on only because a hook did not let it stop.
    pub(crate) stop_hook_active: Option<bool>,
    #[serde(borrow)]
    last_assistant_message: Option<StepText<'a>>,
    #[serde(borrow)]
    prompt_response: Option<StepText<'a>>,
    #[serde(borrow)]
    background_tasks: Option<Vec<&'a RawValue>>,
}

impl HookEvent<'_> {
    /// What is called.
    pub(crate) fn action(&self) -> Option<Action<'_>> {
        let mut action = Action::new(self.tool_name.as_deref().filter(|name| !name.is_empty())?);
        action.args = self.tool_input.filter(|input| input.get() != "null").map(ActionArgs::from);
        Some(action)
    }

    /// What the agent said last, where it ends its turn.
    pub(crate) fn last_words(&self) -> Option<&str> {
        self.last_assistant_message.as_deref().or(self.prompt_response.as_deref())
    }

    /// Whether something goes on without the agent, which it will be told of.
    pub(crate) fn waits_for_tasks(&self) -> bool {
        self.background_tasks.as_ref().is_some_and(|tasks| !tasks.is_empty())
    }

    /// Whether a human wrote the prompt. Agents wake themselves in the same way.
    pub(crate) fn is_human(&self) -> bool {
        self.source.as_deref().is_none_or(|source| matches!(source, "user" | "sdk"))
    }
}

/// Reads all that is written, and keeps what can be an event: an agent whose pipe breaks could take harm.
pub(crate) fn read(mut from: impl Read) -> Result<String, String> {
    let failed = |error: io::Error| format!("cannot read the event: {error}");
    let mut bytes = Vec::new();
    (&mut from).take(LONGEST).read_to_end(&mut bytes).map_err(failed)?;
    let more = io::copy(&mut from, &mut io::sink()).map_err(failed)?;
    if more > 0 {
        return Err(format!("the event is larger than {} MB", LONGEST / 1024 / 1024));
    }
    // A broken letter somewhere in a tool's output is no reason to look away.
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_that_is_too_large_is_read_to_its_end() {
        let mut endless = io::repeat(b' ').take(LONGEST + 3);
        assert!(read(&mut endless).unwrap_err().contains("larger than 128 MB"));
        assert_eq!(endless.limit(), 0);
    }

    #[test]
    fn broken_letters_do_no_harm() {
        assert_eq!(read(&b"{\"prompt\":\"\xff\"}"[..]).unwrap(), "{\"prompt\":\"\u{fffd}\"}");
    }

    #[test]
    fn only_humans_are_humans() {
        let human = |json| serde_json::from_str::<HookEvent<'_>>(json).unwrap().is_human();
        assert!(human(r#"{"prompt":"go on"}"#) && human(r#"{"source":"user"}"#));
        assert!(!human(r#"{"source":"schedule_wakeup"}"#) && !human(r#"{"source":"system"}"#));
    }
}
