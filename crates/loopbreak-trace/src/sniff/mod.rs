//! Format detection: the content of a log decides about its format. File names say little, because most tools
//! write `.jsonl`.
//!
//! [`sniff`] reads the beginning of a log and asks each format, in the order of the list in `formats/`, whether it
//! recognizes the [`JsonOutline`] of a line or of the document.

mod json_outline;
mod sniff_result;

pub(crate) use json_outline::{JsonOutline, OutlineEnd};
pub use sniff_result::{LogLayout, SniffResult, sniff};
