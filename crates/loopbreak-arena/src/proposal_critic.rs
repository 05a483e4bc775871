//! The critic: what a proposal seems to be worth, before Loopbreak is asked.

use std::collections::BTreeSet;

use loopbreak::Usage;

use crate::agent_failure::AgentFailure;
use crate::game_text;
use crate::player_context::PlayerContext;

/// What a critic thinks of a proposal.
#[derive(Clone, Debug, PartialEq)]
pub struct CriticOpinion {
    /// From 0 (bad) to 1 (good).
    pub score: f64,
    /// Why, in words.
    pub justification: String,
}

impl CriticOpinion {
    fn new(score: f64, justification: &str) -> Self {
        CriticOpinion { score, justification: justification.to_owned() }
    }
}

/// Somebody who judges proposals. Sees what the player sees.
pub trait ProposalCritic {
    /// What this command seems to be worth now; nothing, if it has no opinion.
    fn judge(&mut self, context: &PlayerContext, action: &str)
    -> Result<Option<CriticOpinion>, AgentFailure>;

    /// Whether it ever has an opinion.
    fn is_active(&self) -> bool {
        true
    }

    /// What it used since this was asked last, also for answers that failed.
    fn take_usage(&mut self) -> Usage {
        Usage::default()
    }
}

/// No critic at all: only Loopbreak weighs what is proposed.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCritic;

impl ProposalCritic for NoCritic {
    fn judge(&mut self, _: &PlayerContext, _: &str) -> Result<Option<CriticOpinion>, AgentFailure> {
        Ok(None)
    }

    fn is_active(&self) -> bool {
        false
    }
}

/// A critic without a model: it knows which exits the game told of and which words it did not understand. It does not
/// look back: that is Loopbreak's part.
#[derive(Clone, Debug, Default)]
pub struct HeuristicCritic {
    exits: Option<Vec<String>>,
    /// First words that the game did not understand.
    nonsense: BTreeSet<String>,
}

/// Longer commands are no commands.
const LONGEST: usize = 60;
/// What games say to words that they do not know.
const NOT_UNDERSTOOD: [&str; 4] =
    ["means nothing here", "don't know the word", "no sentence that", "don't understand"];

impl HeuristicCritic {
    fn see(&mut self, context: &PlayerContext) {
        if let Some(exits) = game_text::listed_exits(&context.text) {
            self.exits = Some(exits);
        } else if game_text::place_title(&context.text).is_some() {
            self.exits = None;
        }
        if NOT_UNDERSTOOD.iter().any(|reply| context.text.contains(reply))
            && let Some(verb) = context.last_action.as_deref().and_then(first_word)
        {
            self.nonsense.insert(verb.to_owned());
        }
    }
}

impl ProposalCritic for HeuristicCritic {
    fn judge(
        &mut self,
        context: &PlayerContext,
        action: &str,
    ) -> Result<Option<CriticOpinion>, AgentFailure> {
        Ok(Some(self.opinion(context, action)))
    }
}

fn first_word(action: &str) -> Option<&str> {
    action.split_whitespace().next()
}

impl HeuristicCritic {
    /// What this command seems to be worth now.
    pub fn opinion(&mut self, context: &PlayerContext, action: &str) -> CriticOpinion {
        if context.refused.is_empty() {
            self.see(context);
        }
        let Some(verb) = first_word(action) else { return CriticOpinion::new(0.0, "says nothing") };
        if action.len() > LONGEST {
            return CriticOpinion::new(0.1, "is too long for a command");
        }
        match (game_text::direction_of(action), &self.exits) {
            (Some(way), Some(exits)) if exits.iter().any(|exit| exit == way) => {
                CriticOpinion::new(0.9, "goes where the game says that there is a way")
            }
            (Some(_), Some(_)) => CriticOpinion::new(0.2, "goes where there is no way"),
            (Some(_), None) => CriticOpinion::new(0.8, "may lead somewhere"),
            (None, _) if self.nonsense.contains(verb) => {
                CriticOpinion::new(0.3, "begins with a word that the game did not understand")
            }
            (None, _) => CriticOpinion::new(0.7, "may do something"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(last_action: &str, text: &str) -> PlayerContext {
        PlayerContext {
            last_action: Some(last_action.to_owned()),
            text: text.to_owned(),
            ..PlayerContext::default()
        }
    }

    #[test]
    fn ways_that_the_game_tells_of_are_worth_more_than_others() {
        let mut critic = HeuristicCritic::default();
        let hut = context("north", "Hut\nOne room.\nExits: south.");
        assert!(critic.opinion(&hut, "south").score > 0.8);
        assert!(critic.opinion(&hut, "n").score < 0.5);
        // It is still the hut.
        assert!(critic.opinion(&context("jump", "You jump."), "north").score < 0.5);
        // Here, nobody told.
        assert!(critic.opinion(&context("south", "Forest\nTrees."), "north").score > 0.5);
    }

    #[test]
    fn what_the_game_does_not_understand_is_not_worth_trying_again() {
        let mut critic = HeuristicCritic::default();
        assert!(critic.opinion(&context("look", "Hut"), "dance wildly").score > 0.5);
        let told = context("dance wildly", "The word \"dance\" means nothing here.");
        assert!(critic.opinion(&told, "dance slowly").score < 0.5);
        assert!(critic.opinion(&told, "").score < 0.1);
    }
}
