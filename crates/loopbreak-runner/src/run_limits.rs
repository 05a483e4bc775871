//! The limits of a run, as settings.

use std::time::Duration;

use loopbreak::settings::OnLoop;
use loopbreak::{Profile, Settings};
use loopbreak_config::LoadedConfig;

/// Default number of errors in a row that triggers a warning.
const DEFAULT_WARN_AT: u32 = 3;

/// Window in which attempts at a task of a roadmap are counted.
const ATTEMPT_WINDOW: &str = "24h";

/// The limits that are set for one run. They override those of the configuration.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunLimits {
    /// The largest number of iterations.
    pub max_iterations: Option<u64>,
    /// The longest time of the run.
    pub max_runtime: Option<Duration>,
    /// The highest cost of the run.
    pub max_cost: Option<f64>,
    /// The number of errors in a row that ends the run.
    pub max_errors: Option<u32>,
    /// The response to a loop.
    pub on_loop: Option<OnLoop>,
}

impl RunLimits {
    /// Returns the limits as assignments of settings, such as `budget.max_iterations=7`.
    pub fn assignments(&self) -> Vec<String> {
        let mut all = Vec::new();
        let mut set = |key: &str, value: String| all.push(format!("{key}={value}"));
        if let Some(iterations) = self.max_iterations {
            set("budget.max_iterations", iterations.to_string());
        }
        if let Some(time) = self.max_runtime {
            set("budget.max_runtime", format!("\"{}ms\"", time.as_millis()));
        }
        if let Some(cost) = self.max_cost {
            set("budget.max_cost", format!("{cost:?}"));
        }
        if let Some(errors) = self.max_errors {
            set("errors.hard_at", errors.to_string());
            // The warning must not come after the stop.
            if errors > 0 && errors < DEFAULT_WARN_AT {
                set("errors.warn_at", errors.to_string());
            }
        }
        if let Some(on_loop) = self.on_loop {
            set("policy.on_loop", format!("\"{}\"", on_loop.as_str()));
        }
        all
    }
}

/// The settings that a run has unless the configuration sets them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunDefaults {
    /// The profile, unless one is configured.
    pub profile: Option<Profile>,
    /// Assignments of settings.
    pub assignments: Vec<String>,
}

impl RunDefaults {
    /// Returns the defaults for a run. The profile is `iterations`, or `tasks` for a roadmap with `tasks` tasks. The
    /// limits of `iterations` also apply to other profiles: a run must end even if the configuration of the project was
    /// written for hooks. For a roadmap they apply to each task.
    pub fn new(loaded: &LoadedConfig, tasks: Option<usize>) -> Self {
        let profile = if tasks.is_some() { Profile::Tasks } else { Profile::Iterations };
        let runner = Settings::from(Profile::Iterations);
        let factor = tasks.map_or(1, |tasks| tasks.max(1) as u64);
        // A task that keeps failing is left for the next one before the command counts as broken.
        let errors =
            if tasks.is_some() { 2 * loaded.config.task.max_attempts } else { runner.errors.hard_at };
        let hard_at = errors.max(loaded.config.errors.warn_at);
        let mut defaults = vec![
            ("budget.max_iterations", (runner.budget.max_iterations * factor).to_string()),
            ("budget.max_runtime", format!("\"{}ms\"", runner.budget.max_runtime.millis * factor)),
            ("errors.hard_at", hard_at.to_string()),
            ("policy.on_loop", format!("\"{}\"", OnLoop::Stop.as_str())),
        ];
        if tasks.is_some() {
            // Attempts run one after the other here, and one may take longer than the default window of an
            // hour.
            defaults.push(("task.attempt_window", format!("\"{ATTEMPT_WINDOW}\"")));
        }
        defaults.retain(|(key, _)| !loaded.origin(key).is_set());
        RunDefaults {
            profile: (!loaded.origin("profile").is_set()).then_some(profile),
            assignments: defaults.into_iter().map(|(key, value)| format!("{key}={value}")).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use loopbreak::Config;
    use loopbreak_config::ConfigLoader;

    use super::*;

    fn config(limits: RunLimits, set: &[&str], tasks: Option<usize>) -> Config {
        let folder = tempfile::tempdir().unwrap();
        let load = |assignments: &[String], profile: Option<Profile>| {
            let mut loader = ConfigLoader::new(folder.path());
            if let Some(profile) = profile {
                loader = loader.profile(profile.as_str());
            }
            assignments.iter().fold(loader, ConfigLoader::set).load().unwrap()
        };
        let mut assignments: Vec<String> = set.iter().map(|set| (*set).to_owned()).collect();
        assignments.extend(limits.assignments());
        let defaults = RunDefaults::new(&load(&assignments, None), tasks);
        assignments.extend(defaults.assignments);
        load(&assignments, defaults.profile).config
    }

    #[test]
    fn limits_apply_to_each_task_of_a_roadmap_unless_set() {
        let one = config(RunLimits::default(), &[], None);
        assert_eq!((one.budget.max_iterations, one.errors.hard_at), (10, 3));
        let many = config(RunLimits::default(), &[], Some(4));
        assert_eq!((many.budget.max_iterations, many.errors.hard_at), (40, 6));
        assert_eq!(many.budget.max_runtime.millis, 4 * one.budget.max_runtime.millis);
        assert_eq!(many.task.attempt_window.millis, 24 * 60 * 60 * 1000);
        let limits = RunLimits { max_iterations: Some(7), ..RunLimits::default() };
        let set = config(limits, &["task.attempt_window=\"2h\""], Some(4));
        assert_eq!((set.budget.max_iterations, set.task.attempt_window.millis), (7, 2 * 60 * 60 * 1000));
    }

    #[test]
    fn a_low_limit_of_errors_lowers_the_warning_too() {
        let limits = RunLimits { max_errors: Some(1), on_loop: Some(OnLoop::Advise), ..RunLimits::default() };
        let config = config(limits, &[], None);
        assert_eq!((config.errors.hard_at, config.errors.warn_at), (1, 1));
        assert_eq!(config.policy.on_loop, OnLoop::Advise);
    }
}
