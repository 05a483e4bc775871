//! The report in other forms: which were asked for, and where they go.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use loopbreak_analysis::Report;
use loopbreak_report::outputs;
use loopbreak_trace::LogInput;

use crate::error::UserError;
use crate::output;

/// The report in other forms.
#[derive(Debug, Default, Args)]
pub(crate) struct OutputFiles {
    /// Write the runs as a table, one line each, to this file; - for standard output
    #[arg(long, value_name = "FILE", help_heading = "Other outputs")]
    csv: Option<PathBuf>,
    /// Write a page of Markdown for the summary of a build job: the sums, and the worst runs; - for standard output
    #[arg(long, value_name = "FILE", help_heading = "Other outputs")]
    markdown: Option<PathBuf>,
    /// Write test results: a suite a source, a case a run, a failure where Loopbreak would have stepped in; - for standard output
    #[arg(long, value_name = "FILE", help_heading = "Other outputs")]
    junit: Option<PathBuf>,
    /// Write SARIF 2.1.0 for code scanning: rules are the detectors, results the findings; - for standard output
    #[arg(long, value_name = "FILE", help_heading = "Other outputs")]
    sarif: Option<PathBuf>,
}

/// An option, the file it names, and what goes there.
type OutputForm<'f> = (&'static str, &'f Path, RenderReport);

type RenderReport = fn(&Report, &mut dyn Write) -> io::Result<()>;

impl OutputFiles {
    fn forms(&self) -> impl Iterator<Item = OutputForm<'_>> {
        let all: [(&'static str, &Option<PathBuf>, RenderReport); 4] = [
            ("--csv", &self.csv, outputs::csv),
            ("--markdown", &self.markdown, outputs::markdown),
            ("--junit", &self.junit, outputs::junit),
            ("--sarif", &self.sarif, outputs::sarif),
        ];
        all.into_iter()
            .filter_map(|(option, path, render)| path.as_deref().map(|path| (option, path, render)))
    }

    /// Whether one of them goes to standard output, so that nothing else may.
    pub(crate) fn take_stdout(&self) -> bool {
        self.forms().any(|(_, path, _)| is_stdout(path))
    }

    /// Refuses what cannot be done, before anything is read: two forms in one place, or a log overwritten. `places` are
    /// those that other options take.
    pub(crate) fn check<'p>(
        &'p self,
        inputs: &[LogInput],
        mut places: Vec<(&'static str, &'p Path)>,
    ) -> Result<(), UserError> {
        for (option, path, _) in self.forms() {
            if let Some((other, _)) = places.iter().find(|(_, place)| *place == path) {
                let place =
                    if is_stdout(path) { "standard output".to_owned() } else { path.display().to_string() };
                return Err(UserError::usage(format!("{other} and {option} cannot both go to {place}"))
                    .hint("name a file of its own for each"));
            }
            if !is_stdout(path) {
                output::refuse_to_overwrite(option, path, inputs)?;
            }
            places.push((option, path));
        }
        Ok(())
    }

    /// Writes all that were asked for.
    pub(crate) fn write(&self, report: &Report) -> Result<(), UserError> {
        for (_, path, render) in self.forms() {
            if is_stdout(path) {
                output::fill_plain(|out| render(report, out))?;
            } else {
                output::fill_file(path, |out| render(report, out))?;
            }
        }
        Ok(())
    }
}

fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}
