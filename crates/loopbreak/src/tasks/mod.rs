//! Attempts at tasks: recorded and judged.
//!
//! A guard uses it for the tasks of one run, a [`Series`](crate::Series) for those that span runs.

mod attempts;
mod book;
mod judgement;

pub(crate) use attempts::History;
pub(crate) use book::{Book, Bounds};
pub use judgement::{TaskLoop, TaskPattern};
