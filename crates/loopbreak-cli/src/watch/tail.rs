//! One file that grows: what was read of it, and what came since. Half a line waits for its rest.

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use loopbreak_trace::LONGEST_LINE;

/// How much is read at a time, unless a line is longer.
const CHUNK: usize = 1024 * 1024;
/// How much of what was read last is compared before more is read: a file written anew is seen by it.
const REMEMBERED: usize = 64;

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

/// What became of a file since it was last looked at.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum News {
    /// Nothing.
    Same,
    /// More was written.
    Grown,
    /// It was emptied, or another file stands in its place: what follows is another log.
    Anew,
    /// Another file stands in its place, but this one is still open: read what is left of it, then let it rest.
    Replaced,
    /// It was moved away or deleted. What is still written to it comes through the open file.
    Gone,
}

/// A file that is followed.
#[derive(Debug)]
pub(super) struct Tail {
    pub(super) path: PathBuf,
    file: Option<File>,
    identity: Option<Identity>,
    /// Everything up to here was given out.
    offset: u64,
    /// The last bytes before the offset.
    last: Vec<u8>,
    size: u64,
}

impl Tail {
    pub(super) fn new(path: PathBuf) -> Self {
        Tail { path, file: None, identity: None, offset: 0, last: Vec::new(), size: 0 }
    }

    pub(super) fn identity(&self) -> Option<Identity> {
        self.identity
    }

    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Looks at the file by its name.
    pub(super) fn look(&mut self) -> io::Result<News> {
        let about = match fs::metadata(&self.path) {
            Ok(about) => about,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(News::Gone),
            Err(error) => return Err(error),
        };
        let (identity, size) = (identity(&about), about.len());
        let replaced = self.identity.is_some_and(|known| known != identity);
        if replaced && self.file.is_some() {
            return Ok(News::Replaced);
        }
        let rewritten = !replaced && size > self.offset && !self.mark().is_in(&self.path)?;
        if replaced || size < self.offset || rewritten {
            let path = std::mem::take(&mut self.path);
            *self = Tail { identity: Some(identity), size, ..Tail::new(path) };
            return Ok(News::Anew);
        }
        self.identity = Some(identity);
        let grown = size != self.size;
        self.size = size;
        Ok(if grown { News::Grown } else { News::Same })
    }

    /// By what the file is known again.
    pub(super) fn mark(&self) -> Mark {
        Mark { offset: self.offset, last: self.last.clone() }
    }

    pub(super) fn is_open(&self) -> bool {
        self.file.is_some()
    }

    /// The next whole lines, if there are any. With `to_the_end` the last line needs no end.
    pub(super) fn next(&mut self, to_the_end: bool) -> io::Result<Option<Vec<u8>>> {
        if self.identity.is_none() {
            return Ok(None);
        }
        if self.file.is_none() {
            self.file = Some(open(&self.path)?);
        }
        let Some(file) = &mut self.file else { return Ok(None) };
        file.seek(SeekFrom::Start(self.offset))?;
        let mut bytes = Vec::new();
        let mut room = CHUNK;
        loop {
            let wanted = (room - bytes.len()) as u64;
            let read = file.by_ref().take(wanted).read_to_end(&mut bytes)?;
            if let Some(end) = memchr_last(&bytes) {
                bytes.truncate(end + 1);
                break;
            }
            let over = (read as u64) < wanted;
            if over && to_the_end && !bytes.is_empty() {
                break;
            }
            if over {
                return Ok(None);
            }
            // A line that nobody could hold is given out in pieces, which are skipped.
            if bytes.len() >= LONGEST_LINE {
                break;
            }
            room = (room * 4).min(LONGEST_LINE);
        }
        Ok(Some(bytes))
    }

    /// Says that these bytes were taken.
    pub(super) fn take(&mut self, bytes: &[u8]) {
        self.offset += bytes.len() as u64;
        let from = bytes.len().saturating_sub(REMEMBERED);
        self.last = bytes[from..].to_vec();
    }

    /// Gives back the open file; it is opened again when it grows.
    pub(super) fn rest(&mut self) {
        self.file = None;
    }
}

/// How far a file was read, and the last that was read of it. A number of a file is given to another one when the file is
/// gone, so that the number alone does not tell.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    offset: u64,
    last: Vec<u8>,
}

impl Mark {
    /// Whether a file has at the same place what was read there.
    pub(super) fn is_in(&self, path: &Path) -> io::Result<bool> {
        if self.last.is_empty() {
            return Ok(true);
        }
        let mut file = open(path)?;
        file.seek(SeekFrom::Start(self.offset - self.last.len() as u64))?;
        let mut now = vec![0; self.last.len()];
        Ok(file.read_exact(&mut now).is_ok() && now == self.last)
    }
}

fn memchr_last(bytes: &[u8]) -> Option<usize> {
    bytes.iter().rposition(|byte| *byte == b'\n')
}

fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}
