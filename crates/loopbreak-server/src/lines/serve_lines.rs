//! Answers the lines of a stream.

use std::io::{self, BufRead, Write};

use super::line_answer::LineAnswer;
use super::line_guard::{LineGuard, MAX_LINE_BYTES};

/// A stream that failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LineStreamError {
    /// The input cannot be read.
    #[error("cannot read the lines: {0}")]
    Read(io::Error),
    /// The output cannot be written.
    #[error("cannot write the answers: {0}")]
    Write(io::Error),
}

/// Answers each line of `input` with one line on `output`, which is flushed after it. Returns at the end of the input.
/// Holds at most one line in memory.
pub fn serve_lines(
    guard: &mut LineGuard,
    mut input: impl BufRead,
    output: &mut dyn Write,
) -> Result<(), LineStreamError> {
    let mut line = Vec::new();
    loop {
        let answer = match read_line(&mut input, &mut line).map_err(LineStreamError::Read)? {
            LineLength::None => return Ok(()),
            LineLength::Whole => guard.answer(&line),
            LineLength::TooLong => Some(guard.reject_long_line()),
        };
        let Some(answer) = answer else { continue };
        write_line(&answer, output).map_err(LineStreamError::Write)?;
    }
}

fn write_line(answer: &LineAnswer, output: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *output, answer)?;
    output.write_all(b"\n")?;
    output.flush()
}

/// Result of reading a line.
#[derive(Debug, PartialEq, Eq)]
enum LineLength {
    /// There are no more lines.
    None,
    /// It was read as a whole.
    Whole,
    /// It is too long, and was skipped.
    TooLong,
}

fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<LineLength> {
    // Also gives back the memory of a long line.
    *line = Vec::new();
    let (mut read, mut is_too_long) = (false, false);
    loop {
        let available = match input.fill_buf() {
            Ok(available) => available,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let end = available.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(available.len(), |end| end + 1);
        read |= taken > 0;
        // One more for the end of the line.
        is_too_long |= line.len() + taken > MAX_LINE_BYTES + 1;
        if !is_too_long {
            line.extend_from_slice(&available[..taken]);
        }
        input.consume(taken);
        if end.is_some() || taken == 0 {
            return Ok(match (read, is_too_long) {
                (false, _) => LineLength::None,
                (true, true) => LineLength::TooLong,
                (true, false) => LineLength::Whole,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use loopbreak::Settings;

    use super::*;

    #[test]
    fn each_line_gets_one_answer_and_a_long_one_an_error() {
        let mut guard = LineGuard::in_memory(&Settings::default()).unwrap();
        let mut input = b"{\"say\":\"a\"}\n\n".to_vec();
        input.extend(vec![b' '; 2 * MAX_LINE_BYTES]);
        // The last line has no end.
        input.extend(b"\n{\"say\":\"b\"}");
        let mut output = Vec::new();
        serve_lines(&mut guard, io::BufReader::with_capacity(1000, &input[..]), &mut output).unwrap();
        let text = String::from_utf8(output).unwrap();
        let lines: Vec<serde_json::Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert_eq!((&lines[0]["turn"], &lines[2]["turn"]), (&1.into(), &2.into()));
        assert_eq!(
            (&lines[1]["error"]["code"], &lines[1]["error"]["line"]),
            (&"line_too_long".into(), &3.into())
        );
    }

    /// A program that writes a line waits for its answer before it writes the next one.
    #[test]
    fn an_answer_is_flushed_before_the_next_line_is_read() {
        struct CountingWriter(Vec<u8>, usize);
        impl Write for CountingWriter {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.extend(bytes);
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                self.1 += 1;
                Ok(())
            }
        }
        let mut guard = LineGuard::in_memory(&Settings::default()).unwrap();
        let mut output = CountingWriter(Vec::new(), 0);
        serve_lines(&mut guard, &b"{\"say\":\"a\"}\n{\"say\":\"b\"}\n"[..], &mut output).unwrap();
        assert_eq!(output.1, 2);
    }
}
