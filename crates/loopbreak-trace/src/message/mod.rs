//! Pieces that several formats share: the content of messages, tool calls that wait for their results, the arguments
//! of calls, and the walk through a JSON document.

mod arguments;
mod command;
mod document_part;
mod guard_text;
mod message_content;
mod pending_calls;

pub(crate) use arguments::arguments;
pub(crate) use command::command;
pub(crate) use document_part::walk_document;
pub(crate) use guard_text::is_guard_reason;
pub(crate) use message_content::{ContentBlock, MessageContent};
pub(crate) use pending_calls::{PendingCall, PendingCalls};
