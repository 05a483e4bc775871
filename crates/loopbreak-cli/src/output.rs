//! Writes to standard output and to files. A closed pipe is not an error.

use std::fs::{self, File};
use std::io::{self, IsTerminal as _, Write};
use std::path::Path;

use loopbreak::Mode;
use loopbreak_report::outputs::VisibleJson;
use loopbreak_report::text::TextStyle;
use loopbreak_report::{DiagnosticPrinter, mode_note};
pub(crate) use loopbreak_report::{printable, printable_lines};
use loopbreak_store::{replace_with_empty_file, write_file_atomically};
use loopbreak_trace::LogInput;
use serde::Serialize;

use crate::error::UserError;

/// Warns that the guards are off or only observe, in which case results look better than they are.
pub(crate) fn warn_about_mode(mode: Mode) {
    if let Some(note) = mode_note(mode) {
        print_warning(note);
    }
}

/// Prints a warning to standard error.
pub(crate) fn print_warning(text: &str) {
    let style = anstyle::AnsiColor::Yellow.on_default().bold();
    eprint_line!("{style}warning{style:#}{}", wrap_error("warning", text));
}

/// Returns a printer of diagnostics to standard error.
pub(crate) fn diagnostics(quiet: bool, verbose: bool) -> StderrDiagnostics {
    DiagnosticPrinter::new(anstream::stderr(), quiet, verbose)
}

pub(crate) type StderrDiagnostics = DiagnosticPrinter<anstream::AutoStream<io::Stderr>>;

/// Writes to standard output, with colours if the terminal supports them.
pub(crate) fn print(text: &str) -> Result<(), UserError> {
    write(|out| out.write_all(text.as_bytes()))
}

/// Writes lines, which may begin with a coloured label, to standard output. On a terminal they end between words.
pub(crate) fn print_wrapped(text: &str) -> Result<(), UserError> {
    print(&text_style().wrap_labelled_lines(text))
}

/// Writes a message to standard error, behind its label. On a terminal its lines end between words.
pub(crate) fn print_message(label: &str, text: &str) {
    eprint_line!("{label}{}", wrap_error(label, text));
}

/// Writes to standard output. Stops without an error if the pipe is closed.
pub(crate) fn write(fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), UserError> {
    let mut out = io::BufWriter::new(anstream::stdout().lock());
    ignore_closed_pipe(fill(&mut out).and_then(|()| out.flush()), "standard output")
}

/// Writes to standard output and returns whether it is still read, so that costly work can stop if it is not.
pub(crate) fn print_to_reader(text: &str) -> Result<bool, UserError> {
    let mut out = io::BufWriter::new(anstream::stdout().lock());
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    let is_closed = written.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe);
    ignore_closed_pipe(written, "standard output")?;
    Ok(!is_closed)
}

/// Writes bytes to standard output without changes: escape sequences in them are data.
pub(crate) fn write_plain(bytes: &[u8]) -> Result<(), UserError> {
    write_plain_with(|out| out.write_all(bytes))
}

/// Writes data that `fill` produces to standard output without changes.
pub(crate) fn write_plain_with(fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), UserError> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    ignore_closed_pipe(fill(&mut out).and_then(|()| out.flush()), "standard output")
}

/// Writes a value as indented JSON to standard output.
pub(crate) fn print_indented_json(value: &impl Serialize) -> Result<(), UserError> {
    write(|out| {
        serde_json::to_writer_pretty(VisibleJson::escaped(out), value)?;
        out.write_all(b"\n")
    })
}

/// Writes a report as JSON to standard output: indented on a terminal, else on one line.
pub(crate) fn print_json(report: &impl Serialize) -> Result<(), UserError> {
    write_plain_with(|out| {
        if is_terminal() {
            serde_json::to_writer_pretty(VisibleJson::escaped(out), report)?;
        } else {
            serde_json::to_writer(VisibleJson::escaped(out), report)?;
        }
        out.write_all(b"\n")
    })
}

/// Writes a file atomically. An existing file keeps its mode and owner.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), UserError> {
    write_file_with(path, |out| out.write_all(bytes))
}

/// Writes data that `fill` produces to a file atomically.
pub(crate) fn write_file_with(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), UserError> {
    if is_special(path) {
        let written = fs::OpenOptions::new().write(true).open(path).and_then(|file| {
            let mut out = io::BufWriter::new(file);
            fill(&mut out).and_then(|()| out.flush())
        });
        return ignore_closed_pipe(written, &path.display().to_string());
    }
    write_file_atomically(path, fill)
        .map_err(|error| UserError::failed(format!("cannot write {}: {error}", path.display())))
}

/// Returns an error if the file is one of the logs, is a folder, or is in a folder that does not exist.
pub(crate) fn refuse_to_overwrite(option: &str, path: &Path, inputs: &[LogInput]) -> Result<(), UserError> {
    let unwritable = |why: &str| UserError::failed(format!("cannot write {}: {why}", path.display()));
    if path.is_dir() {
        let file = path.join(format!("report.{}", option.trim_start_matches('-')));
        return Err(unwritable("it is a folder").hint(format!("give a file, such as {}", file.display())));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists());
    if let Some(folder) = folder {
        return Err(unwritable(&format!("the folder {} does not exist", folder.display()))
            .hint("create the folder first, or choose another file"));
    }
    let real = fs::canonicalize(path).ok();
    let same = |input: &&LogInput| input.path().and_then(|path| fs::canonicalize(path).ok()) == real;
    if real.as_ref().is_some_and(|real| real.is_file()) && inputs.iter().any(|input| same(&input)) {
        let message = format!("{option} {} would overwrite an input log", path.display());
        return Err(UserError::usage(message).hint("choose another output file"));
    }
    Ok(())
}

/// Creates a file, unless it is one of the logs.
pub(crate) fn create_file(option: &str, path: &Path, inputs: &[LogInput]) -> Result<File, UserError> {
    refuse_to_overwrite(option, path, inputs)?;
    open_output(path).map_err(|error| UserError::failed(format!("cannot write {}: {error}", path.display())))
}

/// Opens a file to write to while the command runs. What was in it is removed, and a link in its place is not followed.
pub(crate) fn open_output(path: &Path) -> io::Result<File> {
    if is_special(path) {
        return fs::OpenOptions::new().write(true).open(path);
    }
    replace_with_empty_file(path)
}

/// Returns whether a path is a pipe or a device, which must not be replaced by a file. `/dev/stdout` may lead to a file.
fn is_special(path: &Path) -> bool {
    let is_system = path.starts_with("/dev") || path.starts_with("/proc");
    is_system || fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// Converts the result of writing. A closed pipe is not an error.
pub(crate) fn ignore_closed_pipe(written: io::Result<()>, name: &str) -> Result<(), UserError> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(UserError::failed(format!("cannot write {name}: {error}")))
        }
        _ => Ok(()),
    }
}

/// Returns whether standard output is a terminal.
pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Returns the columns and lines of the terminal at standard output, or 80 and 24 if it is not one.
pub(crate) fn terminal_size() -> (usize, usize) {
    terminal_size::terminal_size_of(io::stdout())
        .map_or((80, 24), |(width, height)| (usize::from(width.0), usize::from(height.0)))
}

/// Returns the text style for standard output.
pub(crate) fn text_style() -> TextStyle {
    let terminal = terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
    let colour = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
    TextStyle::for_terminal(terminal, colour, |name| std::env::var(name).ok())
}

/// Returns what follows a label such as `error` on standard error. A terminal gets lines that end between words. Texts of
/// several lines, such as the part of a configuration file that is wrong, have a form of their own.
pub(crate) fn wrap_error(label: &str, text: &str) -> String {
    let terminal = terminal_size::terminal_size_of(io::stderr()).map(|(width, _)| usize::from(width.0));
    let style = TextStyle::for_terminal(terminal, false, |name| std::env::var(name).ok());
    let line = format!("{label}: {text}");
    let line = if text.contains(['\n', '\u{1b}']) { line } else { style.wrap_line(&line, style.width, 2) };
    line.split_at(label.len()).1.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_pipe_is_not_an_error() {
        assert!(ignore_closed_pipe(Err(io::ErrorKind::BrokenPipe.into()), "x").is_ok());
        assert!(ignore_closed_pipe(Err(io::ErrorKind::StorageFull.into()), "x").is_err());
    }
}
