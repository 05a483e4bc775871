//! Games with an agent, a critic and Loopbreak in the loop.
//!
//! A [`GameWorld`] takes commands and answers with text. The first kind of world is a story file for the Z-machine,
//! version 3, the kind of the classic text adventures: see [`zmachine`]. Worlds are deterministic: the same story, the
//! same seed and the same commands give the same texts, however many of them run side by side. The second kind is any
//! program that speaks JSON by the line: see [`talk`].
//!
//! A [`GamePlayer`] proposes commands, a [`ProposalCritic`] says what they seem to be worth, and a guard of the engine says what
//! they are worth in the light of all that came before. The [`EpisodeOrchestrator`] puts them together, turn by turn, until the
//! game is over or the guard ends it, and writes a journal that can be read and judged again with the same verdicts.
//! Players and critics may be models and programs too, which can fail: see [`agent`].

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
mod world;
pub mod zmachine;

pub use agent_failure::{AgentFailure, FailureKind};
pub use cancel_flag::CancelFlag;
pub use contest::{
    AblationRow, ContestPlan, ContestReport, ContestTarget, EnginePart, GameContest, GameRecord,
    LoopObserver, MeanInterval, PlayerRow, ShareInterval, render_page,
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

/// The snippets of the guides are compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/arena.md")]
#[doc = include_str!("../../../docs/guide/game-agent.md")]
#[doc = include_str!("../../../docs/guide/worlds.md")]
struct ArenaGuides;
