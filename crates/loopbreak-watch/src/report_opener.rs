//! The report of one run as a page, which is written to a private file and opened.

use std::io;
use std::path::{Path, PathBuf};

use loopbreak::Config;
use loopbreak_analysis::{AnalyzeOptions, LogAnalyzer};
use loopbreak_report::{DiagnosticPrinter, html, printable};
use loopbreak_trace::LogFormat;

use crate::page_opener::{open_page, write_private_page};
use crate::page_origin::page_origin;
use crate::watch_reporter::RunRow;

/// Writes and opens reports.
#[derive(Clone, Debug)]
pub struct ReportOpener {
    config: Config,
    format: Option<LogFormat>,
}

impl ReportOpener {
    /// Uses the settings and the log format of a watch.
    pub fn new(config: Config, format: Option<LogFormat>) -> Self {
        ReportOpener { config, format }
    }

    /// Writes the report of a run to a private file and opens it. Returns what was done.
    pub fn open(&self, row: &RunRow) -> String {
        match self.write(&row.log, &row.run) {
            Ok(path) if open_page(&path).is_ok() => format!("opened the report {}", path.display()),
            Ok(path) => format!("the report is in {}", path.display()),
            Err(error) => format!("cannot write the report of {}: {error}", printable(&row.run)),
        }
    }

    /// Writes the report of a run. Returns the path of the page, which only the user can read.
    pub fn write(&self, log: &Path, run: &str) -> io::Result<PathBuf> {
        let options = AnalyzeOptions {
            only_run: Some(run.to_owned()),
            format: self.format,
            record_steps: true,
            ..AnalyzeOptions::new(self.config.clone())
        };
        let logs = LogAnalyzer::new(options).run([log]);
        if logs.has_no_runs() {
            return Err(io::Error::other("the log has no such run now"));
        }
        let summary = logs.report_unread_inputs(&mut DiagnosticPrinter::new(io::sink(), true, false));
        let report = logs.into_report(&summary.reading).map_err(io::Error::other)?;
        write_private_page(&html::page(&report, &page_origin())?)
    }
}
