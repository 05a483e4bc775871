//! Reads files that may come with a cloned repository.

use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

use loopbreak_store::open_regular_file;

/// Longest file that is read, in bytes. The largest known one keeps the history of an agent.
const MAX_BYTES: u64 = 16 << 20;

/// Reads a text file. A pipe, a device or a very long file is an error, and nothing of it is read.
pub(crate) fn read_bounded(path: &Path) -> io::Result<String> {
    let file = open_regular_file(path)?;
    if file.metadata()?.len() > MAX_BYTES {
        return Err(io::Error::new(ErrorKind::InvalidInput, "the file is too long"));
    }
    let mut text = String::new();
    // The file may grow between the two calls.
    file.take(MAX_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use super::*;

    #[test]
    fn only_files_of_a_reasonable_length_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        fs::write(&path, "{}").unwrap();
        assert_eq!(read_bounded(&path).unwrap(), "{}");
        assert!(read_bounded(folder.path()).unwrap_err().to_string().contains("not a file"));
        File::create(&path).unwrap().set_len(MAX_BYTES + 1).unwrap();
        assert!(read_bounded(&path).unwrap_err().to_string().contains("too long"));
    }
}
