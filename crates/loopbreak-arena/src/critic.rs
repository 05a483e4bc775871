//! The critic: what a proposal seems to be worth, before Loopbreak is asked.

use std::collections::BTreeSet;

use loopbreak::Usage;

use crate::context::Context;
use crate::failure::Failure;
use crate::texts;

/// What a critic thinks of a proposal.
#[derive(Clone, Debug, PartialEq)]
pub struct Opinion {
    /// From 0 (bad) to 1 (good).
    pub score: f64,
    /// Why, in words.
    pub justification: String,
}

impl Opinion {
    fn new(score: f64, justification: &str) -> Self {
        Opinion { score, justification: justification.to_owned() }
    }
}

/// Somebody who judges proposals. Sees what the player sees.
pub trait Critic {
    /// What this command seems to be worth now; nothing, if it has no opinion.
    fn judge(&mut self, context: &Context, action: &str) -> Result<Option<Opinion>, Failure>;

    /// Whether it ever has an opinion.
    fn judges(&self) -> bool {
        true
    }

    /// What it used since this was asked last, also for answers that failed.
    fn spent(&mut self) -> Usage {
        Usage::default()
    }
}

/// No critic at all: only Loopbreak weighs what is proposed.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCritic;

impl Critic for NoCritic {
    fn judge(&mut self, _: &Context, _: &str) -> Result<Option<Opinion>, Failure> {
        Ok(None)
    }

    fn judges(&self) -> bool {
        false
    }
}

/// A critic without a model: it knows which exits the game told of and which words it did not understand. It does not
/// look back: that is Loopbreak's part.
#[derive(Clone, Debug, Default)]
pub struct Heuristic {
    exits: Option<Vec<String>>,
    /// First words that the game did not understand.
    nonsense: BTreeSet<String>,
}

/// Longer commands are no commands.
const LONGEST: usize = 60;
/// What games say to words that they do not know.
const NOT_UNDERSTOOD: [&str; 4] =
    ["means nothing here", "don't know the word", "no sentence that", "don't understand"];

impl Heuristic {
    fn see(&mut self, context: &Context) {
        if let Some(exits) = texts::exits(&context.text) {
            self.exits = Some(exits);
        } else if texts::title(&context.text).is_some() {
            self.exits = None;
        }
        if NOT_UNDERSTOOD.iter().any(|reply| context.text.contains(reply))
            && let Some(verb) = context.last_action.as_deref().and_then(first_word)
        {
            self.nonsense.insert(verb.to_owned());
        }
    }
}

impl Critic for Heuristic {
    fn judge(&mut self, context: &Context, action: &str) -> Result<Option<Opinion>, Failure> {
        Ok(Some(self.opinion(context, action)))
    }
}

fn first_word(action: &str) -> Option<&str> {
    action.split_whitespace().next()
}

impl Heuristic {
    /// What this command seems to be worth now.
    pub fn opinion(&mut self, context: &Context, action: &str) -> Opinion {
        if context.refused.is_empty() {
            self.see(context);
        }
        let Some(verb) = first_word(action) else { return Opinion::new(0.0, "says nothing") };
        if action.len() > LONGEST {
            return Opinion::new(0.1, "is too long for a command");
        }
        match (texts::way(action), &self.exits) {
            (Some(way), Some(exits)) if exits.iter().any(|exit| exit == way) => {
                Opinion::new(0.9, "goes where the game says that there is a way")
            }
            (Some(_), Some(_)) => Opinion::new(0.2, "goes where there is no way"),
            (Some(_), None) => Opinion::new(0.8, "may lead somewhere"),
            (None, _) if self.nonsense.contains(verb) => {
                Opinion::new(0.3, "begins with a word that the game did not understand")
            }
            (None, _) => Opinion::new(0.7, "may do something"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(last_action: &str, text: &str) -> Context {
        Context { last_action: Some(last_action.to_owned()), text: text.to_owned(), ..Context::default() }
    }

    #[test]
    fn ways_that_the_game_tells_of_are_worth_more_than_others() {
        let mut critic = Heuristic::default();
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
        let mut critic = Heuristic::default();
        assert!(critic.opinion(&context("look", "Hut"), "dance wildly").score > 0.5);
        let told = context("dance wildly", "The word \"dance\" means nothing here.");
        assert!(critic.opinion(&told, "dance slowly").score < 0.5);
        assert!(critic.opinion(&told, "").score < 0.1);
    }
}
