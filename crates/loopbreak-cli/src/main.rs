//! The `loopbreak` binary: argument parsing and output, nothing else.
fn main() {}
