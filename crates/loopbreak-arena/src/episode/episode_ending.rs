//! The ending of an episode. A stop by Loopbreak is never confused with an ending of the game.

use std::borrow::Cow;

use loopbreak::Pattern;
use loopbreak::verdict::RunStop;
use loopbreak_report::exit;

/// The ending of an episode.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EpisodeEnding {
    /// The game was won.
    Victory,
    /// The player died permanently.
    Death,
    /// The game ended in another way, for example because the player left it.
    Left,
    /// Loopbreak stopped the episode because of this pattern, such as `stuck_no_progress`.
    LoopBreak(Pattern),
    /// The turn limit was reached.
    TurnLimit,
    /// The model failed too often in a row, or permanently. Holds the last message. This is not a loop.
    ModelFailed(String),
    /// The episode was cancelled from outside.
    Interrupted,
    /// The world failed.
    Fault(String),
}

impl EpisodeEnding {
    /// Returns the exit code of a program that plays one episode.
    pub fn exit_code(&self) -> u8 {
        match self {
            EpisodeEnding::Victory | EpisodeEnding::Death | EpisodeEnding::Left => exit::DONE,
            EpisodeEnding::LoopBreak(Pattern::MaxIterations | Pattern::MaxRuntime | Pattern::MaxCost)
            | EpisodeEnding::TurnLimit => exit::LIMIT,
            EpisodeEnding::LoopBreak(Pattern::ConsecutiveErrors) | EpisodeEnding::ModelFailed(_) => {
                exit::ERRORS
            }
            EpisodeEnding::LoopBreak(_) => exit::LOOP,
            EpisodeEnding::Interrupted => exit::INTERRUPTED,
            EpisodeEnding::Fault(_) => exit::FAILED,
        }
    }

    /// Returns the name of the ending: `victory`, `death`, `left`, `loop_break`, `turn_limit`, `model_failed`,
    /// `interrupted` or `fault`.
    pub fn as_str(&self) -> &'static str {
        match self {
            EpisodeEnding::Victory => "victory",
            EpisodeEnding::Death => "death",
            EpisodeEnding::Left => "left",
            EpisodeEnding::LoopBreak(_) => RunStop::ENDING.as_str(),
            EpisodeEnding::TurnLimit => "turn_limit",
            EpisodeEnding::ModelFailed(_) => "model_failed",
            EpisodeEnding::Interrupted => "interrupted",
            EpisodeEnding::Fault(_) => "fault",
        }
    }

    /// Returns the reason: the name, or the reason given by Loopbreak, the model or the world.
    pub fn reason(&self) -> Cow<'_, str> {
        match self {
            EpisodeEnding::LoopBreak(reason) => Cow::Borrowed(reason.as_str()),
            EpisodeEnding::ModelFailed(why) | EpisodeEnding::Fault(why) => Cow::Borrowed(why),
            _ => Cow::Borrowed(self.as_str()),
        }
    }
}

/// Returns the ending of the game, if it has ended. `over` means that it accepts no further commands. Many classics
/// keep asking what to do after the end; that is an ending too.
pub(crate) fn ending_of_game(text: &str, over: bool) -> Option<EpisodeEnding> {
    let asks = text.contains("Would you like to restart") || text.contains("Would you like to start over");
    if !over && !asks {
        return None;
    }
    let lower = text.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    Some(if says(&["you have won", "master adventurer"]) {
        EpisodeEnding::Victory
    } else if says(&["you have died", "you are dead", "you're dead"]) {
        EpisodeEnding::Death
    } else {
        EpisodeEnding::Left
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_endings_by_the_text_of_the_game() {
        assert_eq!(ending_of_game("*** You have won ***", true), Some(EpisodeEnding::Victory));
        assert_eq!(ending_of_game("*** You have died ***", true), Some(EpisodeEnding::Death));
        assert_eq!(ending_of_game("You go home.", true), Some(EpisodeEnding::Left));
        // Zork continues after a death, twice.
        assert_eq!(ending_of_game("****  You have died  ****\n\nForest", false), None);
        let asks = "You have died.\nWould you like to restart, or to stop here?";
        assert_eq!(ending_of_game(asks, false), Some(EpisodeEnding::Death));
    }

    #[test]
    fn a_stop_by_loopbreak_is_not_a_death() {
        let ending = EpisodeEnding::LoopBreak(Pattern::StuckNoProgress);
        assert_eq!((ending.as_str(), &*ending.reason()), ("loop_break", "stuck_no_progress"));
        assert_ne!(ending.as_str(), EpisodeEnding::Death.as_str());
    }
}
