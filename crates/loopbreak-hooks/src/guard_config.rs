//! The settings of a guard in a hook. Agents take commands out of a hook for an attack: they are told facts only.

use loopbreak::settings::{AllowRule, TemplateSet};
use loopbreak::{Config, DetectorName, Mode, Settings};

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

/// The settings with these words, where the user has not chosen others, and with what is allowed in this session.
pub(crate) fn for_steps(settings: &Settings, allowed: &[AllowRule]) -> Config {
    let mut settings = settings.clone();
    settings.allow.extend_from_slice(allowed);
    if settings.advice.templates == TemplateSet::Neutral {
        for (name, text) in FACTS {
            settings.advice.texts.entry(name.to_owned()).or_insert_with(|| text.to_owned());
        }
    }
    // Not reached: nothing was added that could be invalid.
    Config::new(settings).unwrap_or_default()
}

/// The settings by which a call is judged before it is made. Only what is said of that very call counts: the target on
/// which everything fails may yield to another way, so nobody speaks for it here.
pub(crate) fn for_proposals(settings: &Settings, allowed: &[AllowRule]) -> Config {
    let mut settings = settings.clone().with_mode(DetectorName::FailingTarget, Mode::Off);
    settings.allow.extend_from_slice(allowed);
    // Not reached: nothing was added that could be invalid.
    Config::new(settings).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_valid_and_those_of_the_user_stay() {
        let rule = AllowRule { tool: Some("x".into()), args: None };
        let config = for_steps(&Settings::default(), std::slice::from_ref(&rule));
        assert_eq!((config.advice.texts.len(), &config.allow), (FACTS.len(), &vec![rule]));
        let mut settings = Settings::default();
        settings.advice.texts.insert("chant".into(), "mine".into());
        let config = for_steps(&settings, &[]);
        assert_eq!(config.advice.texts["chant"], "mine");
    }
}
