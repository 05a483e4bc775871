//! Players that need no model. They see only texts.

mod camper;
mod circler;
mod explorer;
mod fiddler;
mod half_deaf;
mod juggler;
mod kind;
mod lore;
mod oscillator;
mod wanderer;

pub use camper::Camper;
pub use circler::Circler;
pub use explorer::Explorer;
pub use fiddler::Fiddler;
pub use half_deaf::HalfDeaf;
pub use juggler::Juggler;
pub use kind::{Habit, Move, Player, PlayerKind};
pub use oscillator::Oscillator;
pub use wanderer::Wanderer;
