//! Writes logs of any format as native steps.

use std::io::{self, BufWriter, Write};

use loopbreak_analysis::{RunSeparator, convert_log, report_unread_inputs};
use loopbreak_report::outputs::VisibleJson;
use loopbreak_trace::{UnpackLimit, expand_paths};

use super::args::ConvertArgs;
use crate::error::UserError;
use crate::{exit, output};

/// Converts logs, one after the other.
pub(crate) fn run(args: &ConvertArgs) -> Result<u8, UserError> {
    let mut inputs = expand_paths(&args.paths);
    if let Some(bytes) = args.max_unpacked {
        inputs.limit_unpacked(UnpackLimit::bytes(bytes));
    }
    let mut diagnostics = output::diagnostics(args.quiet, args.verbose);
    let (mut logs, mut is_closed) = (Vec::new(), false);
    let mut write_all = |out: &mut dyn Write| -> io::Result<()> {
        let mut out = RunSeparator::new(out);
        let mut written = Ok(());
        for input in &inputs.inputs {
            out.begin_log(input.name());
            match convert_log(input, args.format, diagnostics.notes_per_log(), &mut out) {
                Ok(log) => logs.push(log),
                Err(error) => {
                    written = Err(error);
                    break;
                }
            }
        }
        let written = written.and_then(|()| out.flush());
        is_closed = written.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe);
        written
    };
    if let Some(path) = &args.output {
        let mut file = BufWriter::new(output::create_file("--output", path, &inputs.inputs)?);
        output::ignore_closed_pipe(write_all(&mut file), &path.display().to_string())?;
    } else {
        output::write_plain_with(|out| {
            if output::is_terminal() { write_all(&mut VisibleJson::escaped(out)) } else { write_all(out) }
        })?;
    }
    // The logs that nobody asked for any more were not read.
    if is_closed {
        return Ok(exit::DONE);
    }
    let summary = report_unread_inputs(&inputs, &logs, &mut diagnostics);
    diagnostics.finish();
    Ok(if summary.failed { exit::FAILED } else { exit::DONE })
}
