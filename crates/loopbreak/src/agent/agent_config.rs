//! The settings of guards that stand between an agent and its tools.

use crate::advice::TEMPLATES;
use crate::detectors::DetectorName;
use crate::settings::{AllowRule, Config, Mode, Settings, TemplateSet};

/// The settings of a guard that stands between an agent and its tools: one config for the steps that it observes, and one for
/// the calls that it weighs.
#[derive(Clone, Debug)]
pub struct AgentConfig {
    steps: Config,
    calls: Config,
}

impl AgentConfig {
    /// Derives both configs from valid settings, with more rules for calls that are never a loop.
    pub fn with_rules(settings: &Settings, rules: &[AllowRule]) -> Self {
        AgentConfig {
            steps: AgentConfig::for_steps(settings, rules),
            calls: AgentConfig::for_calls(settings, rules),
        }
    }

    /// Returns the settings for observed steps. Agents treat instructions that come with the result of a tool as an attack, so
    /// the neutral texts are replaced by texts that only state facts. Texts of the user are kept.
    pub fn for_steps(settings: &Settings, rules: &[AllowRule]) -> Config {
        let mut settings = settings.clone();
        if settings.advice.templates == TemplateSet::Neutral {
            for template in TEMPLATES {
                if let Some(text) = template.hook {
                    settings.advice.texts.entry(template.name.to_owned()).or_insert_with(|| text.to_owned());
                }
            }
        }
        add_rules(settings, rules)
    }

    /// Returns the settings for proposed calls. Only objections to the call itself count: a target that keeps failing may
    /// accept a different call.
    pub fn for_calls(settings: &Settings, rules: &[AllowRule]) -> Config {
        add_rules(settings.clone().with_mode(DetectorName::FailingTarget, Mode::Off), rules)
    }

    /// Returns the settings for observed steps.
    pub fn steps(&self) -> &Config {
        &self.steps
    }

    /// Returns the settings for proposed calls.
    pub fn calls(&self) -> &Config {
        &self.calls
    }
}

impl From<&Settings> for AgentConfig {
    fn from(settings: &Settings) -> Self {
        AgentConfig::with_rules(settings, &[])
    }
}

fn add_rules(mut settings: Settings, rules: &[AllowRule]) -> Config {
    settings.allow.extend_from_slice(rules);
    // The settings were valid, and nothing that was added is invalid.
    Config::new(settings).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_hooks_are_valid_and_texts_of_the_user_are_kept() {
        let rule = AllowRule { tool: Some("x".into()), args: None };
        let config = AgentConfig::for_steps(&Settings::default(), std::slice::from_ref(&rule));
        let count = TEMPLATES.iter().filter(|template| template.hook.is_some()).count();
        assert_eq!((config.advice.texts.len(), &config.allow), (count, &vec![rule]));
        let mut settings = Settings::default();
        settings.advice.texts.insert("chant".into(), "mine".into());
        let config = AgentConfig::for_steps(&settings, &[]);
        assert_eq!(config.advice.texts["chant"], "mine");
    }
}
