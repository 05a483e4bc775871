//! Renders analyses for people and other programs.
//!
//! The data comes from [`loopbreak_analysis`]. [`text`] writes a report to a terminal, [`html`] makes a page
//! of it, [`outputs`] writes CSV, Markdown, `JUnit` and SARIF, [`explain`] shows one run step by step, and
//! [`eval`] and [`tune`] show evaluations and searches. Nothing here reads a file or a clock.

pub mod eval;
pub mod exit;
pub mod explain;
pub mod html;
pub mod markup;
mod number;
pub mod outputs;
mod printable;
pub mod text;
pub mod tune;
mod worst_runs;

pub use number::plural;
pub use printable::{printable, printable_lines};
