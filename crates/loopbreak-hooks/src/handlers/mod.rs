//! One handler per kind of event.

pub(crate) mod before_tool;
mod turn_end;
