//! The kind of player that the options select.

use loopbreak_arena::PlayerKind;

use super::args::{PlayArgs, YOU};
use crate::error::UserError;

/// The kind of player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PlayerChoice {
    BuiltIn(PlayerKind),
    Program,
    Model,
    You,
}

/// Returns the kind of player that the options select.
pub(super) fn player_choice(args: &PlayArgs) -> Result<PlayerChoice, UserError> {
    match (&args.player, &args.agent_command, &args.endpoint) {
        (Some(name), _, _) if name == YOU => Ok(PlayerChoice::You),
        (Some(name), _, _) => name
            .parse()
            .map(PlayerChoice::BuiltIn)
            .map_err(|error| UserError::usage(format!("--player: {error}"))),
        (None, Some(_), _) => Ok(PlayerChoice::Program),
        (None, None, Some(_)) => Ok(PlayerChoice::Model),
        (None, None, None) => Ok(PlayerChoice::BuiltIn(PlayerKind::Explorer)),
    }
}
