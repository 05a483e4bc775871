//! Runs as bytes: what is kept of a run that is put away while others go on. Only the program that wrote them reads them
//! again, so they have no version; they are short, and every number comes back bit for bit.

mod codec;
mod facts;
mod values;
mod words;

pub(crate) use codec::{PackedRecord, RecordPacker, RecordUnpacker, one_of, packed};
pub use words::{CorruptRecord, WordTable};
