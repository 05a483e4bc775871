//! The native format: one step record a line.

use loopbreak::Step;

use crate::format::{Kind, Reader, Record, Sink, Unit};
use crate::glimpse::Glimpse;
use crate::reason::Reason;

/// Native logs.
pub(crate) struct Steps;

/// How every line of an event file of ours begins. Events share some keys with steps, but are none.
const EVENT: &str = "{\"event_type\":";

impl Kind for Steps {
    fn name(&self) -> &'static str {
        "steps"
    }
    fn title(&self) -> &'static str {
        "Loopbreak's own step records"
    }
    fn files(&self) -> &'static str {
        "JSON lines: action, outcome, score, place, task and more, all optional"
    }
    /// A step that says anything at all.
    fn recognises(&self, value: &Glimpse<'_>) -> bool {
        !value.text.starts_with(EVENT) && Step::from_json(value.text).is_ok_and(|step| step.has_facet())
    }
    fn lines_stand_alone(&self) -> bool {
        true
    }
    fn line<'a>(&self, unit: Unit<'a>) -> Option<Result<Record<'a>, Reason>> {
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
    fn reader(&self, _beside: &[String]) -> Box<dyn Reader> {
        Box::new(Steps)
    }
}

fn record(unit: Unit<'_>) -> Result<Record<'_>, Reason> {
    let step = Step::from_json(unit.text).map_err(|error| Reason::of(unit.text, &error))?;
    Ok(Record { line: unit.line, step })
}

impl Reader for Steps {
    fn unit(&mut self, unit: Unit<'_>, sink: &mut dyn Sink) -> Result<(), Reason> {
        sink.record(&record(unit)?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{Read, Skipped};

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
        let read = crate::read::lines(&mut Steps, text, None, &mut collected).unwrap();
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
