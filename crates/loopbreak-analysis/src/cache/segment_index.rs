//! The layout of a file of the cache.
//!
//! ```text
//! magic, version      16 bytes
//! contents            one after the other
//! index               64 bytes per entry
//! times of last use   8 bytes per entry, the only part that changes
//! start of the index, number of entries, checksum of the index, magic
//! ```

use std::io;

use xxhash_rust::xxh3::Xxh3;

/// First bytes of a file, and its last ones.
const MAGIC: [u8; 8] = *b"LBanalys";
/// Version of the layout.
pub(super) const VERSION: u32 = 1;
/// Size of the first and of the last part in bytes.
pub(super) const HEAD: usize = 16;
pub(super) const TAIL: usize = 32;
/// Size of an entry of the index in bytes.
pub(super) const ENTRY: usize = 64;
/// Size of the time of last use in bytes.
pub(super) const STAMP: usize = 8;

/// An entry of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IndexEntry {
    /// The key of the result, whatever the content of the log.
    pub(super) key: u128,
    /// The identity of the files of the log.
    pub(super) identity: u128,
    pub(super) offset: u64,
    pub(super) length: u64,
    /// Checksum of key, identity and content.
    pub(super) checksum: u64,
}

impl IndexEntry {
    /// Computes the checksum of an entry with this content.
    pub(super) fn checksum_of(key: u128, identity: u128, content: &[u8]) -> u64 {
        let mut hash = Xxh3::new();
        hash.update(&key.to_le_bytes());
        hash.update(&identity.to_le_bytes());
        hash.update(content);
        hash.digest()
    }

    pub(super) fn to_bytes(self) -> [u8; ENTRY] {
        let mut bytes = [0; ENTRY];
        bytes[..16].copy_from_slice(&self.key.to_le_bytes());
        bytes[16..32].copy_from_slice(&self.identity.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.offset.to_le_bytes());
        bytes[40..48].copy_from_slice(&self.length.to_le_bytes());
        bytes[48..56].copy_from_slice(&self.checksum.to_le_bytes());
        bytes
    }

    /// Reads an entry from at least [`ENTRY`] bytes.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Some(IndexEntry {
            key: u128::from_le_bytes(bytes.get(..16)?.try_into().ok()?),
            identity: u128::from_le_bytes(bytes.get(16..32)?.try_into().ok()?),
            offset: number(bytes, 32)?,
            length: number(bytes, 40)?,
            checksum: number(bytes, 48)?,
        })
    }
}

/// Returns the first bytes of a file.
pub(super) fn head() -> [u8; HEAD] {
    let mut bytes = [0; HEAD];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
    bytes
}

/// Returns the version of a file that begins with these bytes, or `None` if it is not a file of the cache.
pub(super) fn version(head: &[u8]) -> Option<u32> {
    let version = head.strip_prefix(&MAGIC)?.get(..4)?;
    Some(u32::from_le_bytes(version.try_into().ok()?))
}

/// Returns the last bytes of a file with this index.
pub(super) fn tail(index: &[u8], start: u64) -> [u8; TAIL] {
    let mut bytes = [0; TAIL];
    bytes[..8].copy_from_slice(&start.to_le_bytes());
    bytes[8..16].copy_from_slice(&((index.len() / ENTRY) as u64).to_le_bytes());
    bytes[16..24].copy_from_slice(&checksum(index).to_le_bytes());
    bytes[24..].copy_from_slice(&MAGIC);
    bytes
}

/// The place of the index, from the last bytes of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct IndexPlace {
    pub(super) start: u64,
    pub(super) entries: usize,
    checksum: u64,
}

impl IndexPlace {
    /// Reads the place from the last [`TAIL`] bytes of a file of this size. Returns `None` if the file cannot have that index.
    pub(super) fn from_tail(tail: &[u8], size: u64) -> Option<Self> {
        let (start, entries) = (number(tail, 0)?, number(tail, 8)?);
        let length = entries.checked_mul((ENTRY + STAMP) as u64)?;
        let end = start.checked_add(length)?.checked_add(TAIL as u64)?;
        let fits = start >= HEAD as u64 && end == size && tail.get(24..)? == MAGIC;
        fits.then_some(IndexPlace {
            start,
            entries: usize::try_from(entries).ok()?,
            checksum: number(tail, 16)?,
        })
    }

    /// Reads the entries of the index. Returns `None` if it is damaged.
    pub(super) fn entries(&self, index: &[u8]) -> Option<Vec<IndexEntry>> {
        if checksum(index) != self.checksum {
            return None;
        }
        let entries: Option<Vec<IndexEntry>> =
            index.chunks_exact(ENTRY).map(IndexEntry::from_bytes).collect();
        let is_inside = |entry: &IndexEntry| {
            entry.offset >= HEAD as u64
                && entry.offset.checked_add(entry.length).is_some_and(|end| end <= self.start)
        };
        entries.filter(|entries| entries.iter().all(is_inside))
    }
}

fn checksum(index: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(index)
}

fn number(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

/// Returns the error for a file that is not one of this cache.
pub(super) fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "not a file of the cache, or damaged")
}
