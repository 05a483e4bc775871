//! Records that stand in a file each: those of a folder are one log, in the order that they name.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use loopbreak_trace::{LogFormat, LogInput, is_complete_document};

use super::files::Files;
use super::log::{Audience, Log, Origin};

/// One record.
#[derive(Debug)]
struct Piece {
    source: usize,
    format: LogFormat,
    text: Vec<u8>,
    order: i64,
}

/// Those that were found and not given on yet, and which log is that of which folder.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    found: Vec<Piece>,
    folders: HashMap<PathBuf, usize>,
}

impl Pieces {
    /// Takes in a record. False where it is still being written.
    pub(super) fn found(
        &mut self,
        source: usize,
        path: &Path,
        format: LogFormat,
        order: Option<i64>,
    ) -> io::Result<bool> {
        let text = fs::read(path)?;
        let whole = is_complete_document(&text);
        if whole {
            self.found.push(Piece { source, format, text, order: order.unwrap_or(i64::MAX) });
        }
        Ok(whole)
    }

    /// All that were found, in order.
    fn take(&mut self) -> Vec<Piece> {
        let mut found = std::mem::take(&mut self.found);
        found.sort_by_key(|piece| (piece.order, piece.source));
        found
    }

    /// The log of the folder that a file is in.
    fn log_of(&self, path: &Path) -> Option<usize> {
        self.folders.get(path.parent()?).copied()
    }

    /// Says which it is.
    fn is_of(&mut self, path: &Path, log: usize) {
        if let Some(folder) = path.parent() {
            self.folders.insert(folder.to_owned(), log);
        }
    }
}

impl Files {
    /// Gives on the records that were found, in their order.
    pub(super) fn read_pieces(&mut self, audience: &mut dyn Audience) -> bool {
        let mut any = false;
        for piece in self.pieces.take() {
            let Piece { source, format, text, .. } = piece;
            let source = &self.sources[source];
            let log = self.pieces.log_of(&source.tail.path).unwrap_or_else(|| {
                let mut input = LogInput::file(&source.tail.path);
                input.begin_sequence();
                let origin = Origin { unnamed: input.run(), ..source.origin.clone() };
                self.logs.push(Some(Log::new(format, origin, &source.tail.path, None)));
                self.logs.len() - 1
            });
            self.pieces.is_of(&source.tail.path, log);
            if let Some(Some(log)) = self.logs.get_mut(log) {
                let aloud = source.quiet_until == 0;
                log.whole(&text, &source.tail.path, aloud, audience);
                any = true;
            }
        }
        any
    }
}
