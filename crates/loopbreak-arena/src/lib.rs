//! Games with an agent, a critic and Loopbreak in the loop.
//!
//! A [`World`] takes commands and answers with text. The first kind of world is a story file for the Z-machine,
//! version 3, the kind of the classic text adventures: see [`zmachine`]. Worlds are deterministic: the same story, the
//! same seed and the same commands give the same texts, however many of them run side by side.

pub mod stories;
pub mod world;
pub mod zmachine;

pub use world::{SavedStory, Sight, Spot, StoryWorld, World, WorldError};
