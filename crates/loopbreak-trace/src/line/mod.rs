//! Lines: from bytes to lines, and from lines to a reader.

mod line_assembler;
mod line_block;
mod line_feeder;
mod line_reader;

pub use line_block::{LineBlock, LineBlocks};
pub(crate) use line_feeder::{LineFeeder, feed_line};
pub use line_reader::{LONGEST_LINE, LineReader, LogLine};
