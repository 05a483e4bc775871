//! Where the agent is and has been: the ways out, the map learned from the steps, and each agent's trail.

mod direction;
mod place_map;
mod place_trail;

pub(crate) use direction::{action_direction, movement_direction};
pub(crate) use place_map::PlaceMap;
pub(crate) use place_trail::PlaceTrail;
