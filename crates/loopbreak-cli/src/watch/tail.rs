//! One file that grows: how far it was read, what came since, and by what it is known again.

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use xxhash_rust::xxh3::Xxh3;

/// How much is read at a time.
const CHUNK: usize = 1024 * 1024;
/// How much of what was read last is compared before more is taken: a file written anew is seen by it.
const REMEMBERED: usize = 64;
/// How much of the beginning is compared.
const BEGINNING: usize = 256;
/// How much of the beginning is kept to know a copy by.
const HEAD: usize = 4096;

/// Which file it is, whatever its name.
pub(super) type Identity = (u64, u64);

#[cfg(unix)]
pub(super) fn identity(about: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt as _;
    (about.dev(), about.ino())
}

#[cfg(not(unix))]
pub(super) fn identity(about: &Metadata) -> Identity {
    let born = about.created().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    (0, born.map_or(0, |since| since.as_nanos() as u64))
}

/// Which file it was, and what state it was in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) identity: Identity,
    pub(super) size: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    pub(super) fn of(about: &Metadata) -> Self {
        Stamp { identity: identity(about), size: about.len(), modified: about.modified().ok() }
    }

    /// How long ago it was written to.
    pub(super) fn age(&self) -> Option<Duration> {
        self.modified.and_then(|at| SystemTime::now().duration_since(at).ok())
    }
}

/// What became of a file since it was last looked at.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum News {
    /// Nothing.
    Same,
    /// It was written to.
    More,
    /// It was emptied, and perhaps written to since: what follows is another log.
    Anew,
    /// It is not there, or another file stands in its place.
    Away,
}

/// What is there to be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    Bytes(Vec<u8>),
    Nothing,
    /// What was read is not there any more: the file was written anew.
    Anew,
}

/// A file that is followed.
pub(super) struct Tail {
    pub(super) path: PathBuf,
    file: Option<File>,
    stamp: Option<Stamp>,
    /// Everything up to here was read.
    offset: u64,
    /// The first bytes, the last ones before the offset, and all up to there.
    head: Vec<u8>,
    last: Vec<u8>,
    hash: Xxh3,
}

impl Tail {
    pub(super) fn new(path: PathBuf) -> Self {
        Tail {
            path,
            file: None,
            stamp: None,
            offset: 0,
            head: Vec::new(),
            last: Vec::new(),
            hash: Xxh3::new(),
        }
    }

    pub(super) fn identity(&self) -> Option<Identity> {
        self.stamp.map(|stamp| stamp.identity)
    }

    pub(super) fn stamp(&self) -> Option<Stamp> {
        self.stamp
    }

    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    pub(super) fn size(&self) -> u64 {
        self.stamp.map_or(0, |stamp| stamp.size)
    }

    pub(super) fn is_open(&self) -> bool {
        self.file.is_some()
    }

    /// Looks at the file by its name.
    pub(super) fn look(&mut self) -> io::Result<News> {
        let about = match fs::metadata(&self.path) {
            Ok(about) => about,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(if self.stamp.is_some() { News::Away } else { News::Same });
            }
            Err(error) => return Err(error),
        };
        let stamp = Stamp::of(&about);
        if self.identity().is_some_and(|known| known != stamp.identity) {
            return Ok(News::Away);
        }
        let changed = self.stamp.replace(stamp) != Some(stamp);
        Ok(match changed {
            _ if stamp.size < self.offset => News::Anew,
            true => News::More,
            false => News::Same,
        })
    }

    /// The next bytes.
    pub(super) fn next(&mut self) -> io::Result<Next> {
        if !self.open()? {
            return Ok(Next::Nothing);
        }
        let Some(file) = &mut self.file else { return Ok(Next::Nothing) };
        // What was read last is read once more with what follows it, so that nothing can come between the two.
        let before = self.last.len();
        file.seek(SeekFrom::Start(self.offset - before as u64))?;
        let mut bytes = Vec::new();
        file.by_ref().take((before + CHUNK) as u64).read_to_end(&mut bytes)?;
        if bytes.get(..before) != Some(&self.last[..]) {
            return Ok(Next::Anew);
        }
        bytes.drain(..before);
        if bytes.is_empty() {
            return Ok(Next::Nothing);
        }
        // The last bytes may be like others, a row of blanks for instance. Looked at after them, the first ones tell.
        let mut first = vec![0; self.head.len().min(BEGINNING)];
        file.rewind()?;
        if file.read_exact(&mut first).is_err() || !self.head.starts_with(&first) {
            return Ok(Next::Anew);
        }
        self.take(&bytes);
        Ok(Next::Bytes(bytes))
    }

    fn open(&mut self) -> io::Result<bool> {
        if self.file.is_none() {
            let file = match File::open(&self.path) {
                Ok(file) => file,
                // It went away since it was looked at.
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
                Err(error) => return Err(error),
            };
            let is_same = self.identity() == Some(identity(&file.metadata()?));
            self.file = Some(file).filter(|_| is_same);
        }
        Ok(self.file.is_some())
    }

    fn take(&mut self, bytes: &[u8]) {
        self.offset += bytes.len() as u64;
        self.hash.update(bytes);
        let room = HEAD - self.head.len().min(HEAD);
        self.head.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.last.extend_from_slice(&bytes[bytes.len().saturating_sub(REMEMBERED)..]);
        let from = self.last.len().saturating_sub(REMEMBERED);
        self.last.drain(..from);
    }

    /// Gives back the open file; it is opened again when it grows.
    pub(super) fn rest(&mut self) {
        self.file = None;
    }

    /// Takes all of it as read: it begins with what was read, and nothing is to be read again from here.
    pub(super) fn goes_on_in(&mut self, path: PathBuf, stamp: Stamp) {
        (self.path, self.file, self.stamp) = (path, None, Some(stamp));
    }

    /// Finds the file under its new name, if it was renamed within its folder. Without that, or an open file, nothing more of it can
    /// be read.
    pub(super) fn find(&mut self) -> bool {
        let (Some(known), Some(folder)) = (self.identity(), self.path.parent()) else { return false };
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let Ok(entries) = fs::read_dir(folder) else { return false };
        for entry in entries.filter_map(Result::ok) {
            let Ok(about) = entry.metadata() else { continue };
            // The folder may be spelt in another way than in the path that was named.
            let path = self.path.with_file_name(entry.file_name());
            let is_it = || File::open(&path).is_ok_and(|mut file| self.is_in(&mut file));
            if about.is_file() && identity(&about) == known && is_it() {
                self.path = path;
                return true;
            }
        }
        false
    }

    /// Whether this is the file. Its number alone does not tell, for that is given to another file when the file is gone: it has
    /// to have at the same place what was read last.
    pub(super) fn is_in(&self, file: &mut File) -> bool {
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

    /// How much of what was read a file begins with.
    pub(super) fn likeness(&self, file: &mut File) -> io::Result<Likeness> {
        file.rewind()?;
        let size = file.metadata()?.len();
        if self.offset == 0 {
            return Ok(Likeness::None);
        }
        let mut head = Vec::new();
        file.by_ref().take(self.head.len() as u64).read_to_end(&mut head)?;
        if !self.head.starts_with(&head) {
            return Ok(Likeness::None);
        }
        if size < self.offset {
            return Ok(Likeness::Part);
        }
        file.rewind()?;
        let mut hash = Xxh3::new();
        let mut buffer = vec![0; CHUNK.min(self.offset as usize)];
        let mut left = self.offset;
        while left > 0 {
            let room = buffer.len().min(left as usize);
            let read = file.read(&mut buffer[..room])?;
            if read == 0 {
                return Ok(Likeness::Part);
            }
            hash.update(&buffer[..read]);
            left -= read as u64;
        }
        Ok(if hash.digest() == self.hash.digest() { Likeness::Whole } else { Likeness::None })
    }
}

/// Whether a file is a copy of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Likeness {
    /// It is none.
    None,
    /// It may be the beginning of one.
    Part,
    /// It begins with all that was read of the other.
    Whole,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(tail: &mut Tail) -> Next {
        tail.look().unwrap();
        tail.next().unwrap()
    }

    #[test]
    fn what_is_appended_is_read_once_and_a_file_written_anew_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        fs::write(&path, "one").unwrap();
        let mut tail = Tail::new(path.clone());
        assert_eq!(tail.look().unwrap(), News::More);
        assert_eq!(tail.next().unwrap(), Next::Bytes(b"one".to_vec()));
        assert_eq!((tail.look().unwrap(), tail.next().unwrap()), (News::Same, Next::Nothing));
        fs::write(&path, "one two").unwrap();
        assert_eq!(read(&mut tail), Next::Bytes(b" two".to_vec()));
        fs::write(&path, "another log, longer than before").unwrap();
        assert_eq!(read(&mut tail), Next::Anew);
        fs::write(&path, "").unwrap();
        assert_eq!(tail.look().unwrap(), News::Anew);
    }

    #[test]
    fn a_file_written_anew_is_noticed_where_it_happens_to_go_on_alike() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        fs::write(&path, "one".to_owned() + &"x".repeat(100)).unwrap();
        let mut tail = Tail::new(path.clone());
        read(&mut tail);
        fs::write(&path, "two".to_owned() + &"x".repeat(200)).unwrap();
        assert_eq!(read(&mut tail), Next::Anew);
    }

    #[test]
    fn a_renamed_file_is_found_and_a_copy_is_told_from_another_log() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("log"), "one\n").unwrap();
        let mut tail = Tail::new(at("log"));
        read(&mut tail);
        fs::write(at("copy"), "one\ntwo\n").unwrap();
        fs::write(at("begun"), "on").unwrap();
        fs::write(at("other"), "One\ntwo\n").unwrap();
        let like = |tail: &Tail, name| tail.likeness(&mut File::open(at(name)).unwrap()).unwrap();
        assert_eq!(like(&tail, "copy"), Likeness::Whole);
        assert_eq!(like(&tail, "begun"), Likeness::Part);
        assert_eq!(like(&tail, "other"), Likeness::None);
        tail.rest();
        fs::rename(at("log"), at("log.1")).unwrap();
        assert_eq!(tail.look().unwrap(), News::Away);
        assert!(tail.find());
        assert_eq!(tail.path, at("log.1"));
        fs::write(at("log.1"), "one\ntwo\n").unwrap();
        assert_eq!(read(&mut tail), Next::Bytes(b"two\n".to_vec()));
    }
}
