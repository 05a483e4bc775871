//! Readers of agent logs: each turns one log format into [`loopbreak`] steps.
//!
//! [`expand`] turns what the user named into [`Input`]s, [`Input::open`] looks at the content and chooses the
//! [`Format`], and [`Log::read`] streams its records to a [`Sink`]. Nothing is judged here, and memory does not grow with the
//! length of a log: one line is held at a time, none longer than [`LONGEST_LINE`]. Only a log that is one JSON document over
//! many lines is held as a whole, up to [`LARGEST_DOCUMENT`].
//!
//! Where each line of a log stands by itself, [`Log::blocks`] gives the lines in [`Block`]s, which several threads can read.
//! While a log is written, [`look`] says what it is, and [`Live`] takes what is appended to it.

mod arguments;
mod block;
mod content;
mod document;
mod feed;
mod format;
mod formats;
mod glimpse;
mod installed;
mod kin;
mod lines;
mod live;
mod open;
mod pending;
mod read;
mod reason;
mod seam;
mod sniff;
mod source;
mod unpack;

pub use block::{Block, Blocks};
pub use format::{Format, Kin, Read, Record, Sink, Skipped};
pub use installed::{Place, installed};
pub use lines::{LONGEST_LINE, Line, Lines};
pub use live::{LOOKED_AT, Live, Looked, NotFollowed, Shape, is_whole, look};
pub use open::{Log, Refusal};
pub use read::LARGEST_DOCUMENT;
pub use reason::Reason;
pub use sniff::{Layout, Sniffed, sniff};
pub use source::{Expansion, Folder, Input, Trouble, expand, files};
