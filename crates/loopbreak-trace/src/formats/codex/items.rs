//! The items of a response: messages, calls, results.

use loopbreak::{
    Action, Outcome, Step,
    step::{EpochMillis, HarnessEvent, Label, StepText},
};

use super::call_outcome::{outcome, rejection, service_outcome};
use super::entry::CodexItem;
use super::rollout::CodexRollout;
use super::scripts::scripted_action;
use super::user_message::CodexUserMessage;
use crate::log_record::{RecordSink, RejectedCall, UnreadItem};
use crate::message::{PendingCall, arguments};
use crate::skip_reason::SkipReason;

/// Kinds of items without anything that the agent did.
const IGNORED: [&str; 13] = [
    "additional_tools",
    "compaction",
    "compaction_summary",
    "compaction_trigger",
    "context_compaction",
    "ghost_snapshot",
    "item_reference",
    "mcp_approval_request",
    "mcp_approval_response",
    "mcp_list_tools",
    "message",
    "other",
    "reasoning",
];

/// Line number and time of an item.
#[derive(Clone, Copy, Debug)]
pub(super) struct CodexPosition {
    pub(super) line: u64,
    pub(super) at: Option<EpochMillis>,
}

impl CodexRollout {
    /// Reads an item.
    pub(super) fn item(
        &mut self,
        mut item: CodexItem<'_>,
        position: CodexPosition,
        sink: &mut dyn RecordSink,
    ) -> Result<(), SkipReason> {
        let CodexPosition { line, at } = position;
        let kind = item.kind.take();
        match kind.as_deref().unwrap_or_default() {
            // Lists of items may leave out the kind of messages.
            "message" | "" if item.role.is_some() => self.message(item, position, sink),
            // Another agent has written to this one.
            "agent_message" => {
                if self.pending.is_empty() {
                    self.end_response(sink);
                }
                let harness = Some(HarnessEvent::Notification);
                self.emit_for_others(line, Step { at, harness, ..Step::default() }, sink);
            }
            kind @ ("function_call" | "custom_tool_call" | "local_shell_call" | "tool_search_call"
            | "shell_call" | "computer_call" | "apply_patch_call") => self.call(kind, item, position, sink),
            // The service makes these calls on its own. The result is part of the item, if it is logged.
            kind @ ("web_search_call"
            | "file_search_call"
            | "code_interpreter_call"
            | "mcp_call"
            | "image_generation_call"
            | "hosted_tool_call") => {
                let action = action_of(kind, &mut item);
                let say = self.said.take().map(|said| said.0);
                let call = PendingCall { id: String::new(), line, at, batch: None, action, say };
                self.emit_call(call, service_outcome(&item), None, sink);
            }
            "tool_search_output" => {
                // The service searches on its own and names no call.
                if let Some(call) = item.call_id.as_deref().and_then(|id| self.pending.take(Some(id))) {
                    self.batch = None;
                    let found = item.tools.map(|tools| Outcome::new(tools.get()).with_error(false));
                    self.emit_call(call, found, Some((line, at)), sink);
                }
            }
            "function_call_output"
            | "custom_tool_call_output"
            | "function_call_result"
            | "local_shell_call_output"
            | "shell_call_output"
            | "computer_call_output"
            | "apply_patch_call_output" => return self.output(&item, position, sink),
            other if IGNORED.contains(&other) => {}
            other => sink.unread_item(&UnreadItem::new(line, other)),
        }
        Ok(())
    }

    fn message(&mut self, item: CodexItem<'_>, position: CodexPosition, sink: &mut dyn RecordSink) {
        let CodexPosition { line, at } = position;
        let text = item.content.into_text().filter(|text| !text.trim().is_empty());
        let Some(text) = text else { return };
        match item.role.as_deref() {
            Some("user") => {
                let step = match CodexUserMessage::new(&text) {
                    CodexUserMessage::Human => Step { at, user: Some(text), ..Step::default() },
                    CodexUserMessage::Event(event) => Step { at, harness: Some(event), ..Step::default() },
                    CodexUserMessage::Nothing => return,
                };
                // A subagent may end while calls are waiting for their results.
                if step.harness != Some(HarnessEvent::Notification) || self.pending.is_empty() {
                    self.end_response(sink);
                }
                self.emit_for_others(line, step, sink);
            }
            Some("assistant") => {
                self.end_response(sink);
                self.said = Some((text.0.into_owned(), line, at));
            }
            _ => {}
        }
    }

    fn call(
        &mut self,
        kind: &str,
        mut item: CodexItem<'_>,
        position: CodexPosition,
        sink: &mut dyn RecordSink,
    ) {
        let CodexPosition { line, at } = position;
        let action = action_of(kind, &mut item);
        let id = item.call_id.or(item.id).map(|id| id.0.into_owned()).unwrap_or_default();
        let say = self.said.take().map(|said| said.0);
        if self.batch.is_none() && !id.is_empty() {
            self.batch = Some(Label::from(id.clone()));
        }
        let batch = self.batch.clone();
        if kind == "custom_tool_call" && &*action.name == "exec" {
            self.scripts.open(&id);
        }
        for lost in self.pending.push(PendingCall { id, line, at, batch, action, say }) {
            self.emit_call(lost, None, None, sink);
        }
    }

    fn output(
        &mut self,
        item: &CodexItem<'_>,
        position: CodexPosition,
        sink: &mut dyn RecordSink,
    ) -> Result<(), SkipReason> {
        self.batch = None;
        let Some(mut call) = self.pending.take(item.call_id.as_deref()) else {
            return Err(SkipReason::new("the result of a call that is not in the log"));
        };
        if self.script_result(&mut call, item.output) {
            return Ok(());
        }
        let mut outcome = item.output.map(outcome);
        if let Some(outcome) = &mut outcome
            && item.status.as_deref() == Some("failed")
        {
            outcome.error = Some(true);
        }
        let text = outcome.as_ref().and_then(|outcome| outcome.text.as_deref());
        if let Some(action) = text.and_then(|text| scripted_action(&call.action, text)) {
            call.action = action;
        }
        if let Some(reason) = text.and_then(rejection) {
            let rejected = RejectedCall { id: &call.id, agent: None, action: &call.action, reason };
            sink.rejected_call(&rejected);
        }
        self.emit_call(call, outcome, Some((position.line, position.at)), sink);
        Ok(())
    }
}

/// Returns the action of an item. A call without a name is named after its kind.
fn action_of(kind: &str, item: &mut CodexItem<'_>) -> Action<'static> {
    let named = item.name.take().map(StepText::into_owned);
    let name = match (named, &item.server_label) {
        (Some(name), Some(server)) => format!("mcp__{server}__{name}").into(),
        (Some(name), None) => name,
        (None, _) => kind.trim_end_matches("_call").to_owned().into(),
    };
    let mut action = Action::new(name);
    let args = item.arguments.or(item.input).or(item.action).or(item.operation).or(item.queries);
    action.args = args.or(item.code).and_then(arguments);
    action
}
