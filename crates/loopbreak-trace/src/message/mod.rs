//! Pieces that several formats share: the content of messages, tool calls that wait for their results, the arguments
//! of calls, the wrappers around results, and the walk through a JSON document.

mod arguments;
mod command;
mod content_part;
mod conversation;
mod document_part;
mod guard_text;
mod message_content;
mod pending_calls;
mod tool_text;
mod unknown_call;

pub(crate) use arguments::arguments;
pub(crate) use command::command;
pub(crate) use content_part::{ContentPart, join_texts, result_text};
pub(crate) use conversation::{AgentConversation, CallResult, LogPosition};
pub(crate) use document_part::walk_document;
pub(crate) use guard_text::is_guard_reason;
pub(crate) use message_content::{ContentBlock, MessageContent};
pub(crate) use pending_calls::{PendingCall, PendingCalls};
pub(crate) use tool_text::unwrap_step_text;
pub use tool_text::{ToolText, unwrap_tool_text};
pub(crate) use unknown_call::{is_call_kind, unknown_call};
