//! The players that come with the crate, by name.

use std::fmt;
use std::str::FromStr;

use super::game_player::GamePlayer;
use super::{
    CamperPlayer, CirclerPlayer, ExplorerPlayer, FiddlerPlayer, JugglerPlayer, ObedientPlayer,
    OscillatorPlayer, WandererPlayer,
};

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

    /// A player of this kind that does what it is told, with this probability. Whoever looks for what is new does so
    /// already.
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
