//! Any bytes as a story file: played for a few commands, undone, played again.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use loopbreak_arena::zmachine::{Fault, Limits, Machine, Story};

const COMMANDS: [&str; 6] = ["look", "take all, drop it", "save", "north", "restore", "restart"];

fn play(story: Story) -> Result<(), Fault> {
    let limits = Limits { instructions: 50_000, text: 16 * 1024 };
    let mut machine = Machine::with_limits(Arc::new(story), 1, limits);
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
    if let Ok(story) = Story::new(data) {
        // A fault is an answer; a panic is not.
        _ = play(story);
    }
});
