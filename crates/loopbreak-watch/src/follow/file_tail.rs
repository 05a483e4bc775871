//! One growing file: its read offset, its appended content, and the means to recognise it again.

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use xxhash_rust::xxh3::Xxh3;

/// The number of bytes that are read at a time.
const CHUNK: usize = 1024 * 1024;
/// The number of bytes before the offset that are compared before more is read. They reveal a rewritten file.
const LAST_BYTES: usize = 64;
/// The number of bytes at the beginning that are compared.
const FIRST_BYTES: usize = 256;
/// The number of bytes at the beginning that are kept to recognise a copy.
const HEAD_BYTES: usize = 4096;

/// Identifies a file independently of its name.
pub(crate) type FileIdentity = (u64, u64);

#[cfg(unix)]
pub(crate) fn identity(metadata: &Metadata) -> FileIdentity {
    use std::os::unix::fs::MetadataExt as _;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
pub(crate) fn identity(metadata: &Metadata) -> FileIdentity {
    let born = metadata.created().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    (0, born.map_or(0, |since| since.as_nanos() as u64))
}

/// The identity and state of a file at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileStamp {
    pub(crate) identity: FileIdentity,
    pub(crate) size: u64,
    modified: Option<SystemTime>,
}

impl FileStamp {
    pub(crate) fn new(metadata: &Metadata) -> Self {
        FileStamp { identity: identity(metadata), size: metadata.len(), modified: metadata.modified().ok() }
    }

    /// Returns how long ago it was written to.
    pub(crate) fn age(&self) -> Option<Duration> {
        self.modified.and_then(|at| SystemTime::now().duration_since(at).ok())
    }
}

/// The change of a file since the last check.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FileChange {
    /// It did not change.
    Unchanged,
    /// It was written to.
    Grown,
    /// It was truncated, and perhaps written to since: its content is another log.
    Truncated,
    /// It does not exist, or another file has its path.
    Gone,
}

/// The result of reading the next bytes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum TailRead {
    Bytes(Vec<u8>),
    Nothing,
    /// The file was rewritten: what was read is no longer there.
    Rewritten,
}

/// A file that is followed.
pub(crate) struct FileTail {
    pub(crate) path: PathBuf,
    file: Option<File>,
    stamp: Option<FileStamp>,
    /// Everything before this offset was read.
    offset: u64,
    /// The first bytes, the last bytes before the offset, and a hash of everything before it.
    head: Vec<u8>,
    last: Vec<u8>,
    hash: Xxh3,
}

impl FileTail {
    pub(crate) fn new(path: PathBuf) -> Self {
        FileTail {
            path,
            file: None,
            stamp: None,
            offset: 0,
            head: Vec::new(),
            last: Vec::new(),
            hash: Xxh3::new(),
        }
    }

    pub(crate) fn identity(&self) -> Option<FileIdentity> {
        self.stamp.map(|stamp| stamp.identity)
    }

    pub(crate) fn stamp(&self) -> Option<FileStamp> {
        self.stamp
    }

    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    pub(crate) fn size(&self) -> u64 {
        self.stamp.map_or(0, |stamp| stamp.size)
    }

    pub(crate) fn is_open(&self) -> bool {
        self.file.is_some()
    }

    /// Checks the file at the path.
    pub(crate) fn check(&mut self) -> io::Result<FileChange> {
        let metadata = match fs::metadata(&self.path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(if self.stamp.is_some() { FileChange::Gone } else { FileChange::Unchanged });
            }
            Err(error) => return Err(error),
        };
        let stamp = FileStamp::new(&metadata);
        if self.identity().is_some_and(|known| known != stamp.identity) {
            return Ok(FileChange::Gone);
        }
        let changed = self.stamp.replace(stamp) != Some(stamp);
        Ok(match changed {
            _ if stamp.size < self.offset => FileChange::Truncated,
            true => FileChange::Grown,
            false => FileChange::Unchanged,
        })
    }

    /// Reads the next bytes.
    pub(crate) fn read_next(&mut self) -> io::Result<TailRead> {
        if !self.open()? {
            return Ok(TailRead::Nothing);
        }
        let Some(file) = &mut self.file else { return Ok(TailRead::Nothing) };
        // The last bytes are read again together with what follows, so nothing can happen in between.
        let before = self.last.len();
        file.seek(SeekFrom::Start(self.offset - before as u64))?;
        let mut bytes = Vec::new();
        file.by_ref().take((before + CHUNK) as u64).read_to_end(&mut bytes)?;
        if bytes.get(..before) != Some(&self.last[..]) {
            return Ok(TailRead::Rewritten);
        }
        bytes.drain(..before);
        if bytes.is_empty() {
            return Ok(TailRead::Nothing);
        }
        // The last bytes may be equal by chance, for example spaces. The first bytes then reveal a rewritten file.
        let mut first = vec![0; self.head.len().min(FIRST_BYTES)];
        file.rewind()?;
        if file.read_exact(&mut first).is_err() || !self.head.starts_with(&first) {
            return Ok(TailRead::Rewritten);
        }
        self.advance(&bytes);
        Ok(TailRead::Bytes(bytes))
    }

    fn open(&mut self) -> io::Result<bool> {
        if self.file.is_none() {
            let file = match File::open(&self.path) {
                Ok(file) => file,
                // It disappeared since the check.
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
                Err(error) => return Err(error),
            };
            let is_same = self.identity() == Some(identity(&file.metadata()?));
            self.file = Some(file).filter(|_| is_same);
        }
        Ok(self.file.is_some())
    }

    fn advance(&mut self, bytes: &[u8]) {
        self.offset += bytes.len() as u64;
        self.hash.update(bytes);
        let room = HEAD_BYTES - self.head.len().min(HEAD_BYTES);
        self.head.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.last.extend_from_slice(&bytes[bytes.len().saturating_sub(LAST_BYTES)..]);
        let from = self.last.len().saturating_sub(LAST_BYTES);
        self.last.drain(..from);
    }

    /// Closes the file. It is opened again when it grows.
    pub(crate) fn close(&mut self) {
        self.file = None;
    }

    /// Continues in another file, which begins with everything read so far.
    pub(crate) fn continue_in(&mut self, path: PathBuf, stamp: FileStamp) {
        (self.path, self.file, self.stamp) = (path, None, Some(stamp));
    }

    /// Finds the file under its new name, if it was renamed within its folder. Without that, or an open file, nothing more
    /// of it can be read.
    pub(crate) fn find(&mut self) -> bool {
        let (Some(known), Some(folder)) = (self.identity(), self.path.parent()) else { return false };
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let Ok(entries) = fs::read_dir(folder) else { return false };
        for entry in entries.filter_map(Result::ok) {
            let Ok(metadata) = entry.metadata() else { continue };
            // The folder may have another spelling than in the path that the user gave.
            let path = self.path.with_file_name(entry.file_name());
            let is_it = || File::open(&path).is_ok_and(|mut file| self.is_in(&mut file));
            if metadata.is_file() && identity(&metadata) == known && is_it() {
                self.path = path;
                return true;
            }
        }
        false
    }

    /// Returns whether this is the file. The inode number is not enough because it is reused: the file must also have the
    /// last bytes that were read, at the same offset.
    pub(crate) fn is_in(&self, file: &mut File) -> bool {
        let mut read = || -> io::Result<bool> {
            if Some(identity(&file.metadata()?)) != self.identity() {
                return Ok(false);
            }
            file.seek(SeekFrom::Start(self.offset - self.last.len() as u64))?;
            let mut now = vec![0; self.last.len()];
            file.read_exact(&mut now)?;
            Ok(now == self.last)
        };
        read().unwrap_or(false)
    }

    /// Compares the beginning of a file with the content read so far.
    pub(crate) fn match_copy(&self, file: &mut File) -> io::Result<CopyMatch> {
        file.rewind()?;
        let size = file.metadata()?.len();
        if self.offset == 0 {
            return Ok(CopyMatch::None);
        }
        let mut head = Vec::new();
        file.by_ref().take(self.head.len() as u64).read_to_end(&mut head)?;
        if !self.head.starts_with(&head) {
            return Ok(CopyMatch::None);
        }
        if size < self.offset {
            return Ok(CopyMatch::Partial);
        }
        file.rewind()?;
        let mut hash = Xxh3::new();
        let mut buffer = vec![0; CHUNK.min(self.offset as usize)];
        let mut left = self.offset;
        while left > 0 {
            let room = buffer.len().min(left as usize);
            let read = file.read(&mut buffer[..room])?;
            if read == 0 {
                return Ok(CopyMatch::Partial);
            }
            hash.update(&buffer[..read]);
            left -= read as u64;
        }
        Ok(if hash.digest() == self.hash.digest() { CopyMatch::Complete } else { CopyMatch::None })
    }
}

/// The result of comparing a file with another one that it may be a copy of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CopyMatch {
    /// It is not a copy.
    None,
    /// It may be the beginning of a copy.
    Partial,
    /// It begins with everything that was read of the other file.
    Complete,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(tail: &mut FileTail) -> TailRead {
        tail.check().unwrap();
        tail.read_next().unwrap()
    }

    #[test]
    fn reads_appended_bytes_once_and_notices_a_rewritten_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        fs::write(&path, "one").unwrap();
        let mut tail = FileTail::new(path.clone());
        assert_eq!(tail.check().unwrap(), FileChange::Grown);
        assert_eq!(tail.read_next().unwrap(), TailRead::Bytes(b"one".to_vec()));
        assert_eq!(
            (tail.check().unwrap(), tail.read_next().unwrap()),
            (FileChange::Unchanged, TailRead::Nothing)
        );
        fs::write(&path, "one two").unwrap();
        assert_eq!(read(&mut tail), TailRead::Bytes(b" two".to_vec()));
        fs::write(&path, "another log, longer than before").unwrap();
        assert_eq!(read(&mut tail), TailRead::Rewritten);
        fs::write(&path, "").unwrap();
        assert_eq!(tail.check().unwrap(), FileChange::Truncated);
    }

    #[test]
    fn notices_a_rewritten_file_that_continues_with_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        fs::write(&path, "one".to_owned() + &"x".repeat(100)).unwrap();
        let mut tail = FileTail::new(path.clone());
        read(&mut tail);
        fs::write(&path, "two".to_owned() + &"x".repeat(200)).unwrap();
        assert_eq!(read(&mut tail), TailRead::Rewritten);
    }

    #[test]
    fn finds_a_renamed_file_and_distinguishes_a_copy_from_another_log() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("log"), "one\n").unwrap();
        let mut tail = FileTail::new(at("log"));
        read(&mut tail);
        fs::write(at("copy"), "one\ntwo\n").unwrap();
        fs::write(at("begun"), "on").unwrap();
        fs::write(at("other"), "One\ntwo\n").unwrap();
        let like = |tail: &FileTail, name| tail.match_copy(&mut File::open(at(name)).unwrap()).unwrap();
        assert_eq!(like(&tail, "copy"), CopyMatch::Complete);
        assert_eq!(like(&tail, "begun"), CopyMatch::Partial);
        assert_eq!(like(&tail, "other"), CopyMatch::None);
        tail.close();
        fs::rename(at("log"), at("log.1")).unwrap();
        assert_eq!(tail.check().unwrap(), FileChange::Gone);
        assert!(tail.find());
        assert_eq!(tail.path, at("log.1"));
        fs::write(at("log.1"), "one\ntwo\n").unwrap();
        assert_eq!(read(&mut tail), TailRead::Bytes(b"two\n".to_vec()));
    }
}
