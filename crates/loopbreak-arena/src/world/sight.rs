//! A world: takes commands, answers with text, knows the place and the score.

use thiserror::Error;

use crate::talk::TalkError;
use crate::zmachine::Fault;

/// Why a world cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WorldError {
    /// The story did something that it cannot do.
    #[error("the story failed: {0}")]
    Story(#[from] Fault),
    /// The program behind the world failed.
    #[error("the world failed: {0}")]
    Program(#[from] TalkError),
}

/// A place in a world.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spot {
    /// Its number, the same whenever one comes back.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// The ways out, if the world tells of them.
    pub exits: Vec<String>,
}

/// What is to be seen after a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sight {
    /// What the world answered, without the prompt for the next command.
    pub text: String,
    /// Where one is.
    pub place: Option<Spot>,
    /// The score.
    pub score: Option<i32>,
    /// The moves, as the world counts.
    pub moves: Option<u32>,
    /// What is carried, if the world tells of it.
    pub inventory: Option<Vec<String>>,
    /// It has ended: no command is taken any more.
    pub over: bool,
}

/// Something to act in. Deterministic: the same commands give the same sights.
pub trait World {
    /// Begins, or begins again.
    fn reset(&mut self) -> Result<Sight, WorldError>;

    /// Does a command.
    fn act(&mut self, command: &str) -> Result<Sight, WorldError>;
}
