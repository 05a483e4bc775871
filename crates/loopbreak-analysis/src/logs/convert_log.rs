//! Converts a log of any format to native steps.

use std::io::{self, Write};

use loopbreak::step::Label;
use loopbreak_trace::{LogFormat, LogInput, LogRecord, OpenError, RecordSink, SkippedLine, UnreadItem};

use super::log_analysis::LogReadSummary;

/// Writes the steps of a log as native steps, one JSON object per line. Keeps at most `notes` notes about skipped lines.
/// Returns an error only if writing fails.
pub fn convert_log(
    input: &LogInput,
    format: Option<LogFormat>,
    notes: usize,
    out: &mut dyn Write,
) -> io::Result<LogReadSummary> {
    let log = match input.open(format, |_| {}) {
        Ok(log) => log,
        Err(error) => return Ok(LogReadSummary::refused(error)),
    };
    let mut writer = StepWriter {
        default_run: input.run(),
        out,
        written: Ok(()),
        has_steps: false,
        notes,
        summary: LogReadSummary::default(),
    };
    let read = log.read(&mut writer);
    let StepWriter { written, has_steps, mut summary, .. } = writer;
    written?;
    match read {
        Ok(read) => summary.bytes = read.bytes,
        Err(error) => summary.refusal = Some(OpenError::Unreadable(error)),
    }
    if summary.refusal.is_none() && !has_steps {
        summary.refusal = Some(format.map_or(OpenError::Unknown, OpenError::WrongFormat));
    }
    Ok(summary)
}

/// Writes each record as one line.
struct StepWriter<'w> {
    /// Run name for records without one: several logs may go to one file.
    default_run: String,
    out: &'w mut dyn Write,
    /// The first error. Nothing is written after it.
    written: io::Result<()>,
    has_steps: bool,
    notes: usize,
    summary: LogReadSummary,
}

impl RecordSink for StepWriter<'_> {
    fn record(&mut self, record: &LogRecord<'_>) {
        self.has_steps |= record.step.has_facet();
        if self.written.is_err() {
            return;
        }
        let mut step = record.step.clone();
        step.run.get_or_insert_with(|| Label::from(self.default_run.as_str()));
        self.written = serde_json::to_vec(&step).map_err(io::Error::from).and_then(|mut line| {
            // Arguments are copied as they were, perhaps over several lines. Line ends inside strings are
            // escaped.
            line.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
            line.push(b'\n');
            self.out.write_all(&line)
        });
    }

    fn unread_item(&mut self, item: &UnreadItem<'_>) {
        self.summary.add_unread_item(self.notes, item);
    }

    fn skipped(&mut self, skipped: SkippedLine) {
        self.summary.skipped_lines += 1;
        self.summary.note(self.notes, skipped.line, || format!("{}; line skipped", skipped.reason));
    }
}
