//! How an episode ended. An end that Loopbreak made is never taken for one inside the game.

use std::borrow::Cow;

use loopbreak::Pattern;
use loopbreak::verdict::RunStop;

/// How an episode ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EpisodeEnding {
    /// The game was won.
    Victory,
    /// The player died, for good.
    Death,
    /// The game ended in another way: the player left it.
    Left,
    /// Loopbreak ended it, for this reason, such as `stuck_no_progress`.
    LoopBreak(Pattern),
    /// All turns were used.
    TurnLimit,
    /// The model that plays failed too often in a row, or for good: the last time for this reason. That is no loop.
    ModelFailed(String),
    /// Somebody outside ended it.
    Interrupted,
    /// The world failed.
    Fault(String),
}

impl EpisodeEnding {
    /// The mark of the ending: `victory`, `death`, `left`, `loop_break`, `turn_limit`, `model_failed`,
    /// `interrupted`, `fault`.
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

    /// Why it ended: the mark, or the reason of Loopbreak, of the model or of the fault.
    pub fn reason(&self) -> Cow<'_, str> {
        match self {
            EpisodeEnding::LoopBreak(reason) => Cow::Borrowed(reason.as_str()),
            EpisodeEnding::ModelFailed(why) | EpisodeEnding::Fault(why) => Cow::Borrowed(why),
            _ => Cow::Borrowed(self.as_str()),
        }
    }
}

/// How the game ended, if it did: `over` says that it takes no more commands. Many classics go on asking what to do once
/// all is over: that is an end too.
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
    fn endings_of_the_game_are_told_from_its_words() {
        assert_eq!(ending_of_game("*** You have won ***", true), Some(EpisodeEnding::Victory));
        assert_eq!(ending_of_game("*** You have died ***", true), Some(EpisodeEnding::Death));
        assert_eq!(ending_of_game("You go home.", true), Some(EpisodeEnding::Left));
        // Zork goes on after a death, twice.
        assert_eq!(ending_of_game("****  You have died  ****\n\nForest", false), None);
        let asks = "You have died.\nWould you like to restart, or to stop here?";
        assert_eq!(ending_of_game(asks, false), Some(EpisodeEnding::Death));
    }

    #[test]
    fn an_end_that_loopbreak_made_is_no_death() {
        let ending = EpisodeEnding::LoopBreak(Pattern::StuckNoProgress);
        assert_eq!((ending.as_str(), &*ending.reason()), ("loop_break", "stuck_no_progress"));
        assert_ne!(ending.as_str(), EpisodeEnding::Death.as_str());
    }
}
