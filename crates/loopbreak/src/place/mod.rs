//! Places: directions, the map that the steps show and tell, and the trail of each agent.

mod direction;
mod exit_marks;
mod find_place;
mod place_map;
mod place_trail;

pub(crate) use direction::{action_direction, exit_direction, movement_direction};
pub(crate) use find_place::find_place;
pub(crate) use place_map::PlaceMap;
pub(crate) use place_trail::PlaceTrail;
