//! How an episode ended. An end that Loopbreak made is never taken for one inside the game.

use std::borrow::Cow;

use loopbreak::Pattern;
use loopbreak::verdict::RunStop;

/// How an episode ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
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

impl Ending {
    /// The mark of the ending: `victory`, `death`, `left`, `loop_break`, `turn_limit`, `model_failed`,
    /// `interrupted`, `fault`.
    pub fn mark(&self) -> &'static str {
        match self {
            Ending::Victory => "victory",
            Ending::Death => "death",
            Ending::Left => "left",
            Ending::LoopBreak(_) => RunStop::ENDING.as_str(),
            Ending::TurnLimit => "turn_limit",
            Ending::ModelFailed(_) => "model_failed",
            Ending::Interrupted => "interrupted",
            Ending::Fault(_) => "fault",
        }
    }

    /// Why it ended: the mark, or the reason of Loopbreak, of the model or of the fault.
    pub fn reason(&self) -> Cow<'_, str> {
        match self {
            Ending::LoopBreak(reason) => Cow::Borrowed(reason.as_str()),
            Ending::ModelFailed(why) | Ending::Fault(why) => Cow::Borrowed(why),
            _ => Cow::Borrowed(self.mark()),
        }
    }
}

/// How the game ended, if it did: `over` says that it takes no more commands. Many classics go on asking what to do once
/// all is over: that is an end too.
pub(crate) fn of_game(text: &str, over: bool) -> Option<Ending> {
    let asks = text.contains("Would you like to restart") || text.contains("Would you like to start over");
    if !over && !asks {
        return None;
    }
    let lower = text.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    Some(if says(&["you have won", "master adventurer"]) {
        Ending::Victory
    } else if says(&["you have died", "you are dead", "you're dead"]) {
        Ending::Death
    } else {
        Ending::Left
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_of_the_game_are_told_from_its_words() {
        assert_eq!(of_game("*** You have won ***", true), Some(Ending::Victory));
        assert_eq!(of_game("*** You have died ***", true), Some(Ending::Death));
        assert_eq!(of_game("You go home.", true), Some(Ending::Left));
        // Zork goes on after a death, twice.
        assert_eq!(of_game("****  You have died  ****\n\nForest", false), None);
        let asks = "You have died.\nWould you like to restart, or to stop here?";
        assert_eq!(of_game(asks, false), Some(Ending::Death));
    }

    #[test]
    fn an_end_that_loopbreak_made_is_no_death() {
        let ending = Ending::LoopBreak(Pattern::StuckNoProgress);
        assert_eq!((ending.mark(), &*ending.reason()), ("loop_break", "stuck_no_progress"));
        assert_ne!(ending.mark(), Ending::Death.mark());
    }
}
