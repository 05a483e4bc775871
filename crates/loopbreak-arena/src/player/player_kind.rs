//! The built-in players, by name.

use std::fmt;
use std::str::FromStr;

use super::game_player::GamePlayer;
use super::{
    CamperPlayer, CirclerPlayer, ExplorerPlayer, FiddlerPlayer, JugglerPlayer, ObedientPlayer,
    OscillatorPlayer, WandererPlayer,
};

/// The built-in players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PlayerKind {
    /// Walks randomly.
    Wanderer,
    /// Explores the world.
    Explorer,
    /// Stays at one place.
    Camper,
    /// Moves back and forth between two places.
    Oscillator,
    /// Repeats a round of six moves.
    Circler,
    /// Tries verb after verb on one object.
    Fiddler,
    /// Keeps taking and dropping the same objects.
    Juggler,
}

impl PlayerKind {
    /// All players.
    pub const ALL: [PlayerKind; 7] = [
        PlayerKind::Wanderer,
        PlayerKind::Explorer,
        PlayerKind::Camper,
        PlayerKind::Oscillator,
        PlayerKind::Circler,
        PlayerKind::Fiddler,
        PlayerKind::Juggler,
    ];

    /// The players that get stuck.
    pub const STUCK: [PlayerKind; 5] = [
        PlayerKind::Camper,
        PlayerKind::Oscillator,
        PlayerKind::Circler,
        PlayerKind::Fiddler,
        PlayerKind::Juggler,
    ];

    /// Returns the name.
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

    /// Creates a player of this kind that ignores advice.
    pub fn player(self, seed: u64) -> Box<dyn GamePlayer> {
        match self {
            PlayerKind::Wanderer => Box::new(WandererPlayer::new(seed)),
            PlayerKind::Explorer => Box::new(ExplorerPlayer::new(seed)),
            PlayerKind::Camper => Box::new(CamperPlayer::new(seed)),
            PlayerKind::Oscillator => Box::new(OscillatorPlayer::new(seed)),
            PlayerKind::Circler => Box::new(CirclerPlayer::new(seed)),
            PlayerKind::Fiddler => Box::new(FiddlerPlayer::new(seed)),
            PlayerKind::Juggler => Box::new(JugglerPlayer::new(seed)),
        }
    }

    /// Creates a player of this kind that follows advice with probability `obedience`. The explorer never needs
    /// advice.
    pub fn player_with_obedience(self, seed: u64, obedience: f64) -> Box<dyn GamePlayer> {
        match self {
            PlayerKind::Explorer => self.player(seed),
            _ => Box::new(ObedientPlayer::new(self.player(seed), seed, obedience)),
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
            .ok_or_else(|| format!("unknown player {name:?}; the players are {known}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_are_parsed_from_their_names() {
        for kind in PlayerKind::ALL {
            assert_eq!(kind.as_str().parse(), Ok(kind));
            assert_eq!(kind.player(1).name(), kind.as_str());
        }
        let error = "dancer".parse::<PlayerKind>().unwrap_err();
        assert!(error.starts_with("unknown player \"dancer\"; the players are wanderer, "), "{error}");
    }
}
