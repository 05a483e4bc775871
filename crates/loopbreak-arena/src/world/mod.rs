//! Worlds: what a world is, and the kinds that there are.

mod command_world;
mod game_world;
mod story_world;
mod world_map;

pub use command_world::{CommandWorld, SavedGame};
pub use game_world::{GameWorld, WorldError, WorldLocation, WorldObservation};
pub use story_world::{SavedStory, StoryWorld};
pub use world_map::WorldMap;
