//! The contract between a coding agent and its hooks.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use loopbreak::Outcome;
use loopbreak::text::clip;
use loopbreak_trace::LogFormat;
use serde_json::{Value, json};

use crate::agents;
use crate::doctor::{CheckFinding, DoctorContext, InstalledPlugin};
use crate::hook_event::HookEvent;
use crate::hook_event_kind::HookEventKind;
use crate::hook_response::HookResponse;
use crate::install::{SettingsForm, SettingsLocation};
use crate::tool_outcome;

/// Longest text in a response, in bytes. Agents move longer texts to a file.
const TEXT_BYTES: usize = 8_000;

/// Returns whether an id can be a part of the name of a file.
pub(crate) fn is_file_name(id: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    (1..=200).contains(&id.len()) && id.bytes().all(is_plain)
}

/// A coding agent that calls hooks: the names of its events, its settings file, and the form of its responses.
///
/// The provided methods follow the contract of Claude Code, which other agents have adopted in large part. An agent
/// overrides what it does differently. [`agents`] lists the known agents, and a name is parsed with
/// [`FromStr`]:
///
/// ```
/// use loopbreak_hooks::HookAgent;
///
/// let agent: &dyn HookAgent = "codex".parse()?;
/// assert_eq!(agent.title(), "Codex CLI");
/// # Ok::<(), loopbreak_hooks::UnknownAgent>(())
/// ```
pub trait HookAgent: Sync {
    /// Returns the name on the command line and in the store.
    fn name(&self) -> &'static str;

    /// Returns the name that people use.
    fn title(&self) -> &'static str;

    /// Returns the name of its program on the PATH.
    fn program(&self) -> &'static str {
        self.name()
    }

    /// Returns other names that people use for it on the command line.
    fn aliases(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the location of the settings file that hooks are installed into.
    fn settings_location(&self) -> SettingsLocation;

    /// Returns the structure of the hooks in the settings file.
    fn settings_form(&self) -> SettingsForm {
        SettingsForm::Grouped
    }

    /// Returns the events that hooks are installed for, in the order in which they are written.
    fn events(&self) -> &'static [(&'static str, HookEventKind)] {
        CLAUDE_CODE_EVENTS
    }

    /// Spells the keys of an event as Claude Code does: `hook_event_name`, `session_id`, `cwd`, `tool_name`, `tool_input`,
    /// `tool_use_id`, `tool_response`, `error`, `prompt`. The text is JSON, and it is returned as it is if it is not an object.
    fn normalize_event<'t>(&self, text: &'t str) -> Cow<'t, str> {
        Cow::Borrowed(text)
    }

    /// Returns the entry of a hook in the settings file. The agent waits ten seconds for a response, then it continues;
    /// the store gives up earlier.
    fn hook_entry(&self, _event: &str, command: &str) -> Value {
        json!({"type": "command", "command": command, "timeout": 10})
    }

    /// Returns a settings file without settings.
    fn empty_settings(&self) -> &'static str {
        "{}\n"
    }

    /// Returns the source of the plugin that is installed in place of hooks in a settings file.
    fn plugin(&self) -> Option<&'static str> {
        None
    }

    /// Returns what the user has to do after the hooks were installed.
    fn install_hint(&self) -> String {
        format!("{} loads hooks when a session starts: restart running sessions", self.title())
    }

    /// Checks what only this agent has, for `hook doctor`: switches in its settings, and the trust in hooks and folders.
    fn check_own_settings(&self, _context: &DoctorContext<'_>) -> Vec<CheckFinding> {
        Vec::new()
    }

    /// Lists the plugins of this agent that call Loopbreak as well, for `hook doctor`.
    fn installed_plugins(&self, _context: &DoctorContext<'_>) -> Vec<InstalledPlugin> {
        Vec::new()
    }

    /// Returns the log format of the transcript, if calls that the agent rejected by itself can be read from it. No hook
    /// reports these calls.
    fn transcript_format(&self) -> Option<LogFormat> {
        None
    }

    /// Returns the format of the transcripts, if their lines have the usage of the model.
    fn usage_format(&self) -> Option<LogFormat> {
        self.transcript_format()
    }

    /// Returns the transcript with the usage of the agent that an event is about, given the transcript that the event names and
    /// the subagent. By default, events of subagents name the transcript of the main agent, and theirs is not known.
    fn usage_transcript(&self, named: &Path, subagent: Option<&str>) -> Option<PathBuf> {
        subagent.is_none().then(|| named.to_owned())
    }

    /// Returns whether no event reports the failed calls of a tool. They are read from the transcript.
    fn hides_failures_of(&self, _tool: &str) -> bool {
        false
    }

    /// Returns whether no event reports exit codes. They are read from the transcript.
    fn hides_exit_codes(&self) -> bool {
        false
    }

    /// Parses the response of a tool.
    fn parse_outcome(&self, response: &str) -> Outcome<'static> {
        tool_outcome::parse_outcome(response)
    }

    /// Returns whether the agent takes advice in response to such an event, and does nothing else because of it.
    fn takes_advice(&self, kind: HookEventKind) -> bool {
        match kind {
            HookEventKind::BeforeTool
            | HookEventKind::AfterTool
            | HookEventKind::ToolFailure
            | HookEventKind::ToolBatch
            | HookEventKind::UserPrompt => true,
            // At the end of a turn, advice would make the agent continue.
            HookEventKind::Compaction | HookEventKind::TurnEnd | HookEventKind::SessionEnd => false,
        }
    }

    /// Returns whether the agent starts a turn again with a prompt of its own if a hook keeps it from ending.
    fn retries_with_prompts(&self) -> bool {
        false
    }

    /// Renders advice for the agent. `error` is the error of the call that the advice is about.
    fn render_advice(&self, event: &str, _error: Option<&str>, text: &str) -> Value {
        json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})
    }

    /// Adds a message for the user to a response, if the agent shows one.
    fn add_user_message(&self, response: &mut Value, text: &str) {
        response["systemMessage"] = text.into();
    }

    /// Renders the refusal of a call.
    fn render_refusal(&self, event: &str, reason: &str) -> Value {
        permission_decision(event, "deny", reason)
    }

    /// Renders the request that a human decides about a call.
    fn render_question(&self, event: &str, reason: &str) -> Value {
        permission_decision(event, "ask", reason)
    }

    /// Renders the end of the run. Before a call, the call is refused as well: the agent would carry it out and stop
    /// afterwards.
    fn render_stop(&self, event: &str, reason: &str) -> Value {
        let is_before_call = CLAUDE_CODE_EVENTS.contains(&(event, HookEventKind::BeforeTool));
        let mut stop = if is_before_call { permission_decision(event, "deny", reason) } else { json!({}) };
        stop["continue"] = false.into();
        stop["stopReason"] = reason.into();
        stop
    }

    /// Renders the reason why the agent should not end its turn yet.
    fn render_continuation(&self, reason: &str) -> Value {
        json!({"decision": "block", "reason": reason})
    }

    /// Returns the tool that runs shell commands, for the simulated session of `hook doctor`.
    fn shell_tool(&self) -> &'static str {
        "Bash"
    }

    /// Renders the output of a shell command as the agent passes it to a hook, for the simulated session of `hook doctor`.
    fn render_shell_output(&self, output: &str) -> Value {
        json!({"stdout": output, "stderr": ""})
    }
}

/// The events of Claude Code.
pub(crate) const CLAUDE_CODE_EVENTS: &[(&str, HookEventKind)] = &[
    ("PreToolUse", HookEventKind::BeforeTool),
    ("PostToolUse", HookEventKind::AfterTool),
    ("PostToolUseFailure", HookEventKind::ToolFailure),
    ("PostToolBatch", HookEventKind::ToolBatch),
    ("PostCompact", HookEventKind::Compaction),
    ("UserPromptSubmit", HookEventKind::UserPrompt),
    ("Stop", HookEventKind::TurnEnd),
    ("SubagentStop", HookEventKind::SessionEnd),
    ("SessionEnd", HookEventKind::SessionEnd),
];

impl dyn HookAgent + '_ {
    /// Returns the kind of an event, or `None` for an event that is ignored.
    pub fn event_kind(&self, event: &str) -> Option<HookEventKind> {
        self.events().iter().find(|(name, _)| *name == event).map(|(_, kind)| *kind)
    }

    /// Returns the name of the first event of a kind.
    pub(crate) fn event_name(&self, kind: HookEventKind) -> Option<&'static str> {
        self.events().iter().find(|(_, known)| *known == kind).map(|(name, _)| *name)
    }

    /// Renders the response to an event, or `None` if the agent expects no output.
    pub(crate) fn render(&self, whole_event: &HookEvent<'_>, response: &HookResponse) -> Option<Value> {
        let short = |text: &str| clip(text, TEXT_BYTES).to_owned();
        let (error, event) = (whole_event.error_message(), whole_event.name());
        match response {
            HookResponse::Nothing => None,
            HookResponse::Advise { agent, user } => {
                let mut output = json!({});
                let takes_advice = self.event_kind(event).is_some_and(|kind| self.takes_advice(kind));
                if let Some(text) = agent.as_ref().filter(|_| takes_advice) {
                    output = self.render_advice(event, error.as_deref(), &short(text));
                }
                if let Some(text) = user {
                    self.add_user_message(&mut output, &short(text));
                }
                output.as_object().is_some_and(|output| !output.is_empty()).then_some(output)
            }
            HookResponse::Deny(reason) => Some(self.render_refusal(event, &short(reason))),
            HookResponse::Ask(reason) => Some(self.render_question(event, &short(reason))),
            HookResponse::Stop(reason) => Some(self.render_stop(event, &short(reason))),
            HookResponse::Continue(reason) => Some(self.render_continuation(&short(reason))),
            HookResponse::Noted { response, notice } => {
                let mut output = self.render(whole_event, response).unwrap_or_else(|| json!({}));
                let notice = match output["systemMessage"].as_str() {
                    Some(message) => format!("{notice}\n\n{message}"),
                    None => notice.clone(),
                };
                self.add_user_message(&mut output, &short(&notice));
                output.as_object().is_some_and(|output| !output.is_empty()).then_some(output)
            }
        }
    }
}

/// Renders the decision about a call in the form of Claude Code.
fn permission_decision(event: &str, decision: &str, reason: &str) -> Value {
    json!({"hookSpecificOutput": {
        "hookEventName": event, "permissionDecision": decision, "permissionDecisionReason": reason,
    }})
}

/// Adds a message for the user to the refusal of a call, for agents whose hooks cannot ask a human.
pub(crate) fn with_user_message(mut refusal: Value, reason: &str) -> Value {
    refusal["systemMessage"] = reason.into();
    refusal
}

impl fmt::Debug for dyn HookAgent + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for &'static dyn HookAgent {
    type Err = UnknownAgent;

    fn from_str(name: &str) -> Result<Self, UnknownAgent> {
        agents::find(name).ok_or(UnknownAgent)
    }
}

/// The error for a name that is not the name of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownAgent;

impl fmt::Display for UnknownAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = agents::ALL.iter().map(|agent| agent.name()).collect();
        write!(f, "unknown agent; the agents are {}", names.join(", "))
    }
}

impl std::error::Error for UnknownAgent {}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(agent: &str, name: &'static str, response: &HookResponse) -> Value {
        let agent: &dyn HookAgent = agent.parse().unwrap();
        agent.render(&HookEvent::with_name(name), response).unwrap_or_default()
    }

    fn decision(output: &Value) -> &Value {
        &output["hookSpecificOutput"]["permissionDecision"]
    }

    #[test]
    fn a_question_is_a_refusal_with_a_message_for_agents_that_cannot_ask() {
        let ask = HookResponse::Ask("why".into());
        assert_eq!(*decision(&render("claude-code", "PreToolUse", &ask)), "ask");
        // Codex CLI shows the reason itself.
        let codex = render("codex", "PreToolUse", &ask);
        assert_eq!((decision(&codex), codex.get("systemMessage")), (&"deny".into(), None));
        let gemini = json!({"decision": "deny", "reason": "why", "systemMessage": "why"});
        assert_eq!(render("gemini", "BeforeTool", &ask), gemini);
    }

    #[test]
    fn codex_cannot_be_stopped_before_a_call() {
        let stop = HookResponse::Stop("why".into());
        let codex = render("codex", "PreToolUse", &stop);
        assert_eq!((decision(&codex), codex.get("continue")), (&"deny".into(), None));
        assert_eq!(render("codex", "Stop", &stop)["continue"], false);
        assert_eq!(render("gemini", "BeforeTool", &stop)["continue"], false);
    }

    #[test]
    fn a_stop_after_a_call_does_not_replace_the_result_in_codex() {
        let after = render("codex", "PostToolUse", &HookResponse::Stop("why".into()));
        let advice = json!({"hookEventName": "PostToolUse", "additionalContext": "why"});
        assert_eq!(after, json!({"hookSpecificOutput": advice}));
    }

    #[test]
    fn a_stop_before_a_call_refuses_the_call_as_well() {
        for (agent, name) in [("claude-code", "PreToolUse"), ("qwen", "PreToolUse")] {
            let stop = render(agent, name, &HookResponse::Stop("why".into()));
            assert_eq!((decision(&stop), &stop["continue"]), (&"deny".into(), &false.into()), "{agent}");
        }
        let gemini = render("gemini", "BeforeTool", &HookResponse::Stop("why".into()));
        assert_eq!((&gemini["decision"], &gemini["continue"]), (&"deny".into(), &false.into()));
    }

    #[test]
    fn gemini_gets_advice_beside_an_error_in_the_place_of_the_error() {
        let agent: &dyn HookAgent = "gemini".parse().unwrap();
        let text = r#"{"hook_event_name":"AfterTool","tool_response":{"llmContent":"x","error":{"message":"no file"}}}"#;
        let advice = HookResponse::Advise { agent: Some("fact".into()), user: None };
        let output = agent.render(&serde_json::from_str(text).unwrap(), &advice).unwrap();
        assert_eq!(output, json!({"decision": "deny", "reason": "no file\n\nfact"}));
    }

    #[test]
    fn each_agent_is_kept_from_ending_its_turn_in_its_own_form() {
        let more = HookResponse::Continue("why".into());
        assert_eq!(render("codex", "Stop", &more), json!({"decision": "block", "reason": "why"}));
        assert_eq!(render("gemini", "AfterAgent", &more), json!({"decision": "deny", "reason": "why"}));
    }

    #[test]
    fn advice_never_makes_an_agent_continue_that_ends_its_turn() {
        let advice = HookResponse::Advise { agent: Some("fact".into()), user: None };
        for agent in agents::ALL {
            let name = agent.event_name(HookEventKind::TurnEnd).unwrap();
            assert_eq!(agent.render(&HookEvent::with_name(name), &advice), None, "{agent:?}");
        }
        let both = HookResponse::Advise { agent: Some("fact".into()), user: Some("look".into()) };
        assert_eq!(render("codex", "Stop", &both), json!({"systemMessage": "look"}));
    }

    #[test]
    fn a_notice_for_the_user_stands_beside_any_response() {
        let noted = |response: HookResponse| response.with_notice(Some("look"));
        assert_eq!(
            render("claude-code", "PreToolUse", &noted(HookResponse::Nothing)),
            json!({"systemMessage": "look"})
        );
        let refused = render("claude-code", "PreToolUse", &noted(HookResponse::Deny("no".into())));
        assert_eq!((decision(&refused), &refused["systemMessage"]), (&"deny".into(), &"look".into()));
        let asked = render("gemini", "BeforeTool", &noted(HookResponse::Ask("why".into())));
        assert_eq!(asked["systemMessage"], "look\n\nwhy");
        // These agents show no messages of hooks, and must get no empty answer either.
        for (agent, event) in [("openhands", "PreToolUse"), ("cursor", "preToolUse")] {
            assert_eq!(render(agent, event, &noted(HookResponse::Nothing)), Value::Null, "{agent}");
        }
    }

    #[test]
    fn a_long_text_is_truncated() {
        let output = render("claude-code", "PreToolUse", &HookResponse::Deny("ä".repeat(9_000)));
        let reason = output["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap().len();
        assert!((1..=TEXT_BYTES).contains(&reason), "{reason}");
    }

    #[test]
    fn every_agent_has_the_events_that_a_guard_needs() {
        for agent in agents::ALL {
            for kind in [HookEventKind::BeforeTool, HookEventKind::AfterTool, HookEventKind::UserPrompt] {
                assert!(agent.event_name(kind).is_some(), "{agent:?}: {kind:?}");
            }
            assert_eq!(agent.event_kind("FromTheFuture"), None);
        }
        let unknown = "nobody".parse::<&dyn HookAgent>().unwrap_err();
        assert!(unknown.to_string().contains("claude-code, codex, gemini, qwen, opencode"), "{unknown}");
    }
}
