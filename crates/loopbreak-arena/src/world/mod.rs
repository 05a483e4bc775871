//! Worlds: what a world is, and the kinds that there are.

mod sight;
mod story;

pub use sight::{Sight, Spot, World, WorldError};
pub use story::{SavedStory, StoryWorld};
