//! Inputs: from the paths that a user names to opened logs.

mod agent_log_dir;
mod agent_log_search;
mod file_owner;
mod input_set;
mod log_input;
mod open_error;
mod opened_log;
mod read;
mod unpack;
mod unpack_limit;

pub use agent_log_dir::{AgentLogDir, agent_log_dirs};
pub use agent_log_search::{AgentLogSearch, NoAgentLogs, search_agent_logs};
pub use file_owner::FileOwner;
pub(crate) use file_owner::owner_of_head;
pub use input_set::{InputSet, SearchedFolder, UnreadableInput, expand_paths, list_files};
pub use log_input::LogInput;
pub use open_error::OpenError;
pub use opened_log::OpenedLog;
pub use read::LARGEST_DOCUMENT;
pub(crate) use read::feed_document;
#[cfg(test)]
pub(crate) use read::read_lines;
pub(crate) use unpack::is_packed;
pub use unpack_limit::UnpackLimit;
