//! Bounds the length of names. Programs keep the names of all runs, places and tasks of a log in memory and print them
//! again and again, so one place shortens them for all readers.

use std::borrow::Cow;

use loopbreak::Step;
use loopbreak::step::{Label, PlaceRef, StepText};
use loopbreak::text::clip;
use xxhash_rust::xxh3::xxh3_128;

use crate::log_record::{LogRecord, RecordSink, RejectedCall, SkippedLine, UnreadItem};

/// The largest length of a name in bytes: of a run, an agent, a model, a place, a task, a session.
pub const LONGEST_NAME: usize = 512;

/// The number of bytes of the mark at the end of a shortened name: an ellipsis and a hash of the whole name.
const MARK_BYTES: usize = 3 + 32;

/// Returns a name as readers pass it on. A name of more than [`LONGEST_NAME`] bytes becomes its beginning with a hash
/// of the whole, so that two long names stay different. A shortened name stays as it is when it is read again.
pub fn bounded_name(name: &str) -> Cow<'_, str> {
    match shortened(name) {
        Some(name) => Cow::Owned(name),
        None => Cow::Borrowed(name),
    }
}

fn shortened(name: &str) -> Option<String> {
    shortened_to(name, LONGEST_NAME)
}

/// Returns a name with at most this number of bytes, or `None` if it is short enough.
pub(crate) fn shortened_to(name: &str, longest: usize) -> Option<String> {
    let hash = (name.len() > longest).then(|| xxh3_128(name.as_bytes()))?;
    Some(format!("{}…{hash:032x}", clip(name, longest - MARK_BYTES)))
}

/// Passes records on with bounded names.
pub(crate) struct NameBounds<'s>(pub(crate) &'s mut dyn RecordSink);

impl RecordSink for NameBounds<'_> {
    fn record(&mut self, record: &LogRecord<'_>) {
        if has_long_name(&record.step) {
            let mut step = record.step.clone();
            bound_names(&mut step);
            self.0.record(&LogRecord { line: record.line, step });
        } else {
            self.0.record(record);
        }
    }

    fn rejected_call(&mut self, call: &RejectedCall<'_>) {
        let agent = call.agent.map(bounded_name);
        self.0.rejected_call(&RejectedCall { agent: agent.as_deref(), ..*call });
    }

    fn unread_item(&mut self, item: &UnreadItem<'_>) {
        self.0.unread_item(&UnreadItem { kind: &bounded_name(item.kind), ..*item });
    }

    fn project(&mut self, run: Option<&str>, folder: &str) {
        self.0.project(run.map(bounded_name).as_deref(), &bounded_name(folder));
    }

    fn skipped(&mut self, skipped: SkippedLine) {
        self.0.skipped(skipped);
    }
}

/// Shortens the names of a step. Texts, such as commands, outcomes and goals, are not names: the engine compares them and
/// bounds what it keeps of them.
pub(crate) fn bound_names(step: &mut Step<'_>) {
    for label in [&mut step.run, &mut step.batch].into_iter().flatten() {
        bound_label(label);
    }
    for text in [&mut step.agent, &mut step.model].into_iter().flatten() {
        bound_text(text);
    }
    if let Some(place) = &mut step.place {
        place.id.iter_mut().for_each(bound_label);
        place.name.iter_mut().for_each(bound_text);
        for exit in &mut place.exits {
            bound_text(&mut exit.name);
            exit.to.iter_mut().for_each(bound_reference);
        }
    }
    step.destination.iter_mut().for_each(bound_reference);
    if let Some(task) = &mut step.task {
        bound_label(&mut task.id);
        task.status.iter_mut().for_each(bound_text);
        task.session.iter_mut().for_each(bound_label);
    }
}

/// Returns whether a step has a name that is too long. Most have none, and need not be copied.
fn has_long_name(step: &Step<'_>) -> bool {
    let long_text = |text: &StepText<'_>| text.len() > LONGEST_NAME;
    let long_label = |label: &Label<'_>| matches!(label, Label::Text(text) if long_text(text));
    let long_reference = |place: &PlaceRef<'_>| {
        place.id.as_ref().is_some_and(long_label) || place.name.as_ref().is_some_and(long_text)
    };
    step.run.as_ref().is_some_and(long_label)
        || step.batch.as_ref().is_some_and(long_label)
        || step.agent.as_ref().is_some_and(long_text)
        || step.model.as_ref().is_some_and(long_text)
        || step.place.as_ref().is_some_and(|place| {
            place.id.as_ref().is_some_and(long_label)
                || place.name.as_ref().is_some_and(long_text)
                || place
                    .exits
                    .iter()
                    .any(|exit| long_text(&exit.name) || exit.to.as_ref().is_some_and(long_reference))
        })
        || step.destination.as_ref().is_some_and(long_reference)
        || step.task.as_ref().is_some_and(|task| {
            long_label(&task.id)
                || task.status.as_ref().is_some_and(long_text)
                || task.session.as_ref().is_some_and(long_label)
        })
}

fn bound_text(text: &mut StepText<'_>) {
    if let Some(short) = shortened(text) {
        *text = short.into();
    }
}

fn bound_label(label: &mut Label<'_>) {
    if let Label::Text(text) = label {
        bound_text(text);
    }
}

fn bound_reference(place: &mut PlaceRef<'_>) {
    place.id.iter_mut().for_each(bound_label);
    place.name.iter_mut().for_each(bound_text);
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::line::LineBlock;
    use crate::{LogFollower, LogFormat, OpenedLog};

    #[test]
    fn long_names_are_shortened_once_and_stay_different() {
        let long = |end: &str| "é".repeat(100_000) + end;
        let (a, b) = (long("a"), long("b"));
        let (a, b) = (bounded_name(&a), bounded_name(&b));
        assert_ne!(a, b);
        assert!(a.len() <= LONGEST_NAME && a.len() > LONGEST_NAME - 4 && a.starts_with("éé"), "{a}");
        assert_eq!(bounded_name(&a), a);
        let longest = "x".repeat(LONGEST_NAME);
        assert!(matches!(bounded_name(&longest), Cow::Borrowed(name) if name == longest));
    }

    #[derive(Default)]
    struct LongestNames(usize, usize);

    impl RecordSink for LongestNames {
        fn record(&mut self, record: &LogRecord<'_>) {
            let step = &record.step;
            let place = step.place.as_ref().unwrap();
            let task = step.task.as_ref().unwrap();
            let names = [
                step.run.as_ref().unwrap().as_text().len(),
                step.agent.as_ref().unwrap().len(),
                step.model.as_ref().unwrap().len(),
                step.batch.as_ref().unwrap().as_text().len(),
                place.id.as_ref().unwrap().as_text().len(),
                place.name.as_ref().unwrap().len(),
                place.exits[0].name.len(),
                place.exits[0].to.as_ref().and_then(|to| to.name.as_ref()).unwrap().len(),
                step.destination.as_ref().and_then(|to| to.id.as_ref()).unwrap().as_text().len(),
                task.id.as_text().len(),
                task.session.as_ref().unwrap().as_text().len(),
            ];
            self.0 += 1;
            self.1 = self.1.max(names.into_iter().max().unwrap());
            assert_eq!(step.action.as_ref().unwrap().name.len(), 5000, "a command is not a name");
        }
        fn skipped(&mut self, skipped: SkippedLine) {
            panic!("{skipped:?}");
        }
    }

    #[test]
    fn no_reader_passes_a_long_name_on() {
        let name = "n".repeat(5000);
        let line = format!(
            r#"{{"run":"{name}","agent":"{name}","model":"{name}","batch":"{name}","action":"{name}","place":{{"id":"{name}","name":"{name}","exits":{{"{name}":"{name}"}}}},"destination":{{"id":"{name}"}},"task":{{"id":"{name}","session":"{name}"}}}}"#
        ) + "\n";
        let open = || OpenedLog::from_stream(Cursor::new(line.clone()), None, |_| {}).unwrap();
        let mut names = LongestNames::default();
        open().read(&mut names).unwrap();
        let mut block = LineBlock::default();
        open().into_blocks().unwrap().fill(&mut block).unwrap();
        assert_eq!(block.run(0), None, "the line has to be parsed to know its name");
        names.record(&block.record(0).unwrap().unwrap());
        let mut follower = LogFollower::new(LogFormat::STEPS);
        follower.push(0, line.as_bytes(), &mut names);
        follower.push(0, line.trim_end().as_bytes(), &mut names);
        follower.finish(&mut names);
        assert_eq!((names.0, names.1), (4, LONGEST_NAME));
    }
}
