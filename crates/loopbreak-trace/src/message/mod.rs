//! Pieces that several formats share: message content, tool calls, arguments, documents.

mod arguments;
mod command;
mod document_part;
mod message_content;
mod pending_calls;

pub(crate) use arguments::arguments;
pub(crate) use command::command;
pub(crate) use document_part::walk;
pub(crate) use message_content::{ContentBlock, MessageContent};
pub(crate) use pending_calls::{PendingCall, PendingCalls};
