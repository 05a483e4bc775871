//! Games with an agent, a critic and Loopbreak in the loop.
//!
//! A [`World`] takes commands and answers with text. The first kind of world is a story file for the Z-machine,
//! version 3, the kind of the classic text adventures: see [`zmachine`]. Worlds are deterministic: the same story, the
//! same seed and the same commands give the same texts, however many of them run side by side. The second kind is any
//! program that speaks JSON by the line: see [`talk`].
//!
//! A [`Player`] proposes commands, a [`Critic`] says what they seem to be worth, and a guard of the engine says what
//! they are worth in the light of all that came before. The [`Orchestrator`] puts them together, turn by turn, until the
//! game is over or the guard ends it, and writes a journal that can be read and judged again with the same verdicts.
//! Players and critics may be models and programs too, which can fail: see [`agent`].

pub mod agent;
mod chance;
mod contest;
mod context;
mod critic;
mod ending;
mod episode;
mod failure;
mod halt;
mod map;
mod objectives;
pub mod player;
pub mod stories;
pub mod talk;
mod texts;
mod world;
pub mod zmachine;

pub use chance::Chance;
pub use contest::{Ablation, Account, Contest, Mean, Part, Plan, Report, Row, Share, Target, Witness, page};
pub use context::{Context, Deed, Refusal};
pub use critic::{Critic, Heuristic, NoCritic, Opinion};
pub use ending::Ending;
pub use episode::{Clock, Episode, Moment, Orchestrator, Rules, Taken, ticking};
pub use failure::{Failure, FailureKind};
pub use halt::Halt;
pub use map::Map;
pub use objectives::{Objective, Objectives};
pub use player::{Habit, Move, Player, PlayerKind};
pub use world::{CommandWorld, SavedGame, SavedStory, Sight, Spot, StoryWorld, World, WorldError};

/// The snippets of the guides are compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/arena.md")]
#[doc = include_str!("../../../docs/guide/game-agent.md")]
#[doc = include_str!("../../../docs/guide/worlds.md")]
struct Guides;
