//! A Z-machine for story files of version 3, after the Z-Machine Standards Document 1.1.
//!
//! It is headless and deterministic: a [`ZMachine`] takes a line and returns the output of the story. It has no
//! screen, no clock and no files; random numbers come from a seed. Many machines can share one [`StoryFile`], which
//! is never modified.
//!
//! Story files are not trusted. A damaged or hostile one ends in a [`MachineFault`] with the reason and the address.
//! It cannot make the machine panic, run forever, or use unbounded memory.

mod decode;
mod execute;
mod fault;
mod machine;
mod memory;
mod objects;
mod output;
mod pending_line;
mod random;
mod save;
mod stack;
mod story;
mod text;

pub use fault::{FaultKind, MachineFault};
pub use machine::{MachineLimits, MachineReply, StatusLine, ZMachine};
pub use save::MachineSnapshot;
pub use story::{StoryError, StoryFile};
