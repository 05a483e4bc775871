//! Reads the files of a session.

use serde::Deserialize;
use serde_json::value::RawValue;
use xxhash_rust::xxh3::xxh3_64;

use loopbreak::{
    Step,
    step::{EpochMillis, HarnessEvent, Label, StepText},
};

use super::GeminiHeader;
use super::message::{GeminiMessage, GeminiOwner, SNAPSHOT};
use crate::log_format::{LogReader, LogUnit};
use crate::log_record::{LogRecord, RecordSink};
use crate::message::walk_document;
use crate::skip_reason::SkipReason;

/// Maximum number of files that are read side by side. The oldest is closed first.
const FILES: usize = 512;
/// Number of bytes of a summary that distinguish it from others.
const SUMMARY: usize = 4096;

/// A session with its subagents.
#[derive(Debug, Default)]
pub(super) struct GeminiSession {
    run: Option<String>,
    files: Vec<GeminiFile>,
    /// Name of the file of the last message, `None` for the main file. Only it may have a message that is held back.
    active: Option<String>,
}

/// One file of a session.
#[derive(Debug, Default)]
struct GeminiFile {
    /// `None` for the main file.
    name: Option<String>,
    /// The subagent that writes the file.
    agent: Option<String>,
    /// Last message of a session in lines; the next line may replace it.
    last: Option<(String, String, u64)>,
    /// Checksum of the last summary.
    summary: Option<u64>,
}

/// A line that changes what was written before.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct GeminiUpdate<'a> {
    #[serde(borrow, rename = "$set")]
    set: Option<GeminiChange<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct GeminiChange<'a> {
    #[serde(borrow)]
    messages: Option<&'a RawValue>,
    #[serde(rename = "lastUpdated")]
    at: Option<EpochMillis>,
}

impl LogReader for GeminiSession {
    fn read_unit(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
        let mut is_document = false;
        let mut broken = Ok(());
        let walked = walk_document(unit, &["messages"], &mut |part| {
            if part.listed {
                is_document = true;
                let owner = GeminiOwner { run: self.run.as_deref(), agent: None };
                let said = GeminiMessage::emit(part.unit(), owner, sink);
                broken = std::mem::replace(&mut broken, Ok(())).and(said);
            } else if &*part.key == "sessionId" && unit.file.is_none() {
                self.run = serde_json::from_str(part.json.get()).ok().or(self.run.take());
            }
        });
        if !is_document && walked.is_ok() {
            return self.line(unit, sink);
        }
        walked.and(broken)
    }

    fn end(&mut self, sink: &mut dyn RecordSink) {
        for file in &mut self.files {
            file.flush(self.run.as_deref(), sink);
        }
    }
}

impl GeminiSession {
    /// Reads a line: the header, a new message, the last one again with its results, or a change.
    fn line(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
        if let Ok(header) = serde_json::from_str::<GeminiHeader<'_>>(unit.text) {
            let is_subagent = header.is_subagent() && unit.file.is_some();
            let file = self.file(unit.file, sink);
            file.agent = is_subagent.then(|| header.session.0.into_owned());
            return Ok(());
        }
        let message: GeminiMessage<'_> =
            serde_json::from_str(unit.text).map_err(|error| SkipReason::malformed(unit.text, &error))?;
        let id = message.id.filter(|_| message.kind.is_some()).map(|id| id.0.into_owned());
        if id.is_none() {
            self.update(unit, sink);
        }
        let Some(id) = id else { return Ok(()) };
        // Lines arrive in the order of time, so another file has nothing to add to its message.
        if self.active.as_deref() != unit.file {
            self.end(sink);
            self.active = unit.file.map(str::to_owned);
        }
        let at = self.position(unit.file, sink);
        let Some(file) = self.files.get_mut(at) else { return Ok(()) };
        if file.last.as_ref().is_some_and(|last| last.0 != id) {
            file.flush(self.run.as_deref(), sink);
        }
        file.last = Some((id, unit.text.to_owned(), unit.line));
        Ok(())
    }

    /// Reads a change. A history that begins with a new summary was compacted.
    fn update(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) {
        let update: GeminiUpdate<'_> = serde_json::from_str(unit.text).unwrap_or_default();
        let Some(GeminiChange { messages: Some(messages), at }) = update.set else { return };
        let Some((_, summary)) = messages.get().split_once(SNAPSHOT) else { return };
        let sum = xxh3_64(&summary.as_bytes()[..summary.len().min(SUMMARY)]);
        let position = self.position(unit.file, sink);
        let Some(file) = self.files.get_mut(position) else { return };
        if file.summary.replace(sum) == Some(sum) {
            return;
        }
        file.flush(self.run.as_deref(), sink);
        let step = Step {
            run: self.run.as_deref().map(Label::from),
            agent: file.agent.as_deref().map(StepText::from),
            at,
            harness: Some(HarnessEvent::Compaction),
            ..Step::default()
        };
        sink.record(&LogRecord { line: unit.line, step });
    }

    fn file(&mut self, name: Option<&str>, sink: &mut dyn RecordSink) -> &mut GeminiFile {
        let at = self.position(name, sink);
        &mut self.files[at]
    }

    /// Returns the index of a file, and adds it if necessary.
    fn position(&mut self, name: Option<&str>, sink: &mut dyn RecordSink) -> usize {
        if let Some(at) = self.files.iter().rposition(|file| file.name.as_deref() == name) {
            return at;
        }
        if self.files.len() >= FILES {
            self.files.remove(0).flush(self.run.as_deref(), sink);
        }
        self.files.push(GeminiFile { name: name.map(str::to_owned), ..GeminiFile::default() });
        self.files.len() - 1
    }
}

impl GeminiFile {
    /// Emits the message that was held back.
    fn flush(&mut self, run: Option<&str>, sink: &mut dyn RecordSink) {
        if let Some((_, text, line)) = self.last.take() {
            let owner = GeminiOwner { run, agent: self.agent.as_deref() };
            // The text was parsed before.
            _ = GeminiMessage::emit(LogUnit { text: &text, line, file: None }, owner, sink);
        }
    }
}
