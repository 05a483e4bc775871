//! Starting programs for [Loopbreak](https://crates.io/crates/loopbreak): command lines that are given as one text.

mod command_words;

pub use command_words::split_words;
