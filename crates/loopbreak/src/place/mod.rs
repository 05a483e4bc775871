//! Places: directions, the map learned from the steps, and the trail of each agent.

mod destination;
mod direction;
mod place_map;
mod place_trail;

pub(crate) use destination::find_place;
pub(crate) use direction::{action_direction, exit_direction, movement_direction};
pub(crate) use place_map::PlaceMap;
pub(crate) use place_trail::PlaceTrail;
