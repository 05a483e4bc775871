//! Writes one file of the cache.

use std::io::{self, BufWriter, Write as _};
use std::path::Path;
use std::time::{Duration, SystemTime};

use tempfile::NamedTempFile;

use super::segment_index::{self, ENTRY, HEAD, IndexEntry, STAMP};

/// End of the name of a file of the cache.
pub(super) const EXTENSION: &str = "cache";
/// Beginning of the name of a file that is not complete.
pub(super) const UNFINISHED: &str = ".new-";

/// Writes one file of the cache. It has a temporary name until it is complete.
#[derive(Debug)]
pub(super) struct SegmentWriter {
    file: BufWriter<NamedTempFile>,
    index: Vec<u8>,
    stamps: Vec<u8>,
    end: u64,
}

impl SegmentWriter {
    /// Creates the file, which only the user can read.
    pub(super) fn create(folder: &Path) -> io::Result<Self> {
        let file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(folder)?;
        let mut file = BufWriter::with_capacity(1 << 16, file);
        file.write_all(&segment_index::head())?;
        Ok(SegmentWriter { file, index: Vec::new(), stamps: Vec::new(), end: HEAD as u64 })
    }

    /// Returns the size of the file in bytes when it is complete.
    pub(super) fn size(&self) -> u64 {
        self.end + (self.index.len() + self.stamps.len() + segment_index::TAIL) as u64
    }

    /// Adds an entry that was used at this time.
    pub(super) fn add(
        &mut self,
        key: u128,
        identity: u128,
        content: &[u8],
        used: Duration,
    ) -> io::Result<()> {
        let checksum = IndexEntry::checksum_of(key, identity, content);
        let length = content.len() as u64;
        self.add_unchecked(IndexEntry { key, identity, offset: 0, length, checksum }, content, used)
    }

    /// Copies an entry of another file with its checksum.
    pub(super) fn add_unchecked(
        &mut self,
        entry: IndexEntry,
        content: &[u8],
        used: Duration,
    ) -> io::Result<()> {
        self.file.write_all(content)?;
        self.index.extend(IndexEntry { offset: self.end, ..entry }.to_bytes());
        self.stamps.extend(used.as_secs().to_le_bytes());
        self.end += content.len() as u64;
        Ok(())
    }

    /// Completes the file and gives it its name. Names sort by time.
    pub(super) fn finish(mut self, folder: &Path, now: Duration) -> io::Result<()> {
        debug_assert_eq!(self.index.len() / ENTRY, self.stamps.len() / STAMP);
        self.file.write_all(&self.index)?;
        self.file.write_all(&self.stamps)?;
        self.file.write_all(&segment_index::tail(&self.index, self.end))?;
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        // The random part of the temporary name keeps the names of two processes apart.
        let random = file.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        let random = random.trim_start_matches(UNFINISHED);
        let name = format!("{:012x}-{random}.{EXTENSION}", now.as_millis());
        // Without waiting for the disk: after a power cut the checksums tell that the file is not whole.
        file.persist_noclobber(folder.join(name))?;
        Ok(())
    }
}

/// Returns the time since 1970.
pub(super) fn since_epoch(time: SystemTime) -> Duration {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}
