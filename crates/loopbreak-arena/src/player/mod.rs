//! Players that need no model. They see only texts.

mod camper;
mod circler;
mod explorer;
mod fiddler;
mod game_player;
mod juggler;
mod lore;
mod obedient_player;
mod oscillator;
mod player_kind;
mod wanderer;

pub use camper::CamperPlayer;
pub use circler::CirclerPlayer;
pub use explorer::ExplorerPlayer;
pub use fiddler::FiddlerPlayer;
pub use game_player::{GamePlayer, InfalliblePlayer, PlayerMove};
pub use juggler::JugglerPlayer;
pub use obedient_player::ObedientPlayer;
pub use oscillator::OscillatorPlayer;
pub use player_kind::PlayerKind;
pub use wanderer::WandererPlayer;
