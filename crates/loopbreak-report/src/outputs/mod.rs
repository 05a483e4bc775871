//! The report for other programs: tables, job summaries, test results, code scanning, a picture to share.
//!
//! Texts of a log are untrusted in all of them and cannot leave their cell, attribute or line.

mod card;
mod csv;
mod junit;
mod markdown;
mod sarif;
mod verdict_reason;
mod visible_json;
mod xml;

pub use card::card;
pub use csv::{COLUMNS, CsvCell, CsvColumn, csv};
pub use junit::junit;
pub use markdown::markdown;
pub use sarif::sarif;
pub use visible_json::VisibleJson;
