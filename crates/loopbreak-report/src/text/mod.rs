//! The report as text for a terminal.

mod comparison;
mod detail;
mod explanation_text;
mod figures;
mod interventions;
mod reasons;
mod run_order;
mod strips;
mod style;
mod table;
mod totals;
mod typable_ids;
mod wrapped_lines;

use std::io::{self, Write};

use loopbreak_analysis::Report;

pub use comparison::render_comparison;
pub use explanation_text::ExplanationText;
pub use run_order::RunOrder;
pub use style::TextStyle;
use table::RunTable;
pub use totals::summary;

/// Maximum number of runs that are shown in detail; with more, each gets one line.
const PAGES: usize = 5;

/// The level of detail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextDetail {
    /// Only the totals, on one line.
    Totals,
    /// Each run in detail, or one line each if there are many; repeated interventions on one line.
    #[default]
    Normal,
    /// Each run in detail with every intervention.
    Full,
}

/// The table of many runs: its order, and its length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableOptions {
    /// The order.
    pub order: RunOrder,
    /// Number of runs. Without it, few runs are all listed, and of many those with findings.
    pub top: Option<usize>,
    /// Shows the table even if there are few runs.
    pub always: bool,
}

/// Writes the whole report.
pub fn write(out: &mut dyn Write, report: &Report, look: &TextStyle, detail: TextDetail) -> io::Result<()> {
    write_table(out, report, look, detail, TableOptions::default())
}

/// Writes the whole report, with other options for the table of many runs.
pub fn write_table(
    out: &mut dyn Write,
    report: &Report,
    look: &TextStyle,
    detail: TextDetail,
    options: TableOptions,
) -> io::Result<()> {
    let mut text = String::new();
    match detail {
        TextDetail::Totals => {
            writeln!(out, "{}", summary(&report.totals))?;
            return totals::write_caveats(out, report, look);
        }
        TextDetail::Normal if report.runs.len() > PAGES || (options.always && report.runs.len() > 1) => {
            let table = RunTable::new(&*report.runs, options)?;
            table.write(&mut text, look).map_err(io::Error::other)?;
        }
        TextDetail::Normal | TextDetail::Full => report.runs.each(&mut |run| {
            detail::write(&mut text, run, look, detail == TextDetail::Full).map_err(io::Error::other)?;
            out.write_all(text.as_bytes())?;
            text.clear();
            Ok(())
        })?,
    }
    figures::write(&mut text, &report.totals, look, detail == TextDetail::Full).map_err(io::Error::other)?;
    totals::write(&mut text, report, look).map_err(io::Error::other)?;
    out.write_all(text.as_bytes())?;
    totals::write_caveats(out, report, look)
}
