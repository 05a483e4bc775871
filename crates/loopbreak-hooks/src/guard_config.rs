//! The settings of guards in hooks.

use loopbreak::agent::AgentConfig;
use loopbreak::settings::AllowRule;
use loopbreak::{Config, Settings};

/// Returns the settings for observed steps.
pub(crate) fn for_steps(settings: &Settings, allowed: &[AllowRule]) -> Config {
    AgentConfig::for_steps(settings, allowed)
}

/// Returns the settings for proposed calls.
pub(crate) fn for_proposals(settings: &Settings, allowed: &[AllowRule]) -> Config {
    AgentConfig::for_calls(settings, allowed)
}
