//! The configuration of the guard that watches the command over a whole roadmap.

use loopbreak::{Config, Mode, Settings};

/// Returns the configuration of the guard that watches the command over a roadmap. Whether tasks loop is decided by the
/// rules for tasks: an agent that reports three times in the same words has not looped if they are about three tasks. If
/// those rules are not enforced, the other detectors stay on.
pub(crate) fn guard_config(config: &Config) -> Config {
    if config.mode != Mode::Enforce || config.task.mode != Mode::Enforce {
        return config.clone();
    }
    let mut settings: Settings = (**config).clone();
    for mode in [
        &mut settings.task.mode,
        &mut settings.signature.mode,
        &mut settings.similarity.mode,
        &mut settings.cycle.mode,
        &mut settings.recurrence.mode,
        &mut settings.drift.mode,
        &mut settings.failing_target.mode,
        &mut settings.poll.mode,
        &mut settings.noop.mode,
        &mut settings.novelty.mode,
    ] {
        *mode = Mode::Off;
    }
    Config::new(settings).unwrap_or_else(|_| config.clone())
}

#[cfg(test)]
mod tests {
    use loopbreak::Profile;

    use super::*;

    #[test]
    fn the_rules_for_tasks_replace_the_other_detectors_only_if_they_are_enforced() {
        let mut settings = Settings::from(Profile::Tasks);
        assert_eq!(guard_config(&Config::new(settings.clone()).unwrap()).cycle.mode, Mode::Off);
        settings.task.mode = Mode::Off;
        assert_eq!(guard_config(&Config::new(settings).unwrap()).cycle.mode, Mode::Enforce);
    }
}
