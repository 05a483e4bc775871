//! Records that stand in a file each: those of a folder are one log, in the order that they name.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use loopbreak_trace::{Format, is_whole};

/// One record.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) source: usize,
    pub(super) format: Format,
    pub(super) text: Vec<u8>,
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
        format: Format,
        order: Option<i64>,
    ) -> io::Result<bool> {
        let text = fs::read(path)?;
        let whole = is_whole(&text);
        if whole {
            self.found.push(Piece { source, format, text, order: order.unwrap_or(i64::MAX) });
        }
        Ok(whole)
    }

    /// All that were found, in order.
    pub(super) fn take(&mut self) -> Vec<Piece> {
        let mut found = std::mem::take(&mut self.found);
        found.sort_by_key(|piece| (piece.order, piece.source));
        found
    }

    /// The log of the folder that a file is in.
    pub(super) fn log_of(&self, path: &Path) -> Option<usize> {
        self.folders.get(path.parent()?).copied()
    }

    /// Says which it is.
    pub(super) fn is_of(&mut self, path: &Path, log: usize) {
        if let Some(folder) = path.parent() {
            self.folders.insert(folder.to_owned(), log);
        }
    }
}
