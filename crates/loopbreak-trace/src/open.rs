//! Opens a log: finds its format, or says why it is none.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read as _, Seek as _};
use std::path::PathBuf;

use crate::block::Blocks;
use crate::format::{Format, Read, Sink};
use crate::read::{self, Part};
use crate::sniff::{Layout, Sniffed, sniff};
use crate::source::Input;
use crate::unpack::unpack;

/// How much is read from a file at a time.
const BUFFER: usize = 256 * 1024;
/// How much of a stream, which cannot be read twice, is held to find its format.
const HEAD: u64 = 1024 * 1024;

/// How many further files of one run are open at a time. Systems allow some hundreds, and runs are read in parallel.
const SIDE_BY_SIDE: usize = 32;

/// A log that was opened and recognised.
pub struct Log {
    format: Format,
    layout: Layout,
    input: Box<dyn BufRead + Send>,
    /// Other files of the same run, read side by side with it.
    parts: Vec<Part<Box<dyn BufRead + Send>>>,
    /// Still others, read one after the other.
    rest: Vec<Part<PathBuf>>,
    /// The agents whose files they are.
    beside: Vec<String>,
}

/// Why something is not read.
#[derive(Debug)]
pub enum Refusal {
    /// There is no such file.
    Missing,
    /// It cannot be read.
    Unreadable(io::Error),
    /// There is nothing in it.
    Empty,
    /// It is no text.
    Binary,
    /// It is text of 16 bits a character.
    Utf16,
    /// It is text, but no known log.
    Unknown,
    /// It is text, but no log of the format that was asked for.
    Not(Format),
}

impl Refusal {
    /// What the system says, in the cases that people meet.
    pub(crate) fn of(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::NotFound { Refusal::Missing } else { Refusal::Unreadable(error) }
    }

    /// Whether it could be read, and is simply no log. Folders may hold such files.
    pub fn is_no_log(&self) -> bool {
        !matches!(self, Refusal::Missing | Refusal::Unreadable(_))
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Refusal::Missing => Some("check the path, or name the folder that the logs are in"),
            Refusal::Unreadable(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                Some("check who may read it")
            }
            Refusal::Unreadable(_) | Refusal::Empty => None,
            Refusal::Binary => Some("name a log in text form; unpack it first if it is packed"),
            Refusal::Utf16 => Some("write it as UTF-8, for instance with iconv -f UTF-16 -t UTF-8"),
            Refusal::Unknown => {
                Some("loopbreak formats lists what is read; --format NAME reads it as one of them")
            }
            Refusal::Not(_) => Some("leave out --format to let the content decide"),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Missing => f.write_str("no such file or folder"),
            Refusal::Unreadable(error) => match error.kind() {
                io::ErrorKind::PermissionDenied => f.write_str("cannot be read: permission denied"),
                _ => write!(f, "cannot be read: {error}"),
            },
            Refusal::Empty => f.write_str("empty, so there are no steps"),
            Refusal::Binary => f.write_str("not a log: it holds NUL bytes, so it is no text"),
            Refusal::Utf16 => f.write_str("not readable as it is: the text is UTF-16"),
            Refusal::Unknown => {
                f.write_str("not a log: nothing near its beginning is known; tried")?;
                for (index, format) in Format::all().enumerate() {
                    write!(f, "{} {format}", if index == 0 { "" } else { "," })?;
                }
                Ok(())
            }
            Refusal::Not(format) => write!(f, "not a log of the format {format}"),
        }
    }
}

impl Input {
    /// Opens the log; `watch` is told of the bytes read from now on. The content decides on the format, unless it is given.
    pub fn open(
        &self,
        format: Option<Format>,
        watch: impl Fn(u64) + Clone + Send + 'static,
    ) -> Result<Log, Refusal> {
        let Some(path) = self.path() else {
            return Log::stream(io::stdin(), format, watch);
        };
        let mut file = File::open(path).map_err(Refusal::of)?;
        let about = file.metadata().map_err(Refusal::of)?;
        if !about.is_file() {
            return Log::stream(file, format, watch);
        }
        let again = file.try_clone().map_err(Refusal::of)?;
        let looked = unpack(Box::new(BufReader::with_capacity(BUFFER, again))).map_err(Refusal::of)?;
        let (format, layout) = recognised(sniff(looked, format).map_err(Refusal::of)?)?;
        file.rewind().map_err(Refusal::of)?;
        let input = reader(Watched { reader: file, watch: watch.clone() })?;
        let mut log = Log { format, layout, input, parts: Vec::new(), rest: Vec::new(), beside: Vec::new() };
        for part in self.parts() {
            let name = part.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            log.beside.extend(part.agent.clone());
            if log.parts.len() < SIDE_BY_SIDE && !self.is_sequence() {
                // One that went away since it was found is missing, and that is told like everything that is.
                let file = File::open(&part.path).map_err(Refusal::of)?;
                let input = reader(Watched { reader: file, watch: watch.clone() })?;
                log.parts.push(Part { name, input });
            } else {
                log.rest.push(Part { name, input: part.path.clone() });
            }
        }
        Ok(log)
    }
}

/// The content, unpacked where it is packed.
fn reader(input: impl io::Read + Send + 'static) -> Result<Box<dyn BufRead + Send>, Refusal> {
    unpack(Box::new(BufReader::with_capacity(BUFFER, input))).map_err(Refusal::of)
}

impl Log {
    /// A log that comes as a stream and cannot be read twice; `watch` is told of the bytes read. The content decides on the
    /// format, unless it is given.
    pub fn stream(
        stream: impl io::Read + Send + 'static,
        format: Option<Format>,
        watch: impl Fn(u64) + Send + 'static,
    ) -> Result<Log, Refusal> {
        let mut stream = reader(Watched { reader: stream, watch })?;
        let mut head = Vec::new();
        stream.by_ref().take(HEAD).read_to_end(&mut head).map_err(Refusal::of)?;
        let (format, layout) = match sniff(&head[..], format).map_err(Refusal::of)? {
            // More may come than was looked at: the reader will see.
            Sniffed::Unknown | Sniffed::Empty if head.len() as u64 == HEAD => {
                (format.unwrap_or(Format::STEPS), Layout::Lines)
            }
            sniffed => recognised(sniffed)?,
        };
        let input = Box::new(BufReader::with_capacity(BUFFER, Cursor::new(head).chain(stream)));
        Ok(Log { format, layout, input, parts: Vec::new(), rest: Vec::new(), beside: Vec::new() })
    }

    /// Its format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Its lines in blocks, where each line stands by itself; otherwise the log again, which [`Log::read`] reads.
    pub fn blocks(self) -> Result<Blocks, Log> {
        let alone = self.layout == Layout::Lines && self.format.kind().lines_stand_alone();
        if alone && self.parts.is_empty() && self.rest.is_empty() {
            Ok(Blocks::new(self.format, self.input))
        } else {
            Err(self)
        }
    }

    /// Reads it from the beginning to the end.
    pub fn read(self, sink: &mut dyn Sink) -> io::Result<Read> {
        let mut steps = self.format.kind().reader(&self.beside);
        let mut read = match self.layout {
            Layout::Document => read::document(&mut *steps, self.input, sink)?,
            Layout::Lines if self.parts.is_empty() => read::lines(&mut *steps, self.input, None, sink)?,
            Layout::Lines => read::merged(&mut *steps, self.input, self.parts, sink)?,
        };
        for part in self.rest {
            let input = unpack(Box::new(BufReader::with_capacity(BUFFER, File::open(&part.input)?)))?;
            let more = match self.layout {
                Layout::Document => read::document(&mut *steps, input, sink)?,
                Layout::Lines => read::lines(&mut *steps, input, Some(&part.name), sink)?,
            };
            read.bytes += more.bytes;
            read.lines += more.lines;
        }
        steps.end(sink);
        Ok(read)
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Log").field("format", &self.format).finish_non_exhaustive()
    }
}

fn recognised(sniffed: Sniffed) -> Result<(Format, Layout), Refusal> {
    match sniffed {
        Sniffed::Log(format, layout) => Ok((format, layout)),
        Sniffed::Empty => Err(Refusal::Empty),
        Sniffed::Binary => Err(Refusal::Binary),
        Sniffed::Utf16 => Err(Refusal::Utf16),
        Sniffed::Unknown => Err(Refusal::Unknown),
    }
}

/// A reader that tells how much was read.
struct Watched<R, W> {
    reader: R,
    watch: W,
}

impl<R: io::Read, W: Fn(u64)> io::Read for Watched<R, W> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        (self.watch)(count as u64);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{Record, Skipped};

    struct Count(u64, u64);

    impl Sink for Count {
        fn record(&mut self, _: &Record<'_>) {
            self.0 += 1;
        }
        fn skipped(&mut self, _: Skipped) {
            self.1 += 1;
        }
    }

    #[test]
    fn a_stream_is_looked_at_and_then_read_as_a_whole() {
        let text = "{\"score\":1}\n".repeat(200_000);
        assert!(text.len() as u64 > HEAD);
        let mut count = Count(0, 0);
        let log = Log::stream(Cursor::new(text.clone()), None, |_| {}).unwrap();
        assert_eq!(log.read(&mut count).unwrap().bytes, text.len() as u64);
        assert_eq!((count.0, count.1), (200_000, 0));
    }

    #[test]
    fn a_stream_that_is_no_log_is_refused() {
        assert!(matches!(Log::stream(Cursor::new("prose\n"), None, |_| {}), Err(Refusal::Unknown)));
        assert!(matches!(Log::stream(Cursor::new(""), None, |_| {}), Err(Refusal::Empty)));
        assert!(matches!(Log::stream(Cursor::new("\0\0"), None, |_| {}), Err(Refusal::Binary)));
    }

    #[test]
    fn a_stream_whose_first_line_is_longer_than_the_look_is_read() {
        let text = format!("{{\"say\":\"{}\"}}\n{{\"score\":1}}\n", "x".repeat(3 * HEAD as usize));
        let mut count = Count(0, 0);
        Log::stream(Cursor::new(text), None, |_| {}).unwrap().read(&mut count).unwrap();
        assert_eq!((count.0, count.1), (2, 0));
    }
}
