//! Opens a log and detects its format.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read as _, Seek as _};
#[cfg(feature = "sqlite")]
use std::path::Path;
use std::path::PathBuf;

use super::log_input::LogInput;
use super::open_error::OpenError;
use super::read::{CompanionFile, read_document, read_lines, read_merged};
use super::unpack::unpack;
use super::unpack_limit::UnpackLimit;
use crate::bounded_name::NameBounds;
#[cfg(feature = "sqlite")]
use crate::database::{SqliteFile, is_database};
use crate::line::LineBlocks;
use crate::log_format::LogFormat;
use crate::log_record::{ReadStats, RecordSink};
use crate::sniff::{LogLayout, SniffResult, sniff};

/// Size of the read buffer.
const BUFFER: usize = 256 * 1024;
/// Number of bytes kept to detect the format of a stream, which cannot be read twice.
const HEAD: u64 = 1024 * 1024;

/// Number of companion files of one run that are open at the same time. Systems allow some hundred open files, and
/// runs are read in parallel.
const SIDE_BY_SIDE: usize = 32;

/// A log that was opened and recognized.
pub struct OpenedLog {
    format: LogFormat,
    content: LogContent,
}

/// The content of a log.
enum LogContent {
    Text(TextContent),
    #[cfg(feature = "sqlite")]
    Database(DatabaseContent),
}

/// A database, and the function that receives the number of bytes of each read.
#[cfg(feature = "sqlite")]
struct DatabaseContent {
    database: SqliteFile,
    watch: Box<dyn Fn(u64) + Send>,
}

/// Text that is read from beginning to end.
struct TextContent {
    layout: LogLayout,
    input: Box<dyn BufRead + Send>,
    /// Companion files that are merged with it by time.
    parts: Vec<CompanionFile<Box<dyn BufRead + Send>>>,
    /// Companion files that are read after it, one by one.
    sequential: Vec<CompanionFile<PathBuf>>,
    /// Agents that wrote the companion files.
    companion_agents: Vec<String>,
    /// Limit on the unpacked bytes of each file.
    limit: UnpackLimit,
}

impl LogInput {
    /// Opens the log. `watch` receives the number of bytes of each read. The format is detected from the content
    /// unless it is given.
    pub fn open(
        &self,
        format: Option<LogFormat>,
        watch: impl Fn(u64) + Clone + Send + 'static,
    ) -> Result<OpenedLog, OpenError> {
        let limit = self.unpack_limit();
        let Some(path) = self.path() else {
            return OpenedLog::from_limited_stream(io::stdin(), format, limit, watch);
        };
        let mut file = File::open(path)?;
        let about = file.metadata()?;
        if !about.is_file() {
            return OpenedLog::from_limited_stream(file, format, limit, watch);
        }
        #[cfg(feature = "sqlite")]
        if has_database(&mut file)? {
            return open_database(path, format, watch);
        }
        let again = file.try_clone()?;
        let content = unpack(Box::new(BufReader::with_capacity(BUFFER, again)), limit)?;
        let (format, layout) = recognized(sniff(content, format)?)?;
        file.rewind()?;
        let input = reader(CountingReader { reader: file, watch: watch.clone() }, limit)?;
        let mut log = TextContent::new(layout, input, limit);
        for part in self.parts() {
            let name = part.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            log.companion_agents.extend(part.agent.clone());
            if log.parts.len() < SIDE_BY_SIDE && !self.is_sequence() {
                // A companion file that has disappeared in the meantime is reported like any missing file.
                let file = File::open(&part.path)?;
                let input = reader(CountingReader { reader: file, watch: watch.clone() }, limit)?;
                log.parts.push(CompanionFile { name, input });
            } else {
                log.sequential.push(CompanionFile { name, input: part.path.clone() });
            }
        }
        Ok(OpenedLog { format, content: LogContent::Text(log) })
    }
}

/// Returns whether a file is a database.
#[cfg(feature = "sqlite")]
fn has_database(file: &mut File) -> io::Result<bool> {
    let mut head = Vec::new();
    file.take(64).read_to_end(&mut head)?;
    file.rewind()?;
    Ok(is_database(&head))
}

/// Opens a database that a known program wrote.
#[cfg(feature = "sqlite")]
fn open_database(
    path: &Path,
    only: Option<LogFormat>,
    watch: impl Fn(u64) + Send + 'static,
) -> Result<OpenedLog, OpenError> {
    let database = SqliteFile::open(path)?;
    for format in LogFormat::all().filter(|format| only.is_none_or(|only| only == *format)) {
        let Some(definition) = format.definition().database_format() else { continue };
        if definition.recognizes(&database)? {
            if definition.is_empty(&database)? {
                return Err(OpenError::EmptyDatabase);
            }
            let content = DatabaseContent { database, watch: Box::new(watch) };
            return Ok(OpenedLog { format, content: LogContent::Database(content) });
        }
    }
    Err(only.map_or(OpenError::UnknownDatabase, OpenError::WrongFormat))
}

/// Returns the content, decompressed if necessary.
fn reader(
    input: impl io::Read + Send + 'static,
    limit: UnpackLimit,
) -> Result<Box<dyn BufRead + Send>, OpenError> {
    Ok(unpack(Box::new(BufReader::with_capacity(BUFFER, input)), limit)?)
}

impl OpenedLog {
    /// Opens a log that arrives as a stream and cannot be read twice. `watch` receives the number of bytes of each
    /// read. The format is detected from the content unless it is given.
    pub fn from_stream(
        stream: impl io::Read + Send + 'static,
        format: Option<LogFormat>,
        watch: impl Fn(u64) + Send + 'static,
    ) -> Result<OpenedLog, OpenError> {
        Self::from_limited_stream(stream, format, UnpackLimit::default(), watch)
    }

    fn from_limited_stream(
        stream: impl io::Read + Send + 'static,
        format: Option<LogFormat>,
        limit: UnpackLimit,
        watch: impl Fn(u64) + Send + 'static,
    ) -> Result<OpenedLog, OpenError> {
        let mut stream = reader(CountingReader { reader: stream, watch }, limit)?;
        let mut head = Vec::new();
        stream.by_ref().take(HEAD).read_to_end(&mut head)?;
        let (format, layout) = match sniff(&head[..], format)? {
            // The rest of the stream may hold records; the reader will find out.
            SniffResult::Unknown | SniffResult::Empty if head.len() as u64 == HEAD => {
                (format.unwrap_or(LogFormat::STEPS), LogLayout::Lines)
            }
            sniffed => recognized(sniffed)?,
        };
        let input = Box::new(BufReader::with_capacity(BUFFER, Cursor::new(head).chain(stream)));
        Ok(OpenedLog { format, content: LogContent::Text(TextContent::new(layout, input, limit)) })
    }

    /// Returns the format.
    pub fn format(&self) -> LogFormat {
        self.format
    }

    /// Returns the lines in blocks if they are independent of each other; otherwise returns the log itself, to be
    /// read with [`OpenedLog::read`].
    #[expect(clippy::result_large_err, reason = "the log itself is handed back, once per log")]
    pub fn into_blocks(self) -> Result<LineBlocks, OpenedLog> {
        let is_alone = |text: &TextContent| {
            text.layout == LogLayout::Lines && text.parts.is_empty() && text.sequential.is_empty()
        };
        match self.content {
            LogContent::Text(text) if is_alone(&text) && self.format.definition().has_independent_lines() => {
                Ok(LineBlocks::new(self.format, text.input))
            }
            content => Err(OpenedLog { format: self.format, content }),
        }
    }

    /// Reads the log from beginning to end.
    pub fn read(self, sink: &mut dyn RecordSink) -> io::Result<ReadStats> {
        let sink = &mut NameBounds(sink);
        match self.content {
            LogContent::Text(text) => text.read(self.format, sink),
            #[cfg(feature = "sqlite")]
            LogContent::Database(DatabaseContent { database, watch }) => {
                let definition = self.format.definition().database_format();
                definition.map_or(Ok(ReadStats::default()), |format| format.read(&database, &watch, sink))
            }
        }
    }
}

impl TextContent {
    fn new(layout: LogLayout, input: Box<dyn BufRead + Send>, limit: UnpackLimit) -> Self {
        TextContent {
            layout,
            input,
            parts: Vec::new(),
            sequential: Vec::new(),
            companion_agents: Vec::new(),
            limit,
        }
    }

    fn read(self, format: LogFormat, sink: &mut dyn RecordSink) -> io::Result<ReadStats> {
        let mut steps = format.definition().new_reader(&self.companion_agents);
        let mut read = match self.layout {
            LogLayout::Document => read_document(&mut *steps, self.input, sink)?,
            LogLayout::Lines if self.parts.is_empty() => read_lines(&mut *steps, self.input, None, sink)?,
            LogLayout::Lines => read_merged(&mut *steps, self.input, self.parts, sink)?,
        };
        for part in self.sequential {
            let file = BufReader::with_capacity(BUFFER, File::open(&part.input)?);
            let input = unpack(Box::new(file), self.limit)?;
            let more = match self.layout {
                LogLayout::Document => read_document(&mut *steps, input, sink)?,
                LogLayout::Lines => read_lines(&mut *steps, input, Some(&part.name), sink)?,
            };
            read.bytes += more.bytes;
            read.lines += more.lines;
        }
        steps.end(sink);
        Ok(read)
    }
}

impl fmt::Debug for OpenedLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenedLog").field("format", &self.format).finish_non_exhaustive()
    }
}

fn recognized(sniffed: SniffResult) -> Result<(LogFormat, LogLayout), OpenError> {
    match sniffed {
        SniffResult::Log(format, layout) => Ok((format, layout)),
        SniffResult::Empty => Err(OpenError::Empty),
        SniffResult::Binary => Err(OpenError::Binary),
        SniffResult::Utf16 => Err(OpenError::Utf16),
        SniffResult::Unknown => Err(OpenError::Unknown),
    }
}

/// A reader that reports the number of bytes of each read.
struct CountingReader<R, W> {
    reader: R,
    watch: W,
}

impl<R: io::Read, W: Fn(u64)> io::Read for CountingReader<R, W> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        (self.watch)(count as u64);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log_record::{LogRecord, SkippedLine};

    struct StreamTally(u64, u64);

    impl RecordSink for StreamTally {
        fn record(&mut self, _: &LogRecord<'_>) {
            self.0 += 1;
        }
        fn skipped(&mut self, _: SkippedLine) {
            self.1 += 1;
        }
    }

    #[test]
    fn a_stream_is_read_completely_after_detection() {
        let text = "{\"score\":1}\n".repeat(200_000);
        assert!(text.len() as u64 > HEAD);
        let mut count = StreamTally(0, 0);
        let log = OpenedLog::from_stream(Cursor::new(text.clone()), None, |_| {}).unwrap();
        assert_eq!(log.read(&mut count).unwrap().bytes, text.len() as u64);
        assert_eq!((count.0, count.1), (200_000, 0));
    }

    #[test]
    fn rejects_a_stream_that_is_not_a_log() {
        assert!(matches!(
            OpenedLog::from_stream(Cursor::new("prose\n"), None, |_| {}),
            Err(OpenError::Unknown)
        ));
        assert!(matches!(OpenedLog::from_stream(Cursor::new(""), None, |_| {}), Err(OpenError::Empty)));
        assert!(matches!(OpenedLog::from_stream(Cursor::new("\0\0"), None, |_| {}), Err(OpenError::Binary)));
    }

    #[test]
    fn reads_a_stream_whose_first_line_exceeds_the_detection_limit() {
        let text = format!("{{\"say\":\"{}\"}}\n{{\"score\":1}}\n", "x".repeat(3 * HEAD as usize));
        let mut count = StreamTally(0, 0);
        OpenedLog::from_stream(Cursor::new(text), None, |_| {}).unwrap().read(&mut count).unwrap();
        assert_eq!((count.0, count.1), (2, 0));
    }
}
