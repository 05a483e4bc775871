//! opencode: its database, the output of `opencode export`, and of `opencode run --format json`. See
//! docs/formats/opencode.md.

#[cfg(feature = "sqlite")]
mod database;
mod message;
mod session;

#[cfg(feature = "sqlite")]
use crate::log_format::DatabaseFormat;
use crate::log_format::{FormatDefinition, LogReader};
use crate::sniff::JsonOutline;

/// Sessions of opencode.
pub(crate) struct OpencodeFormat;

impl FormatDefinition for OpencodeFormat {
    fn name(&self) -> &'static str {
        "opencode"
    }
    fn title(&self) -> &'static str {
        "opencode"
    }
    fn file_description(&self) -> &'static str {
        "opencode.db: a SQLite database; opencode export: one JSON document; opencode run --format json: JSON lines"
    }
    fn recognizes(&self, value: &JsonOutline<'_>) -> bool {
        let message = |at: &str| {
            value.text(&format!("{at}info.role")).is_some() && value.is_list(&format!("{at}parts"))
        };
        let session = value.is_list("messages")
            && value.text("info.id").is_some_and(|id| id.starts_with("ses"))
            && value.has("info.time");
        let event = value.text("sessionID").is_some()
            && value.text("type").is_some()
            && (value.text("part.type").is_some() || value.is_object("error"));
        session || message("messages.[].") || message("[].") || message("") || event
    }
    fn holds_whole_run(&self, value: &JsonOutline<'_>) -> bool {
        value.is_list("messages") || value.is_list("")
    }
    #[cfg(feature = "sqlite")]
    fn database_format(&self) -> Option<&dyn DatabaseFormat> {
        Some(&database::OpencodeDatabase)
    }
    fn new_reader(&self, _agents: &[String]) -> Box<dyn LogReader> {
        Box::new(session::OpencodeSession::default())
    }
}
