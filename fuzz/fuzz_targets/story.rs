//! Any bytes as a story file: played for a few commands, undone, played again.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use loopbreak_arena::zmachine::{MachineFault, MachineLimits, ZMachine, StoryFile};

const COMMANDS: [&str; 6] = ["look", "take all, drop it", "save", "north", "restore", "restart"];

fn play(story: StoryFile) -> Result<(), MachineFault> {
    let limits = MachineLimits { instructions: 50_000, text: 16 * 1024 };
    let mut machine = ZMachine::with_limits(Arc::new(story), 1, limits);
    machine.start()?;
    for command in COMMANDS {
        let before = machine.snapshot();
        let first = machine.enter(command)?;
        machine.restore(&before)?;
        assert_eq!(machine.enter(command)?, first);
        _ = machine.status();
    }
    Ok(())
}

fuzz_target!(|data: &[u8]| {
    if let Ok(story) = StoryFile::new(data) {
        // A fault is an answer; a panic is not.
        _ = play(story);
    }
});
