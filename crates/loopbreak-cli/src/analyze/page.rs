//! The report as a page for a browser.

use std::path::Path;

use loopbreak_report::{Report, html};

use super::finished::AllRuns;
use crate::error::UserError;
use crate::output;

/// Writes the page, with what was recorded of the runs that it lists.
pub(super) fn save(path: &Path, report: &Report, runs: &AllRuns) -> Result<(), UserError> {
    output::fill_file(path, |out| {
        let page = html::page(report, |place| runs.take_recording(place))?;
        out.write_all(page.as_bytes())
    })
}
