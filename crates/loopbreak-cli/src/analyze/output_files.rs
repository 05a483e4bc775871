//! Report files in other formats.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use loopbreak_analysis::Report;
use loopbreak_report::outputs;
use loopbreak_trace::LogInput;

use crate::error::UserError;
use crate::output;

/// Report files in other formats.
#[derive(Debug, Default, Args)]
pub(crate) struct OutputFiles {
    /// Write a CSV table with one line per run; - for standard output
    #[arg(long, value_name = "FILE", help_heading = "Other outputs")]
    csv: Option<PathBuf>,
    /// Write totals and the worst runs as Markdown, for the summary of a build job; - for standard output
    #[arg(long, value_name = "FILE", help_heading = "Other outputs")]
    markdown: Option<PathBuf>,
    /// Write JUnit results: one suite per source, one case per run; - for standard output
    ///
    /// A case fails if Loopbreak would have intervened in the run.
    #[arg(long, value_name = "FILE", help_heading = "Other outputs")]
    junit: Option<PathBuf>,
    /// Write SARIF 2.1.0 for code scanning: one rule per detector, one result per finding; - for standard
    /// output
    #[arg(long, value_name = "FILE", help_heading = "Other outputs")]
    sarif: Option<PathBuf>,
    /// Write an SVG picture to share, with totals only: no names of runs, no paths, no text of the logs; - for standard
    /// output
    #[arg(long, value_name = "FILE", help_heading = "Other outputs")]
    card: Option<PathBuf>,
}

/// An option, its file, and the function that renders it.
type OutputForm<'f> = (&'static str, &'f Path, RenderReport);

type RenderReport = fn(&Report, &mut dyn Write) -> io::Result<()>;

impl OutputFiles {
    fn forms(&self) -> impl Iterator<Item = OutputForm<'_>> {
        let all: [(&'static str, &Option<PathBuf>, RenderReport); 5] = [
            ("--csv", &self.csv, outputs::csv),
            ("--markdown", &self.markdown, outputs::markdown),
            ("--junit", &self.junit, outputs::junit),
            ("--sarif", &self.sarif, outputs::sarif),
            ("--card", &self.card, outputs::card),
        ];
        all.into_iter()
            .filter_map(|(option, path, render)| path.as_deref().map(|path| (option, path, render)))
    }

    /// Returns whether one of them goes to standard output. Nothing else may then be printed there.
    pub(crate) fn uses_stdout(&self) -> bool {
        self.forms().any(|(_, path, _)| is_stdout(path))
    }

    /// Returns an error if two outputs go to the same place, or if one would overwrite a log. Runs before
    /// anything is read. `places` are the outputs of other options.
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
                    .hint("give each option its own file"));
            }
            if !is_stdout(path) {
                output::refuse_to_overwrite(option, path, inputs)?;
            }
            places.push((option, path));
        }
        Ok(())
    }

    /// Writes all requested files.
    pub(crate) fn write(&self, report: &Report) -> Result<(), UserError> {
        for (_, path, render) in self.forms() {
            if is_stdout(path) {
                output::write_plain_with(|out| render(report, out))?;
            } else {
                output::write_file_with(path, |out| render(report, out))?;
            }
        }
        Ok(())
    }
}

fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}
