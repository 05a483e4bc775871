//! The report for people: pure text, the width given, coloured only where the caller says so.

mod acts;
mod detail;
mod draw;
mod look;
mod reasons;
mod sums;
mod table;

use std::fmt::Write as _;

use crate::json::Report;

pub use look::Look;
pub use sums::summary;

/// With more runs than this, each gets a line instead of a page.
const PAGES: usize = 5;

/// How much is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// The sums, in one line.
    Sums,
    /// A page a run, or a line each where there are many; repeated interventions as one.
    #[default]
    Normal,
    /// A page a run, every intervention in it.
    Full,
}

/// Writes the whole report.
pub fn render(report: &Report, look: &Look, detail: Detail) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = match detail {
        Detail::Sums => writeln!(out, "{}", summary(&report.totals)),
        Detail::Normal if report.runs.len() > PAGES => {
            table::write(&mut out, &report.runs, look).and_then(|()| sums::write(&mut out, report, look))
        }
        Detail::Normal | Detail::Full => {
            let mut pages = report.runs.iter();
            pages
                .try_for_each(|run| detail::write(&mut out, run, look, detail == Detail::Full))
                .and_then(|()| sums::write(&mut out, report, look))
        }
    };
    out
}
