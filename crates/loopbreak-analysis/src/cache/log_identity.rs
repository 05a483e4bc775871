//! The identity of the files of a log, which changes when one of them does.

use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use loopbreak_store::open_regular_file;
use loopbreak_trace::LogInput;
use xxhash_rust::xxh3::Xxh3;

/// Size of the parts at the beginning and at the end of a file that are compared, in bytes.
const SAMPLE: usize = 4096;
/// First bytes of a database.
const DATABASE: &[u8] = b"SQLite format 3\0";
/// A file that is written twice within this time may have the same time after both.
const CLOCK_STEP: Duration = Duration::from_millis(20);
/// The same, for file systems that store whole seconds.
const COARSE_CLOCK_STEP: Duration = Duration::from_secs(2);

/// The identity of the files of a log: size, times, number and samples of the content of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LogIdentity {
    pub(super) hash: u128,
    /// The last change of any of them, since 1970.
    changed: Duration,
    /// A time has no fraction of a second.
    is_coarse: bool,
}

impl LogIdentity {
    /// Reads the identity. Returns `None` if the log is a stream, or if one of its files cannot be read.
    pub(super) fn read(input: &LogInput) -> Option<Self> {
        input.path()?;
        let mut reader = IdentityReader { hash: Xxh3::new(), changed: Duration::ZERO, is_coarse: false };
        for (path, _) in input.files() {
            reader.add(path).ok()?;
        }
        let IdentityReader { hash, changed, is_coarse } = reader;
        Some(LogIdentity { hash: hash.digest128(), changed, is_coarse })
    }

    /// Returns whether every later change gives the files another time. Otherwise a change right after the reading could go
    /// unnoticed.
    pub(super) fn is_settled(&self, now: SystemTime) -> bool {
        let step = if self.is_coarse { COARSE_CLOCK_STEP } else { CLOCK_STEP };
        now.duration_since(SystemTime::UNIX_EPOCH).is_ok_and(|now| self.changed + step <= now)
    }
}

/// Reads the identity of one file after the other.
struct IdentityReader {
    hash: Xxh3,
    changed: Duration,
    is_coarse: bool,
}

impl IdentityReader {
    fn add(&mut self, path: &Path) -> io::Result<()> {
        if self.add_file(path)? {
            // The newest content of a database is in the file beside it.
            for suffix in ["-wal", "-journal"] {
                let beside = with_suffix(path, suffix);
                if beside.metadata().is_ok_and(|about| about.len() > 0) {
                    self.add_file(&beside)?;
                }
                self.hash.update(suffix.as_bytes());
            }
        }
        Ok(())
    }

    /// Adds a file. Returns whether it is a database.
    fn add_file(&mut self, path: &Path) -> io::Result<bool> {
        let mut file = open_regular_file(path)?;
        let about = file.metadata()?;
        self.add_metadata(&about)?;
        let mut sample = [0; SAMPLE];
        let head = read_sample(&mut file, &mut sample)?;
        self.hash.update(&sample[..head]);
        let is_database = sample[..head].starts_with(DATABASE);
        if about.len() > SAMPLE as u64 {
            file.seek(SeekFrom::Start(about.len().saturating_sub(SAMPLE as u64).max(SAMPLE as u64)))?;
            let tail = read_sample(&mut file, &mut sample)?;
            self.hash.update(&sample[..tail]);
        }
        Ok(is_database)
    }

    fn add_metadata(&mut self, about: &Metadata) -> io::Result<()> {
        let modified = about.modified()?.duration_since(SystemTime::UNIX_EPOCH).map_err(io::Error::other)?;
        self.hash.update(&about.len().to_le_bytes());
        self.add_time(modified);
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            self.hash.update(&about.dev().to_le_bytes());
            self.hash.update(&about.ino().to_le_bytes());
            // A program can set the time of the last change of the content, but not this one.
            let seconds = u64::try_from(about.ctime()).map_err(io::Error::other)?;
            self.add_time(Duration::new(seconds, u32::try_from(about.ctime_nsec()).unwrap_or(0)));
        }
        Ok(())
    }

    fn add_time(&mut self, time: Duration) {
        self.hash.update(&time.as_nanos().to_le_bytes());
        self.changed = self.changed.max(time);
        self.is_coarse |= time.subsec_nanos() == 0;
    }
}

/// Fills the buffer as far as the file reaches.
fn read_sample(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while length < buffer.len() {
        match file.read(&mut buffer[length..])? {
            0 => break,
            count => length += count,
        }
    }
    Ok(length)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;

    use super::*;

    fn identity(path: &Path) -> LogIdentity {
        LogIdentity::read(&LogInput::file(path)).unwrap()
    }

    #[test]
    fn a_file_that_was_rewritten_with_the_same_size_and_time_has_another_identity() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        fs::write(&path, "x".repeat(20_000)).unwrap();
        let (before, time) = (identity(&path), fs::metadata(&path).unwrap().modified().unwrap());
        assert_eq!(before, identity(&path));
        for at in [0, 10_000, 19_999] {
            let mut file = fs::OpenOptions::new().write(true).open(&path).unwrap();
            file.seek(SeekFrom::Start(at)).unwrap();
            file.write_all(b"y").unwrap();
            file.set_modified(time).unwrap();
            let after = identity(&path);
            if at != 10_000 || cfg!(unix) {
                assert_ne!(before.hash, after.hash, "{at}");
            }
        }
    }

    #[test]
    fn the_newest_content_of_a_database_is_in_another_file() {
        let folder = tempfile::tempdir().unwrap();
        let (path, log) = (folder.path().join("a.db"), folder.path().join("a.db-wal"));
        fs::write(&path, [DATABASE, &[0; 100]].concat()).unwrap();
        let before = identity(&path);
        fs::write(&log, "").unwrap();
        assert_eq!(before, identity(&path), "an empty file is as good as none");
        fs::write(&log, "x").unwrap();
        assert_ne!(before.hash, identity(&path).hash);
    }

    #[test]
    fn a_stream_and_a_missing_file_have_no_identity() {
        assert_eq!(LogIdentity::read(&LogInput::stdin()), None);
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(LogIdentity::read(&LogInput::file(folder.path().join("none"))), None);
        assert_eq!(LogIdentity::read(&LogInput::file(folder.path())), None);
    }

    #[test]
    fn a_file_that_was_just_written_is_not_settled() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        fs::write(&path, "x").unwrap();
        let identity = identity(&path);
        let changed = SystemTime::UNIX_EPOCH + identity.changed;
        assert!(!identity.is_settled(changed));
        assert!(identity.is_settled(changed + COARSE_CLOCK_STEP));
    }
}
