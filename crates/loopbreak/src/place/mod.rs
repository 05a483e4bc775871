//! Where the agent is and has been: the ways out, the map learned from the steps, and each agent's trail.

mod map;
mod trail;
mod way;

pub(crate) use map::Map;
pub(crate) use trail::Trail;
pub(crate) use way::{way, way_of_action};
