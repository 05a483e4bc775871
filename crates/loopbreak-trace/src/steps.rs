//! The native format: one step record a line.

use std::io::{self, BufRead};

use loopbreak::Step;

use crate::format::{Read, Record, Sink, Skipped};
use crate::lines::{Line, Lines};
use crate::reason::Reason;

/// Reads all steps of a log. Blank lines are nothing; every other line is a record or is skipped.
pub(crate) fn read(input: impl BufRead, sink: &mut dyn Sink) -> io::Result<Read> {
    let mut lines = Lines::new(input);
    let mut number = 0;
    while let Some(line) = lines.next()? {
        number += 1;
        let step = match line {
            Line::TooLong { length } => Err(Reason::too_long(length)),
            Line::Whole(line) if line.trim_ascii().is_empty() => continue,
            Line::Whole(line) => step(line),
        };
        match step {
            Ok(step) => sink.record(&Record { line: number, step }),
            Err(reason) => sink.skipped(Skipped { line: number, reason }),
        }
    }
    Ok(Read { bytes: lines.bytes(), lines: lines.number() })
}

/// How every line of an event file of ours begins. Events share some keys with steps, but are none.
const EVENT: &[u8] = b"{\"event_type\":";

/// Whether a line is a step that says anything at all; `None` if it is no step.
pub(crate) fn recognises(line: &[u8]) -> Option<bool> {
    if line.starts_with(EVENT) {
        return Some(false);
    }
    step(line).ok().map(|step| step.has_facet())
}

/// Reads one line. It is checked as UTF-8 once, as a whole, which is far cheaper than string by string.
fn step(line: &[u8]) -> Result<Step<'_>, Reason> {
    let line = simdutf8::basic::from_utf8(line).map_err(|_| Reason::not_utf8(line))?;
    Step::from_json(line).map_err(|error| Reason::of(line, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Collected {
        records: Vec<(u64, Option<String>, Option<f64>)>,
        skipped: Vec<String>,
    }

    impl Sink for Collected {
        fn record(&mut self, record: &Record<'_>) {
            let run = record.run().map(std::borrow::Cow::into_owned);
            self.records.push((record.line, run, record.step.score));
        }
        fn skipped(&mut self, skipped: Skipped) {
            self.skipped.push(format!("{}: {}", skipped.line, skipped.reason));
        }
    }

    fn collect(text: &[u8]) -> (Collected, Read) {
        let mut collected = Collected::default();
        let read = read(text, &mut collected).unwrap();
        (collected, read)
    }

    #[test]
    fn records_carry_their_line_and_run() {
        let text = b"{\"run\":\"a\",\"score\":1}\n\n  \n{\"run\":7,\"score\":2}\n{\"score\":3}";
        let (collected, read) = collect(text);
        assert_eq!(
            collected.records,
            [(1, Some("a".into()), Some(1.0)), (4, Some("7".into()), Some(2.0)), (5, None, Some(3.0))]
        );
        assert!(collected.skipped.is_empty(), "blank lines are nothing");
        assert_eq!(read, Read { bytes: text.len() as u64, lines: 5 });
    }

    #[test]
    fn broken_lines_are_skipped_and_the_others_are_read() {
        let (collected, _) = collect(b"{\"score\":1}\nnonsense\n{\"say\":\"\xFF\"}\n{\"score\":2}\n");
        assert_eq!(collected.records.iter().map(|record| record.0).collect::<Vec<_>>(), [1, 4]);
        assert_eq!(collected.skipped.len(), 2);
        assert!(collected.skipped[0].starts_with("2: not JSON"), "{}", collected.skipped[0]);
        assert!(collected.skipped[1].starts_with("3: not UTF-8"), "{}", collected.skipped[1]);
    }

    #[test]
    fn a_line_of_ten_megabytes_is_simply_read() {
        let mut text = br#"{"score":1,"outcome":""#.to_vec();
        text.resize(10 * 1024 * 1024, b'x');
        text.extend_from_slice(b"\"}\n{\"score\":2}\n");
        assert_eq!(collect(&text).0.records.len(), 2);
    }
}
