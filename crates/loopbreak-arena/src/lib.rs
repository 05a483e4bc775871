//! Games with an agent, a critic and Loopbreak in the loop.
//!
//! A [`GamePlayer`] proposes commands, a [`ProposalCritic`] scores them, and a guard of the engine adjusts the scores in view
//! of everything that happened before. The [`EpisodeOrchestrator`] connects them turn by turn, until the game is over or the
//! guard stops it. It writes a journal that can be replayed with the same verdicts:
//!
//! ```
//! use loopbreak::{Config, Guard, Profile};
//! use loopbreak_arena::{EpisodeOrchestrator, HeuristicCritic, PlayerKind, StoryWorld, stories};
//!
//! let mut world = StoryWorld::new(stories::spillway(), 1);
//! let mut player = PlayerKind::Oscillator.player(2);
//! let mut critic = HeuristicCritic::default();
//! let guard = Guard::new(Config::from(Profile::Game));
//! let mut journal = Vec::new();
//! let episode = EpisodeOrchestrator::new(&mut world, &mut *player, &mut critic, guard)
//!     .journal(&mut journal)
//!     .play("oscillator-2")?;
//! println!("{} after {} turns", episode.ending.as_str(), episode.turns);
//! assert!(!journal.is_empty());
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! A [`GameWorld`] takes commands and answers with text. A [`StoryWorld`] runs a story file on a Z-machine of version 3, the
//! format of the classic text adventures: see [`zmachine`]. A [`CommandWorld`] is any program that speaks JSON line by line: see
//! [`line_protocol`]. Worlds are deterministic: the same story, seed and commands give the same texts, however many games run
//! in parallel. Players and critics may be models and programs too, which can fail: see [`agent`].
//!
//! [`terminal`] shows an episode to people. A [`GameContest`] plays many games with and without Loopbreak and measures the difference.

pub mod agent;
mod agent_failure;
mod cancel_flag;
mod contest;
mod episode;
mod game_text;
pub mod line_protocol;
pub mod player;
mod player_context;
mod proposal_critic;
mod seeded_rng;
pub mod stories;
pub mod terminal;
mod world;
pub mod zmachine;

pub use agent_failure::{AgentFailure, FailureKind};
pub use cancel_flag::CancelFlag;
pub use contest::{
    AblationRow, AdviceContest, AdviceRow, ContestPlan, ContestReport, ContestTarget, EnginePart,
    GameContest, GameRecord, LoopObserver, MeanInterval, PlayerRow, ShareInterval, render_page,
};
pub use episode::{
    EpisodeClock, EpisodeEnding, EpisodeEvent, EpisodeOrchestrator, EpisodeResult, EpisodeRules,
    ObjectiveList, TakenAction, WorldObjective, ticking_clock,
};
pub use player::{GamePlayer, InfalliblePlayer, PlayerKind, PlayerMove};
pub use player_context::{PastAction, PlayerContext, RefusedProposal};
pub use proposal_critic::{CriticOpinion, HeuristicCritic, NoCritic, ProposalCritic};
pub use seeded_rng::SeededRng;
pub use world::{
    CommandWorld, GameWorld, SavedGame, SavedStory, StoryWorld, WorldError, WorldLocation, WorldMap,
    WorldObservation,
};

/// Compiles and runs the snippets of the guides with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/arena.md")]
#[doc = include_str!("../../../docs/guide/game-agent.md")]
#[doc = include_str!("../../../docs/guide/worlds.md")]
struct ArenaGuides;
