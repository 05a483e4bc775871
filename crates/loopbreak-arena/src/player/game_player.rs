//! The trait of all players.

use loopbreak::Usage;

use crate::agent_failure::AgentFailure;
use crate::player_context::PlayerContext;

/// A proposal of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerMove {
    /// The command.
    pub action: String,
    /// Reason given by the player; may be empty.
    pub reason: String,
}

impl<T: Into<String>> From<T> for PlayerMove {
    fn from(action: T) -> Self {
        PlayerMove { action: action.into(), reason: String::new() }
    }
}

/// A player. It sees the context, never the world itself.
pub trait GamePlayer {
    /// Returns the name used in logs.
    fn name(&self) -> String;

    /// Proposes a command, or returns why it cannot. Called again in the same turn after a refusal.
    fn propose(&mut self, context: &PlayerContext) -> Result<PlayerMove, AgentFailure>;

    /// Returns the usage since the last call of this method, including failed answers.
    fn take_usage(&mut self) -> Usage {
        Usage::default()
    }
}

/// A player that cannot fail because it asks no model and no program. Every such player is a [`GamePlayer`].
pub trait InfalliblePlayer {
    /// Returns the name used in logs.
    fn name(&self) -> String;

    /// Proposes a command.
    fn propose(&mut self, context: &PlayerContext) -> PlayerMove;
}

impl<T: InfalliblePlayer> GamePlayer for T {
    fn name(&self) -> String {
        InfalliblePlayer::name(self)
    }

    fn propose(&mut self, context: &PlayerContext) -> Result<PlayerMove, AgentFailure> {
        Ok(InfalliblePlayer::propose(self, context))
    }
}
