//! A world: takes commands, answers with text, knows the place and the score.

use thiserror::Error;

use crate::line_protocol::ProtocolError;
use crate::zmachine::MachineFault;

/// Why a world cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WorldError {
    /// The story did something that it cannot do.
    #[error("the story failed: {0}")]
    Story(#[from] MachineFault),
    /// The program behind the world failed.
    #[error("the world failed: {0}")]
    LineProgram(#[from] ProtocolError),
}

/// A place in a world.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorldLocation {
    /// Its number, the same whenever one comes back.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// The ways out, if the world tells of them.
    pub exits: Vec<String>,
}

/// What is to be seen after a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorldObservation {
    /// What the world answered, without the prompt for the next command.
    pub text: String,
    /// Where one is.
    pub place: Option<WorldLocation>,
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
pub trait GameWorld {
    /// Begins, or begins again.
    fn reset(&mut self) -> Result<WorldObservation, WorldError>;

    /// Does a command.
    fn act(&mut self, command: &str) -> Result<WorldObservation, WorldError>;
}
