//! The words for agents that take commands out of a hook for an attack: facts only.

use loopbreak::config::TemplateSet;
use loopbreak::{Config, Settings};

/// What is said instead of the neutral words, by the name of the template.
const FACTS: [(&str, &str); 6] = [
    (
        "repeated_calls",
        "Loop guard: since turn {since}: {reason}.\nNothing that could change the outcome happened in between.",
    ),
    (
        "failing_target",
        "Loop guard: since turn {since}, {failures} tries at {target} have failed, in different ways. The last \
         failure: {failure}",
    ),
    ("refused_repeat", "Loop guard: \"{action}\" was refused: it {reason}."),
    ("chant", "Loop guard: since turn {since}: {reason}."),
    ("noop", "Loop guard: since turn {since}: {reason}.\nNothing has changed since then."),
    ("errors", "Loop guard: {errors} errors in a row since turn {since}. The last one: {last_error}"),
];

/// The settings with these words, where the user has not chosen others, and with the measure for proposals where one is
/// about to be judged.
pub(crate) fn for_hooks(config: &Config, before: bool) -> Config {
    let mut settings: Settings = (**config).clone();
    if settings.advice.templates == TemplateSet::Neutral {
        for (name, text) in FACTS {
            settings.advice.texts.entry(name.to_owned()).or_insert_with(|| text.to_owned());
        }
    }
    // The limit counts equal calls. The one that is proposed is the next of them: to count only those that were made
    // would let one through that is beyond the limit.
    let cycle = &mut settings.cycle;
    if before && cycle.hard_at > cycle.warn_at + 1 {
        cycle.hard_at -= 1;
    }
    Config::new(settings).unwrap_or_else(|_| config.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_valid_and_those_of_the_user_stay() {
        let config = for_hooks(&Config::default(), true);
        assert_eq!((config.advice.texts.len(), config.cycle.hard_at), (FACTS.len(), 7));
        let mut settings = Settings::default();
        settings.advice.texts.insert("chant".into(), "mine".into());
        let config = for_hooks(&Config::new(settings).unwrap(), false);
        assert_eq!((config.advice.texts["chant"].as_str(), config.cycle.hard_at), ("mine", 8));
    }
}
