//! The story that is part of the crate. Its source is in `story/`.

use std::sync::Arc;

use crate::zmachine::StoryFile;

/// "Spillway", a small adventure at a dam: about thirty rooms, 100 points, and many ways to get stuck.
pub const SPILLWAY: &[u8] = include_bytes!("../story/spillway.z3");

/// The maximum score of "Spillway".
pub const SPILLWAY_SCORE: i32 = 100;

/// Returns "Spillway", ready to be played.
#[expect(clippy::missing_panics_doc, clippy::expect_used, reason = "the tests play it: it is a valid story")]
pub fn spillway() -> Arc<StoryFile> {
    Arc::new(StoryFile::new(SPILLWAY).expect("the built-in story is valid"))
}
