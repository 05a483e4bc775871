//! Renders analyses for people and other programs.
//!
//! The data comes from [`loopbreak_analysis`]. [`text`] writes a report to a terminal, [`html`] makes a page
//! of it, [`outputs`] writes CSV, Markdown, `JUnit` and SARIF, [`explain`] shows one run step by step, and
//! [`eval`] and [`tune`] show evaluations and searches. Nothing here reads a file or a clock.
//!
//! With the feature `store`, which is on by default, `stored_runs` shows the runs and tasks of a store.

mod command_advice;
mod diagnostic_printer;
pub mod eval;
pub mod exit;
pub mod explain;
pub mod html;
pub mod markup;
mod merge_reports;
mod mode_note;
mod number;
pub mod outputs;
mod spending;
#[cfg(feature = "store")]
pub mod stored_runs;
pub mod text;
pub mod tune;
mod turn_ranges;
mod unread_items;
mod worst_runs;

pub use command_advice::command_advice;
pub use diagnostic_printer::DiagnosticPrinter;
pub use loopbreak::text::{printable, printable_lines};
pub use merge_reports::{MergeReportsError, merge_reports};
pub use mode_note::mode_note;
pub use number::{plural, render_cost, render_duration};
pub use unread_items::unread_items;
