//! A story file and its header.

use std::sync::Arc;

use thiserror::Error;

/// Size of the header.
const HEADER: usize = 64;
/// Maximum size that version 3 can address.
const LARGEST: usize = 128 * 1024;
/// Address of the second flags, whose lowest bit asks for a transcript.
pub(super) const FLAGS_2: u16 = 0x10;

/// The reason why a file is not a playable story.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum StoryError {
    /// Shorter than its header.
    #[error("the file has {0} bytes: too short for a story file")]
    TooShort(usize),
    /// Longer than version 3 allows.
    #[error("the file has {0} bytes: a story file of version 3 has at most {LARGEST}")]
    TooLong(usize),
    /// Another version, or not a story file.
    #[error("version {0} is not supported: only story files of version 3 (.z3) are")]
    Version(u8),
    /// The header points to a table outside the file.
    #[error("the header is damaged: {table} at {address:#x} lies outside the file")]
    Header {
        /// Name of the table.
        table: &'static str,
        /// Address in the header.
        address: u16,
    },
}

/// A story file with a checked header. It is shared by all machines that play it and never modified.
#[derive(Clone, Debug)]
pub struct StoryFile {
    bytes: Arc<[u8]>,
    pub(super) start: u16,
    pub(super) dictionary: u16,
    pub(super) objects: u16,
    pub(super) globals: u16,
    pub(super) static_base: u16,
    pub(super) abbreviations: u16,
    pub(super) checksum: u16,
    pub(super) tells_time: bool,
    length: usize,
    release: u16,
    serial: [u8; 6],
}

impl StoryFile {
    /// Parses a story file.
    pub fn new(bytes: &[u8]) -> Result<Self, StoryError> {
        if bytes.len() < HEADER {
            return Err(StoryError::TooShort(bytes.len()));
        }
        if bytes[0] != 3 {
            return Err(StoryError::Version(bytes[0]));
        }
        if bytes.len() > LARGEST {
            return Err(StoryError::TooLong(bytes.len()));
        }
        let word = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
        let inside = |table: &'static str, at: usize| {
            let address = word(at);
            let there = (HEADER..bytes.len()).contains(&usize::from(address));
            if there { Ok(address) } else { Err(StoryError::Header { table, address }) }
        };
        let mut serial = [0; 6];
        serial.copy_from_slice(&bytes[0x12..0x18]);
        // Files are padded to full blocks; the header may contain the actual length.
        let length = match usize::from(word(0x1a)) * 2 {
            length @ HEADER.. if length <= bytes.len() => length,
            _ => bytes.len(),
        };
        Ok(StoryFile {
            start: inside("the first instruction", 0x06)?,
            dictionary: inside("the dictionary", 0x08)?,
            objects: inside("the object table", 0x0a)?,
            globals: inside("the table of global variables", 0x0c)?,
            static_base: inside("the static memory", 0x0e)?,
            // Stories without abbreviations have no table.
            abbreviations: word(0x18),
            checksum: word(0x1c),
            tells_time: bytes[1] & 0b10 != 0,
            length,
            release: word(0x02),
            serial,
            bytes: bytes.into(),
        })
    }

    /// Returns the release number.
    pub fn release(&self) -> u16 {
        self.release
    }

    /// Returns the serial number, usually the compilation date.
    pub fn serial(&self) -> String {
        self.serial.iter().map(|byte| if byte.is_ascii_graphic() { char::from(*byte) } else { '?' }).collect()
    }

    /// Returns whether the checksum matches.
    pub fn is_intact(&self) -> bool {
        let sum =
            self.bytes[HEADER..self.length].iter().fold(0_u16, |sum, byte| sum.wrapping_add((*byte).into()));
        sum == self.checksum
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the initial content of the writable memory.
    pub(super) fn dynamic(&self) -> &[u8] {
        &self.bytes[..usize::from(self.static_base)]
    }

    pub(super) fn is_same(&self, other: &StoryFile) -> bool {
        Arc::ptr_eq(&self.bytes, &other.bytes) || self.bytes == other.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn smallest() -> Vec<u8> {
        let mut bytes = vec![0; 128];
        bytes[0] = 3;
        for at in [0x06, 0x08, 0x0a, 0x0c, 0x0e] {
            bytes[at + 1] = 64;
        }
        bytes
    }

    #[test]
    fn rejects_files_that_are_not_stories_of_version_3() {
        assert_eq!(StoryFile::new(b"PK").unwrap_err(), StoryError::TooShort(2));
        let mut other = smallest();
        other[0] = 5;
        let error = StoryFile::new(&other).unwrap_err();
        assert_eq!(error.to_string(), "version 5 is not supported: only story files of version 3 (.z3) are");
        let mut long = smallest();
        long.resize(LARGEST + 1, 0);
        assert_eq!(StoryFile::new(&long).unwrap_err(), StoryError::TooLong(LARGEST + 1));
        assert!(StoryFile::new(&smallest()).is_ok());
    }

    #[test]
    fn an_error_names_the_table_outside_the_file() {
        let mut bytes = smallest();
        bytes[0x08] = 0xff;
        let error = StoryFile::new(&bytes).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the header is damaged: the dictionary at 0xff40 lies outside the file"
        );
    }
}
