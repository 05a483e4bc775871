//! `loopbreak convert`: writes logs of any format as native steps.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::Args;
use loopbreak::Label;
use loopbreak_analysis::{LogReadSummary, report_unread_inputs};
use loopbreak_trace::{LogFormat, LogInput, LogRecord, OpenError, RecordSink, SkippedLine, expand_paths};

use crate::diagnostic_printer::DiagnosticPrinter;
use crate::error::UserError;
use crate::{exit, output};

/// Convert logs to native steps.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak convert ~/.claude/projects -o steps.jsonl
  loopbreak convert session.json | jq .action.name
  loopbreak convert --format chat dump.json -o steps.jsonl

Exit codes:
  0 success; 1 a file could not be read or written; 2 wrong usage")]
pub(crate) struct ConvertArgs {
    /// Files, folders, or - for standard input
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Read all logs as this format instead of detecting it; see `loopbreak formats`
    #[arg(long, value_name = "NAME", value_parser = crate::formats::parse)]
    format: Option<LogFormat>,
    /// Print no warnings about skipped lines
    #[arg(short, long)]
    quiet: bool,
}

/// Converts logs, one after the other.
pub(crate) fn run(args: &ConvertArgs) -> Result<u8, UserError> {
    let expansion = expand_paths(&args.paths);
    let mut diagnostics = DiagnosticPrinter::new(args.quiet, false);
    let mut logs = Vec::new();
    let mut all = |out: &mut dyn Write| -> io::Result<()> {
        for input in &expansion.inputs {
            logs.push(convert(input, args.format, diagnostics.notes_per_log(), out)?);
        }
        out.flush()
    };
    if let Some(path) = &args.output {
        let mut file = BufWriter::new(output::create_file("--output", path, &expansion.inputs)?);
        output::quietly(all(&mut file), &path.display().to_string())?;
    } else {
        output::fill_plain(all)?;
    }
    let summary = report_unread_inputs(&expansion, &logs, &mut diagnostics);
    diagnostics.finish();
    Ok(if summary.failed { exit::FAILED } else { exit::DONE })
}

/// Converts one log. Returns an error only if writing fails.
fn convert(
    input: &LogInput,
    format: Option<LogFormat>,
    notes: usize,
    out: &mut dyn Write,
) -> io::Result<LogReadSummary> {
    let log = match input.open(format, |_| {}) {
        Ok(log) => log,
        Err(refusal) => return Ok(LogReadSummary::refused(refusal)),
    };
    let mut writing = StepWriter {
        unnamed: input.run(),
        out,
        written: Ok(()),
        any: false,
        notes,
        reading: LogReadSummary::default(),
    };
    let read = log.read(&mut writing);
    let StepWriter { written, any, mut reading, .. } = writing;
    written?;
    match read {
        Ok(read) => reading.bytes = read.bytes,
        Err(error) => reading.refusal = Some(OpenError::Unreadable(error)),
    }
    if reading.refusal.is_none() && !any {
        reading.refusal = Some(format.map_or(OpenError::Unknown, OpenError::WrongFormat));
    }
    Ok(reading)
}

struct StepWriter<'w> {
    /// Run name for records without one: several logs may go to one file.
    unnamed: String,
    out: &'w mut dyn Write,
    /// The first error. Nothing is written after it.
    written: io::Result<()>,
    any: bool,
    notes: usize,
    reading: LogReadSummary,
}

impl RecordSink for StepWriter<'_> {
    fn record(&mut self, record: &LogRecord<'_>) {
        self.any |= record.step.has_facet();
        if self.written.is_err() {
            return;
        }
        let mut step = record.step.clone();
        step.run.get_or_insert_with(|| Label::from(self.unnamed.as_str()));
        self.written = serde_json::to_vec(&step).map_err(io::Error::from).and_then(|mut line| {
            // Arguments are copied as they were, perhaps over several lines. Line ends inside strings are
            // escaped.
            line.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
            line.push(b'\n');
            self.out.write_all(&line)
        });
    }

    fn skipped(&mut self, skipped: SkippedLine) {
        self.reading.skipped_lines += 1;
        self.reading.note(self.notes, skipped.line, || format!("{}; line skipped", skipped.reason));
    }
}
