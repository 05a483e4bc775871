//! Reads files that a user or a project names, and no more of them than is sensible.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

/// Paths of the streams of this process. A shell passes `<(command)` as one of them.
const STREAMS: [&str; 4] = ["/dev/stdin", "/dev/fd", "/proc/self/fd", "/dev/null"];

/// Reads a whole file of at most `max_bytes`. A named pipe would block until somebody writes to it, and a device may
/// never end, so both are refused; `/dev/stdin` and the pipes that a shell opens for `<(command)` are read.
pub fn read_limited_file(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    refuse_endless_file(path)?;
    let mut bytes = Vec::new();
    File::open(path)?.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes {
        let limit = match max_bytes {
            0..1_048_576 => format!("{} kB", max_bytes / 1024),
            _ => format!("{} MB", max_bytes / (1024 * 1024)),
        };
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("larger than {limit}")));
    }
    Ok(bytes)
}

/// Returns an error for a named pipe or a device.
pub(super) fn refuse_endless_file(path: &Path) -> io::Result<()> {
    let about = fs::metadata(path)?;
    if about.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if about.is_file() || STREAMS.iter().any(|stream| path.starts_with(stream)) {
        return Ok(());
    }
    Err(io::Error::other("not a regular file"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_up_to_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, vec![b'x'; 2048]).unwrap();
        assert_eq!(read_limited_file(&path, 2048).unwrap().len(), 2048);
        assert_eq!(read_limited_file(&path, 2047).unwrap_err().to_string(), "larger than 1 kB");
        assert!(read_limited_file(folder.path(), 10).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn devices_and_named_pipes_are_refused_and_streams_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        for path in [&pipe, &link, Path::new("/dev/zero")] {
            let error = read_limited_file(path, 1024).unwrap_err();
            assert_eq!(error.to_string(), "not a regular file", "{}", path.display());
        }
        assert_eq!(read_limited_file(Path::new("/dev/null"), 1024).unwrap(), b"");
    }
}
