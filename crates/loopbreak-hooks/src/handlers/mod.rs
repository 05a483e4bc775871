//! One handler per kind of event.

mod after_tool;
mod before_tool;
mod compaction;
mod session_end;
mod tool_batch;
mod turn_end;
mod user_prompt;

pub(crate) use after_tool::after_tool;
pub(crate) use before_tool::{before_tool, refuse_rejected_call};
pub(crate) use compaction::compaction;
pub(crate) use session_end::session_end;
pub(crate) use tool_batch::tool_batch;
pub(crate) use turn_end::turn_end;
pub(crate) use user_prompt::user_prompt;
