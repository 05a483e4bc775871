//! The report of one run as a page, which is written to a private file and opened.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use loopbreak::Config;
use loopbreak_analysis::{AnalyzeOptions, LogAnalyzer};
use loopbreak_report::{DiagnosticPrinter, html, printable};
use loopbreak_trace::LogFormat;

use crate::watch_reporter::RunRow;

/// The program that opens a page.
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

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
            Ok(path) if open_page(&path) => format!("opened the report {}", path.display()),
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
        let mut file = tempfile::Builder::new().prefix("loopbreak-").suffix(".html").tempfile()?;
        file.write_all(html::page(&report)?.as_bytes())?;
        let (_, path) = file.keep().map_err(|error| error.error)?;
        Ok(path)
    }
}

/// Opens a page with the program of the system, if there is a desktop. Returns whether that was started.
fn open_page(path: &Path) -> bool {
    let has_desktop = cfg!(target_os = "macos")
        || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    let mut command = Command::new(OPENER);
    command.arg(path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match has_desktop.then(|| command.spawn()) {
        Some(Ok(mut child)) => {
            // Nobody waits for it, but it must not stay behind as a zombie.
            std::thread::spawn(move || child.wait());
            true
        }
        _ => false,
    }
}
