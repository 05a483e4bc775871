//! Blocks of lines, for logs whose lines are independent of each other: several threads can read the lines of a
//! block.

use std::io::{self, BufRead};
use std::ops::Range;

use super::{LineReader, LogLine};
use crate::bounded_name::{LONGEST_NAME, bound_names};
use crate::log_format::{LogFormat, LogUnit};
use crate::log_record::{LogRecord, ReadStats, SkippedLine};
use crate::skip_reason::SkipReason;

/// A block is closed after this many bytes. A longer line forms a block of its own.
const BLOCK_BYTES: usize = 4 * 1024 * 1024;
/// A block is closed after this many lines: each may belong to another run, and all of these are held in memory at
/// once.
const BLOCK_LINES: usize = 2048;
/// Initial capacity of a block, large enough for most blocks: growing a buffer repeatedly copies it each time.
const USUAL_CAPACITY: usize = BLOCK_BYTES + BLOCK_BYTES / 4;
/// Capacity that a block of long lines may keep.
const KEPT_CAPACITY: usize = 2 * BLOCK_BYTES;

/// The blocks of a log, in order.
pub struct LineBlocks {
    format: LogFormat,
    lines: LineReader<Box<dyn BufRead + Send>>,
}

/// Consecutive lines of a log.
#[derive(Debug, Default)]
pub struct LineBlock {
    format: Option<LogFormat>,
    text: Vec<u8>,
    lines: Vec<BlockLine>,
}

/// A line of a block.
#[derive(Clone, Debug)]
struct BlockLine {
    number: u64,
    /// Byte range in the text, or the length of a line that was too long to be held.
    text: Result<Range<usize>, u64>,
}

impl LineBlocks {
    pub(crate) fn new(format: LogFormat, input: Box<dyn BufRead + Send>) -> Self {
        LineBlocks { format, lines: LineReader::new(input) }
    }

    /// Replaces the content of a block with the next lines. The block is empty at the end of the log.
    pub fn fill(&mut self, block: &mut LineBlock) -> io::Result<()> {
        block.format = Some(self.format);
        block.lines.clear();
        block.text.clear();
        if block.text.capacity() > KEPT_CAPACITY {
            block.text = Vec::new();
        }
        block.text.reserve(USUAL_CAPACITY);
        while block.text.len() < BLOCK_BYTES && block.lines.len() < BLOCK_LINES {
            let Some(line) = self.lines.next()? else { break };
            let text = match line {
                LogLine::TooLong { length } => Err(length),
                LogLine::Whole(line) => {
                    let start = block.text.len();
                    block.text.extend_from_slice(line);
                    Ok(start..block.text.len())
                }
            };
            block.lines.push(BlockLine { number: self.lines.number(), text });
        }
        Ok(())
    }

    /// Returns the amount of data read so far.
    pub fn stats(&self) -> ReadStats {
        ReadStats { bytes: self.lines.bytes(), lines: self.lines.number() }
    }
}

impl LineBlock {
    /// Returns the number of lines, including blank ones.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Returns whether the log has ended.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Returns the run of the line at index `at`, if it is the first key of the line and its name need not be shortened.
    /// The rest of the line is not checked.
    pub fn run(&self, at: usize) -> Option<&str> {
        let range = self.lines.get(at)?.text.as_ref().ok()?;
        let run = self.format?.definition().run_of_line(&self.text[range.clone()]);
        run.filter(|run| run.len() <= LONGEST_NAME)
    }

    /// Parses the line at index `at`, or returns why it is skipped. Returns `None` for a blank line.
    pub fn record(&self, at: usize) -> Option<Result<LogRecord<'_>, SkippedLine>> {
        let line = self.lines.get(at)?;
        let read = match &line.text {
            Err(length) => Err(SkipReason::too_long(*length)),
            Ok(range) => {
                let bytes = &self.text[range.clone()];
                if bytes.trim_ascii().is_empty() {
                    return None;
                }
                match simdutf8::basic::from_utf8(bytes) {
                    Ok(text) => self.format?.definition().parse_line(LogUnit {
                        text,
                        line: line.number,
                        file: None,
                    })?,
                    Err(_) => Err(SkipReason::not_utf8(bytes)),
                }
            }
        };
        let bounded = read.map(|mut record| {
            bound_names(&mut record.step);
            record
        });
        Some(bounded.map_err(|reason| SkippedLine { line: line.number, reason }))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::{OpenedLog, RecordSink};

    #[derive(Default)]
    struct RecordTexts(Vec<String>);

    impl RecordSink for RecordTexts {
        fn record(&mut self, record: &LogRecord<'_>) {
            self.0.push(format!("{record:?}"));
        }
        fn skipped(&mut self, skipped: SkippedLine) {
            self.0.push(format!("{skipped:?}"));
        }
    }

    #[test]
    fn blocks_give_the_same_records_as_the_stream() {
        let mut text =
            b"\xEF\xBB\xBF{\"run\":\"a\",\"score\":1}\r\n\n  \nnonsense\n{\"say\":\"\xFF\"}\n".to_vec();
        for turn in 0..3 * BLOCK_LINES {
            text.extend_from_slice(format!("{{\"run\":{},\"turn\":{turn}}}\n", turn % 7).as_bytes());
        }
        text.extend_from_slice(format!("{{\"say\":\"{}\"}}\n", "x".repeat(3 * BLOCK_BYTES)).as_bytes());
        text.extend_from_slice(b"{\"score\":2}");
        let open = || OpenedLog::from_stream(Cursor::new(text.clone()), None, |_| {}).unwrap();
        let mut streamed = RecordTexts::default();
        let read = open().read(&mut streamed).unwrap();

        let mut blocks = open().into_blocks().unwrap();
        let mut block = LineBlock::default();
        let mut collected = RecordTexts::default();
        loop {
            blocks.fill(&mut block).unwrap();
            assert!(block.len() <= BLOCK_LINES);
            if block.is_empty() {
                break;
            }
            for line in (0..block.len()).filter_map(|at| block.record(at)) {
                match line {
                    Ok(record) => collected.record(&record),
                    Err(skipped) => collected.skipped(skipped),
                }
            }
        }
        assert_eq!(collected.0.len(), 3 * BLOCK_LINES + 5);
        assert_eq!(collected.0, streamed.0);
        assert_eq!(blocks.stats(), read);
    }

    #[test]
    fn the_run_is_known_before_the_line_is_parsed() {
        let lines = [
            (r#"{"run":"a","score":1}"#, Some("a")),
            (r#"{ "run" : "a b", "score": 1}"#, Some("a b")),
            (r#"{"run":"é"}"#, Some("é")),
            (r#"{"run":"","run":"b"}"#, Some("")),
            (r#"{"run":"a" nonsense"#, Some("a")),
            (r#"{"run":7,"score":1}"#, None),
            (r#"{"run":null,"run":"b"}"#, None),
            (r#"{"run":"a\u0062","score":1}"#, None),
            (r#"{"run":"a\"b","score":1}"#, None),
            (r#"{"run":"endless"#, None),
            (r#"{"score":1,"run":"a"}"#, None),
            ("", None),
        ];
        for (line, run) in lines {
            let format = Some(LogFormat::STEPS);
            let held = vec![BlockLine { number: 1, text: Ok(0..line.len()) }];
            let block = LineBlock { format, text: line.as_bytes().to_vec(), lines: held };
            assert_eq!(block.run(0), run, "{line}");
            if let (Some(run), Some(Ok(record))) = (run, block.record(0)) {
                assert_eq!(record.run().as_deref(), Some(run), "{line}");
            }
        }
    }

    #[test]
    fn a_log_with_dependent_lines_has_no_blocks() {
        let line = r#"{"type":"user","sessionId":"s","uuid":"u","timestamp":"2025-01-01T00:00:00Z","message":{"role":"user","content":"hi"}}"#;
        let log = OpenedLog::from_stream(Cursor::new(line), None, |_| {}).unwrap();
        assert_eq!(log.format().as_str(), "claude-code");
        assert!(log.into_blocks().is_err());
    }
}
