//! Worlds: what a world is, and the kinds that there are.

mod command;
mod sight;
mod story;

pub use command::{CommandWorld, SavedGame};
pub use sight::{Sight, Spot, World, WorldError};
pub use story::{SavedStory, StoryWorld};
