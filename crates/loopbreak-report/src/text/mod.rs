//! The report for people: pure text, the width given, coloured only where the caller says so.

mod detail;
mod draw;
mod interventions;
mod reasons;
mod style;
mod table;
mod totals;

use std::io::{self, Write};

use loopbreak_analysis::Report;

pub use style::TextStyle;
use table::RunTable;
pub use totals::summary;

/// With more runs than this, each gets a line instead of a page.
const PAGES: usize = 5;

/// How much is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextDetail {
    /// The sums, in one line.
    Totals,
    /// A page a run, or a line each where there are many; repeated interventions as one.
    #[default]
    Normal,
    /// A page a run, every intervention in it.
    Full,
}

/// Writes the whole report.
pub fn write(out: &mut dyn Write, report: &Report, look: &TextStyle, detail: TextDetail) -> io::Result<()> {
    let mut text = String::new();
    match detail {
        TextDetail::Totals => return writeln!(out, "{}", summary(&report.totals)),
        TextDetail::Normal if report.runs.len() > PAGES => {
            let table = RunTable::new(&*report.runs)?;
            table.write(&mut text, look).map_err(io::Error::other)?;
        }
        TextDetail::Normal | TextDetail::Full => report.runs.each(&mut |run| {
            detail::write(&mut text, run, look, detail == TextDetail::Full).map_err(io::Error::other)?;
            out.write_all(text.as_bytes())?;
            text.clear();
            Ok(())
        })?,
    }
    totals::write(&mut text, report, look).map_err(io::Error::other)?;
    out.write_all(text.as_bytes())
}
