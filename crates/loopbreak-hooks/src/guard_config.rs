//! The settings of guards in hooks.

use loopbreak::advice::TEMPLATES;
use loopbreak::settings::{AllowRule, TemplateSet};
use loopbreak::{Config, DetectorName, Mode, Settings};

/// Returns the settings for observed steps. Agents treat instructions from a hook as an attack, so the neutral texts are
/// replaced by texts that only state facts. Texts of the user are kept.
pub(crate) fn for_steps(settings: &Settings, allowed: &[AllowRule]) -> Config {
    let mut settings = settings.clone();
    if settings.advice.templates == TemplateSet::Neutral {
        for template in TEMPLATES {
            if let Some(text) = template.hook {
                settings.advice.texts.entry(template.name.to_owned()).or_insert_with(|| text.to_owned());
            }
        }
    }
    with_rules(settings, allowed)
}

/// Returns the settings for proposed calls. Only objections to the call itself count: a target that keeps failing may
/// accept a different call.
pub(crate) fn for_proposals(settings: &Settings, allowed: &[AllowRule]) -> Config {
    with_rules(settings.clone().with_mode(DetectorName::FailingTarget, Mode::Off), allowed)
}

/// Adds the rules of the session.
fn with_rules(mut settings: Settings, allowed: &[AllowRule]) -> Config {
    settings.allow.extend_from_slice(allowed);
    // The settings were valid, and nothing that was added is invalid.
    Config::new(settings).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_hooks_are_valid_and_texts_of_the_user_are_kept() {
        let rule = AllowRule { tool: Some("x".into()), args: None };
        let config = for_steps(&Settings::default(), std::slice::from_ref(&rule));
        let count = TEMPLATES.iter().filter(|template| template.hook.is_some()).count();
        assert_eq!((config.advice.texts.len(), &config.allow), (count, &vec![rule]));
        let mut settings = Settings::default();
        settings.advice.texts.insert("chant".into(), "mine".into());
        let config = for_steps(&settings, &[]);
        assert_eq!(config.advice.texts["chant"], "mine");
    }
}
