//! Recognises the content at a path: a log of lines, a document, a record, or no log.

use std::io;

use loopbreak_trace::{FileShape, ProbeResult};

use super::followed_files::{FollowedFiles, MovedFile};
use super::log_source::SourceState;
use super::new_file_classifier::NewFileKind;
use super::watch_observer::WatchObserver;

impl FollowedFiles {
    /// Decides whether there is a log at a path, and of which format and shape.
    pub(super) fn recognise(
        &mut self,
        index: usize,
        is_final: bool,
        observer: &mut dyn WatchObserver,
    ) -> io::Result<bool> {
        let source = &mut self.sources[index];
        let identity = source.tail.identity();
        if let Some(at) = self.moved.iter().position(|moved| Some(moved.identity) == identity) {
            let MovedFile { source_id, quiet_until, is_dormant, .. } = self.moved.remove(at);
            (source.origin.source_id, source.quiet_until, source.is_dormant) =
                (source_id, quiet_until, is_dormant);
        }
        let probed = source.probe_head(self.format, is_final)?;
        if matches!(probed, ProbeResult::Log { .. }) && !self.is_new(index) {
            return Ok(false);
        }
        let source = &mut self.sources[index];
        match probed {
            ProbeResult::Never(reason) => {
                source.state = SourceState::NotALog;
                let (path, text) = (source.tail.path.clone(), format!("not followed: {reason}"));
                if source.named {
                    observer.warning(&path, &text);
                } else {
                    observer.note(&path, &text);
                }
                Ok(false)
            }
            ProbeResult::Log { format, shape: FileShape::Lines, owner } => {
                self.start_log(index, format, owner.as_ref());
                self.read_lines(index, observer)
            }
            ProbeResult::Log { shape: FileShape::Document, .. } => {
                source.state = SourceState::Document { read: None, whole: false };
                self.read_document(index, is_final, observer)
            }
            ProbeResult::Log { format, shape: FileShape::Piece, owner } => {
                let path = source.tail.path.clone();
                let is_lines = path.extension().is_some_and(|extension| extension == "jsonl");
                if is_lines && !is_final {
                    return Ok(false);
                }
                if self.record_files.add(index, &path, format, owner.and_then(|owner| owner.order))? {
                    source.state = SourceState::Record;
                }
                Ok(false)
            }
            // Undecided. The file is probed again when it grows.
            _ => Ok(false),
        }
    }

    /// Returns whether the content at a path was not read before.
    fn is_new(&mut self, index: usize) -> bool {
        let source = &self.sources[index];
        if source.first {
            return true;
        }
        let others = self.sources.iter().enumerate().filter(|(other, _)| *other != index);
        let others = others.map(|(_, source)| source);
        match self.new_files.classify(&source.tail.path, source.tail.identity(), others, &self.rotated) {
            NewFileKind::New => return true,
            NewFileKind::Undecided => self.sources[index].reset_probe(),
            NewFileKind::AlreadyRead => self.sources[index].state = SourceState::AlreadyRead,
        }
        false
    }
}
