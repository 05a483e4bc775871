//! A world: it takes commands, answers with text, and reports the place and the score.

use thiserror::Error;

use crate::line_protocol::ProtocolError;
use crate::zmachine::MachineFault;

/// The reason why a world failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum WorldError {
    /// The story executed an invalid operation.
    #[error("the story failed: {0}")]
    Story(#[from] MachineFault),
    /// The external program failed.
    #[error("the world failed: {0}")]
    LineProgram(#[from] ProtocolError),
}

/// A place in a world.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorldLocation {
    /// Number of the place, which stays the same.
    pub id: u32,
    /// Name of the place.
    pub name: String,
    /// Exits, if the world reports them.
    pub exits: Vec<String>,
}

/// The observation after a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorldObservation {
    /// Answer of the world, without the prompt for the next command.
    pub text: String,
    /// Current place.
    pub place: Option<WorldLocation>,
    /// Score.
    pub score: Option<i32>,
    /// Number of moves, as counted by the world.
    pub moves: Option<u32>,
    /// Inventory, if the world reports it.
    pub inventory: Option<Vec<String>>,
    /// True if the game is over and accepts no further commands.
    pub over: bool,
}

/// A world to act in. Worlds are deterministic: the same commands give the same observations.
pub trait GameWorld {
    /// Starts or restarts the game.
    fn reset(&mut self) -> Result<WorldObservation, WorldError>;

    /// Executes a command.
    fn act(&mut self, command: &str) -> Result<WorldObservation, WorldError>;
}
