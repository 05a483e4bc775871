//! One game, from its beginning to its end: the turn, and what is written down of it.

mod choose;
mod episode_clock;
mod episode_ending;
mod episode_event;
mod episode_journal;
mod episode_orchestrator;
mod episode_progress;
mod objective_list;
mod played_turn;

pub use episode_clock::{EpisodeClock, ticking_clock};
pub use episode_ending::EpisodeEnding;
pub(crate) use episode_ending::ending_of_game;
pub use episode_event::{EpisodeEvent, TakenAction};
pub use episode_orchestrator::{EpisodeOrchestrator, EpisodeResult, EpisodeRules};
pub use objective_list::{ObjectiveList, WorldObjective};
