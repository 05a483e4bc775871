//! The settings of a replay.

use loopbreak::{Config, Settings};

/// Returns settings for a replay, in which no run is held out. `policy.holdout` is an experiment with live runs: a replay
/// changes none of them, so every run is judged as if it had not been held out.
#[must_use]
pub(crate) fn replay_config(config: &Config) -> Config {
    if config.policy.holdout <= 0.0 {
        return config.clone();
    }
    let mut settings = Settings::clone(config);
    settings.policy.holdout = 0.0;
    Config::new(settings).unwrap_or_else(|_| config.clone())
}
