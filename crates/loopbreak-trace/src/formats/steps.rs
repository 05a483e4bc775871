//! The native format: one step record per line. See docs/formats/steps.md.

use loopbreak::Step;

use crate::log_format::{FormatDefinition, LogReader, LogUnit};
use crate::log_record::{LogRecord, RecordSink};
use crate::skip_reason::SkipReason;
use crate::sniff::JsonOutline;

/// The native format.
pub(crate) struct StepsFormat;

/// Start of every line of an event file of Loopbreak. Events share some keys with steps, but are not steps.
const EVENT: &str = "{\"event_type\":";

impl FormatDefinition for StepsFormat {
    fn name(&self) -> &'static str {
        "steps"
    }
    fn title(&self) -> &'static str {
        "Loopbreak's own step records"
    }
    fn file_description(&self) -> &'static str {
        "JSON lines: action, outcome, score, place, task and more, all optional"
    }
    /// Recognizes a step that has at least one facet.
    fn recognizes(&self, value: &JsonOutline<'_>) -> bool {
        !value.text.starts_with(EVENT) && Step::from_json(value.text).is_ok_and(|step| step.has_facet())
    }
    fn has_independent_lines(&self) -> bool {
        true
    }
    fn parse_line<'a>(&self, unit: LogUnit<'a>) -> Option<Result<LogRecord<'a>, SkipReason>> {
        Some(record(unit))
    }
    fn run_of_line<'a>(&self, line: &'a [u8]) -> Option<&'a str> {
        let mut rest = line;
        for part in [b"{", &b"\"run\""[..], b":", b"\""] {
            rest = rest.trim_ascii_start().strip_prefix(part)?;
        }
        let end = memchr::memchr2(b'"', b'\\', rest)?;
        std::str::from_utf8(&rest[..end]).ok().filter(|_| rest[end] == b'"')
    }
    fn new_reader(&self, _agents: &[String]) -> Box<dyn LogReader> {
        Box::new(StepsFormat)
    }
}

fn record(unit: LogUnit<'_>) -> Result<LogRecord<'_>, SkipReason> {
    let step = Step::from_json(unit.text).map_err(|error| SkipReason::not_a_step(unit.text, &error))?;
    Ok(LogRecord { line: unit.line, step })
}

impl LogReader for StepsFormat {
    fn read_unit(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
        sink.record(&record(unit)?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log_record::{ReadStats, SkippedLine};

    #[derive(Default)]
    struct CollectedScores {
        records: Vec<(u64, Option<String>, Option<f64>)>,
        skipped: Vec<String>,
    }

    impl RecordSink for CollectedScores {
        fn record(&mut self, record: &LogRecord<'_>) {
            let run = record.run().map(std::borrow::Cow::into_owned);
            self.records.push((record.line, run, record.step.score));
        }
        fn skipped(&mut self, skipped: SkippedLine) {
            self.skipped.push(format!("{}: {}", skipped.line, skipped.reason));
        }
    }

    fn collect(text: &[u8]) -> (CollectedScores, ReadStats) {
        let mut collected = CollectedScores::default();
        let read = crate::input::read_lines(&mut StepsFormat, text, None, &mut collected).unwrap();
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
        assert!(collected.skipped.is_empty(), "blank lines are ignored");
        assert_eq!(read, ReadStats { bytes: text.len() as u64, lines: 5 });
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
    fn reads_a_line_of_ten_megabytes() {
        let mut text = br#"{"score":1,"outcome":""#.to_vec();
        text.resize(10 * 1024 * 1024, b'x');
        text.extend_from_slice(b"\"}\n{\"score\":2}\n");
        assert_eq!(collect(&text).0.records.len(), 2);
    }
}
