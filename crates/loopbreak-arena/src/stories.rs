//! The story that comes with the crate. Its source is in `story/`.

use std::sync::Arc;

use crate::zmachine::StoryFile;

/// "Spillway", a small adventure at a dam: some thirty rooms, 100 points, and much to get stuck at.
pub const SPILLWAY: &[u8] = include_bytes!("../story/spillway.z3");

/// All the points that can be had in it.
pub const SPILLWAY_SCORE: i32 = 100;

/// The same, ready to be played.
#[expect(clippy::missing_panics_doc, clippy::expect_used, reason = "the tests play it: it is a story")]
pub fn spillway() -> Arc<StoryFile> {
    Arc::new(StoryFile::new(SPILLWAY).expect("the story in the tree is one"))
}
