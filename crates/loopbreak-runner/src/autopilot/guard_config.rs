//! The configuration of the guard that watches the command over a whole roadmap.

use loopbreak::detectors::DetectorSubject;
use loopbreak::{Config, DetectorName, Mode, Settings};

/// Returns the configuration of the guard that watches the command over a roadmap. Whether tasks loop is decided by the
/// rules for tasks: an agent that reports three times in the same words has not looped if they are about three tasks. If
/// those rules are not enforced, the other detectors stay on.
///
/// A run that is held out has the same detectors as the others. Its loops could not be compared with theirs otherwise.
pub(crate) fn guard_config(config: &Config) -> Config {
    if config.mode_of(DetectorName::Task) != Mode::Enforce {
        return config.clone();
    }
    let replaced = DetectorName::ALL.iter().filter(|detector| is_replaced(**detector));
    let settings =
        replaced.fold(Settings::clone(config), |settings, detector| settings.with_mode(*detector, Mode::Off));
    Config::new(settings).unwrap_or_else(|_| config.clone())
}

/// Returns whether the rules for tasks replace a detector. A text that repeats itself is a loop whatever the task is.
fn is_replaced(detector: DetectorName) -> bool {
    let by_subject = matches!(
        detector.subject(),
        DetectorSubject::Task
            | DetectorSubject::Output
            | DetectorSubject::Call
            | DetectorSubject::Wait
            | DetectorSubject::Effect
            | DetectorSubject::Proposal
    );
    by_subject && detector != DetectorName::Chant
}

#[cfg(test)]
mod tests {
    use loopbreak::{Guard, Profile};

    use super::*;

    #[test]
    fn the_rules_for_tasks_replace_the_other_detectors_only_if_they_are_enforced() {
        let mut settings = Settings::from(Profile::Tasks);
        assert_eq!(guard_config(&Config::new(settings.clone()).unwrap()).cycle.mode, Mode::Off);
        settings.task.mode = Mode::Off;
        assert_eq!(guard_config(&Config::new(settings).unwrap()).cycle.mode, Mode::Enforce);
    }

    #[test]
    fn a_run_that_is_held_out_is_watched_by_the_same_detectors_as_the_others() {
        let mut settings = Settings::from(Profile::Tasks);
        let others = guard_config(&Config::new(settings.clone()).unwrap());
        settings.policy.holdout = 1.0;
        let config = Config::new(settings).unwrap();
        let guard = Guard::new(guard_config(&config)).for_run("run");
        assert!(guard.is_held_out());
        for detector in DetectorName::ALL {
            let mode = |config: &Config| config.mode_of(*detector) != Mode::Off;
            assert_eq!(mode(&guard.applied_config(guard.config())), mode(&others), "{detector}");
        }
        assert_eq!(guard.applied_config(&config).mode, Mode::Observe);
    }
}
