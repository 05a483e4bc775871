//! Gemini CLI: session files, as one document or line by line. See docs/formats/gemini-cli.md.

mod message;
mod session;

use loopbreak::step::StepText;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::input::FileOwner;
use crate::log_format::{FormatDefinition, LogReader};
use crate::model_call::ModelCall;
use crate::sniff::JsonOutline;

/// Sessions of Gemini CLI.
pub(crate) struct GeminiCliFormat;

/// The first line of a session file.
#[derive(Debug, Deserialize)]
struct GeminiHeader<'a> {
    #[serde(borrow, rename = "sessionId")]
    session: StepText<'a>,
    #[serde(rename = "projectHash")]
    _project: IgnoredAny,
    #[serde(borrow)]
    kind: Option<StepText<'a>>,
    /// Only in a session that is one document.
    messages: Option<IgnoredAny>,
}

impl GeminiHeader<'_> {
    fn is_subagent(&self) -> bool {
        self.kind.as_deref() == Some("subagent")
    }
}

impl FormatDefinition for GeminiCliFormat {
    fn name(&self) -> &'static str {
        "gemini-cli"
    }
    fn title(&self) -> &'static str {
        "Gemini CLI"
    }
    fn file_description(&self) -> &'static str {
        "session files with their subagents: one JSON document, or JSON lines"
    }
    fn recognizes(&self, value: &JsonOutline<'_>) -> bool {
        value.has_all(&["sessionId", "projectHash"])
    }
    fn holds_whole_run(&self, value: &JsonOutline<'_>) -> bool {
        value.is_list("messages")
    }
    fn file_owner(&self, value: &str, folder: Option<&str>) -> Option<FileOwner> {
        let header: GeminiHeader<'_> = serde_json::from_str(value).ok()?;
        if header.messages.is_some() {
            return None;
        }
        let is_subagent = header.is_subagent();
        let session = header.session.0.into_owned();
        // The files of subagents are in a folder that is named after the session.
        match folder {
            Some(folder) if is_subagent => {
                Some(FileOwner { run: folder.to_owned(), agent: Some(session), order: None })
            }
            None if is_subagent => None,
            _ => Some(FileOwner { run: session, agent: None, order: None }),
        }
    }
    fn usage_marks(&self) -> &'static [&'static str] {
        &["\"tokens\""]
    }
    fn model_call(&self, line: &str) -> Option<ModelCall> {
        message::model_call(line)
    }
    fn new_reader(&self, _agents: &[String]) -> Box<dyn LogReader> {
        Box::new(session::GeminiSession::default())
    }
}
