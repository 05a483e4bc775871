//! The story that is part of the crate, and stories in files. The source of the built-in story is in `story/`.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use thiserror::Error;

use crate::zmachine::{StoryError, StoryFile};

/// "Spillway", a small adventure at a dam: about thirty rooms, 100 points, and many ways to get stuck.
pub const SPILLWAY: &[u8] = include_bytes!("../story/spillway.z3");

/// The name that selects "Spillway" in place of a file.
pub const SPILLWAY_NAME: &str = "spillway";

/// The maximum score of "Spillway".
pub const SPILLWAY_SCORE: i32 = 100;

/// Maximum size of a file that is read. Stories of version 3 have at most 128 kB; the rest is a safety margin.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// Returns "Spillway", ready to be played.
#[expect(clippy::missing_panics_doc, clippy::expect_used, reason = "the tests play it: it is a valid story")]
pub fn spillway() -> Arc<StoryFile> {
    Arc::new(StoryFile::new(SPILLWAY).expect("the built-in story is valid"))
}

/// The reason why a story cannot be opened.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoryOpenError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The path is that of a folder, a pipe or a device.
    #[error("not a regular file")]
    NotRegular,
    /// The file is too large for a story.
    #[error("too large for a story")]
    TooLarge,
    /// The file is not a playable story.
    #[error(transparent)]
    Story(#[from] StoryError),
}

/// Opens the story in a file, or the built-in one for [`SPILLWAY_NAME`].
pub fn open(path: &Path) -> Result<Arc<StoryFile>, StoryOpenError> {
    if path == Path::new(SPILLWAY_NAME) {
        return Ok(spillway());
    }
    // A pipe would block, and a device may never end.
    if !std::fs::metadata(path)?.is_file() {
        return Err(StoryOpenError::NotRegular);
    }
    let mut story = Vec::new();
    File::open(path)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut story)?;
    if story.len() as u64 > MAX_FILE_BYTES {
        return Err(StoryOpenError::TooLarge);
    }
    Ok(Arc::new(StoryFile::new(&story)?))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    /// A device has no size and no end.
    #[test]
    fn a_device_is_not_a_story() {
        assert!(matches!(open(Path::new("/dev/zero")), Err(StoryOpenError::NotRegular)));
        assert!(open(Path::new(SPILLWAY_NAME)).is_ok());
    }
}
