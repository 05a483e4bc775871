//! A Z-machine for story files of version 3, after the Z-Machine Standards Document 1.1.
//!
//! Headless and deterministic: a [`ZMachine`] takes a line and gives back what the story printed. It has no screen, no
//! clock and no files; chance comes from a seed. Many machines share one [`StoryFile`], which is never written to.
//!
//! Story files are not trusted. A damaged or hostile one ends in a [`MachineFault`] that says what and where; it cannot make
//! the machine panic, run for ever, or take memory without bound.

mod decode;
mod execute;
mod fault;
mod input;
mod machine;
mod memory;
mod objects;
mod output;
mod random;
mod save;
mod stack;
mod story;
mod text;

pub use fault::{FaultKind, MachineFault};
pub use machine::{MachineLimits, MachineReply, StatusLine, ZMachine};
pub use save::MachineSnapshot;
pub use story::{StoryError, StoryFile};
