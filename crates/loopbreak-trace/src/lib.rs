//! Readers of agent logs: each turns one log format into [`loopbreak`] steps.
//!
//! [`expand`] turns what the user named into [`Input`]s, [`Input::open`] looks at the content and chooses the
//! [`Format`], and [`Log::read`] streams its records to a [`Sink`]. Nothing is judged here, and memory does not grow with the
//! length of a log: one line is held at a time, none longer than [`LONGEST_LINE`].

mod format;
mod lines;
mod open;
mod reason;
mod sniff;
mod source;
mod steps;

pub use format::{Format, Read, Record, Sink, Skipped};
pub use lines::{LONGEST_LINE, Line, Lines};
pub use open::{Log, Refusal};
pub use reason::Reason;
pub use sniff::{Sniffed, sniff};
pub use source::{Expansion, Folder, Input, Trouble, expand};
