//! What a player is.

use loopbreak::Usage;

use crate::agent_failure::AgentFailure;
use crate::player_context::PlayerContext;

/// What a player wants to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerMove {
    /// The command.
    pub action: String,
    /// Why, in the player's words; empty where it does not say.
    pub reason: String,
}

impl<T: Into<String>> From<T> for PlayerMove {
    fn from(action: T) -> Self {
        PlayerMove { action: action.into(), reason: String::new() }
    }
}

/// Somebody who plays. Sees what the context shows, never the world itself.
pub trait GamePlayer {
    /// The name under which it is logged.
    fn name(&self) -> String;

    /// Proposes a command, or says why it cannot. Asked again in the same turn where that was refused.
    fn propose(&mut self, context: &PlayerContext) -> Result<PlayerMove, AgentFailure>;

    /// What it used since this was asked last, also for answers that failed.
    fn take_usage(&mut self) -> Usage {
        Usage::default()
    }
}

/// A player that never fails, for it asks nobody: every one of these is a [`GamePlayer`].
pub trait InfalliblePlayer {
    /// The name under which it is logged.
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
