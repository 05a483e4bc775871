//! What a player is, and the list of those that come with the crate.

use std::fmt;
use std::str::FromStr;

use loopbreak::Usage;

use super::{Camper, Circler, Explorer, Fiddler, HalfDeaf, Juggler, Oscillator, Wanderer};
use crate::context::Context;
use crate::failure::Failure;

/// What a player wants to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// The command.
    pub action: String,
    /// Why, in the player's words; empty where it does not say.
    pub reason: String,
}

impl<T: Into<String>> From<T> for Move {
    fn from(action: T) -> Self {
        Move { action: action.into(), reason: String::new() }
    }
}

/// Somebody who plays. Sees what the context shows, never the world itself.
pub trait Player {
    /// The name under which it is logged.
    fn name(&self) -> String;

    /// Proposes a command, or says why it cannot. Asked again in the same turn where that was refused.
    fn propose(&mut self, context: &Context) -> Result<Move, Failure>;

    /// What it used since this was asked last, also for answers that failed.
    fn spent(&mut self) -> Usage {
        Usage::default()
    }
}

/// A player that never fails, for it asks nobody: every one of these is a [`Player`].
pub trait Habit {
    /// The name under which it is logged.
    fn name(&self) -> String;

    /// Proposes a command.
    fn propose(&mut self, context: &Context) -> Move;
}

impl<T: Habit> Player for T {
    fn name(&self) -> String {
        Habit::name(self)
    }

    fn propose(&mut self, context: &Context) -> Result<Move, Failure> {
        Ok(Habit::propose(self, context))
    }
}

/// The players that come with the crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlayerKind {
    /// Goes wherever there is a way.
    Wanderer,
    /// Looks for what is new.
    Explorer,
    /// Stays at one place.
    Camper,
    /// Goes to and fro between two places.
    Oscillator,
    /// Walks the same round of six moves.
    Circler,
    /// Tries verb after verb at one thing.
    Fiddler,
    /// Takes and drops the same things.
    Juggler,
}

impl PlayerKind {
    /// All of them.
    pub const ALL: [PlayerKind; 7] = [
        PlayerKind::Wanderer,
        PlayerKind::Explorer,
        PlayerKind::Camper,
        PlayerKind::Oscillator,
        PlayerKind::Circler,
        PlayerKind::Fiddler,
        PlayerKind::Juggler,
    ];

    /// Those that get stuck.
    pub const STUCK: [PlayerKind; 5] = [
        PlayerKind::Camper,
        PlayerKind::Oscillator,
        PlayerKind::Circler,
        PlayerKind::Fiddler,
        PlayerKind::Juggler,
    ];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            PlayerKind::Wanderer => "wanderer",
            PlayerKind::Explorer => "explorer",
            PlayerKind::Camper => "camper",
            PlayerKind::Oscillator => "oscillator",
            PlayerKind::Circler => "circler",
            PlayerKind::Fiddler => "fiddler",
            PlayerKind::Juggler => "juggler",
        }
    }

    /// A player of this kind. It does as it does, whatever it is told.
    pub fn player(self, seed: u64) -> Box<dyn Player> {
        match self {
            PlayerKind::Wanderer => Box::new(Wanderer::new(seed)),
            PlayerKind::Explorer => Box::new(Explorer::new(seed)),
            PlayerKind::Camper => Box::new(Camper::new(seed)),
            PlayerKind::Oscillator => Box::new(Oscillator::new(seed)),
            PlayerKind::Circler => Box::new(Circler::new(seed)),
            PlayerKind::Fiddler => Box::new(Fiddler::new(seed)),
            PlayerKind::Juggler => Box::new(Juggler::new(seed)),
        }
    }

    /// A player of this kind that does what it is told, with this probability. Whoever looks for what is new does so
    /// already.
    pub fn half_deaf(self, seed: u64, obedience: f64) -> Box<dyn Player> {
        match self {
            PlayerKind::Explorer => self.player(seed),
            _ => Box::new(HalfDeaf::new(self.player(seed), seed, obedience)),
        }
    }
}

impl fmt::Display for PlayerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for PlayerKind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = PlayerKind::ALL.map(PlayerKind::as_str).join(", ");
        PlayerKind::ALL
            .into_iter()
            .find(|kind| kind.as_str() == name)
            .ok_or_else(|| format!("there is no player {name:?}; there are {known}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_are_known_by_their_names() {
        for kind in PlayerKind::ALL {
            assert_eq!(kind.as_str().parse(), Ok(kind));
            assert_eq!(kind.player(1).name(), kind.as_str());
        }
        let error = "dancer".parse::<PlayerKind>().unwrap_err();
        assert!(error.starts_with("there is no player \"dancer\"; there are wanderer, "), "{error}");
    }
}
