//! The settings of a run: those of the configuration, overridden by the options of the command.

use std::path::Path;

use loopbreak::{Config, Profile, Settings};

use super::args::{OnLoopArg, RunArgs};
use crate::args::ConfigOptions;
use crate::config_loading;
use crate::error::UserError;

/// Default number of errors in a row that triggers a warning.
const DEFAULT_WARN_AT: u32 = 3;

/// Window in which attempts at a task of a roadmap are counted.
const ATTEMPT_WINDOW: &str = "24h";

/// Loads the settings. The default profile is `iterations`, or `tasks` for a roadmap with `tasks` tasks. The
/// limits of `iterations` also apply to other profiles unless they are set: a run must end even if the
/// configuration of the project was written for hooks. For a roadmap they apply to each task.
pub(super) fn load(args: &RunArgs, tasks: Option<usize>) -> Result<Config, UserError> {
    let mut options = ConfigOptions { set: assignments(args), ..args.config.clone() };
    // Problems are reported when the settings are loaded.
    if let Some(loaded) = config_loading::try_load(&options, Path::new("."))? {
        if !loaded.origin("profile").is_set() {
            let profile = if tasks.is_some() { Profile::Tasks } else { Profile::Iterations };
            options.profile = Some(profile.as_str().to_owned());
        }
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
            ("policy.on_loop", format!("\"{}\"", OnLoopArg::Stop.as_str())),
        ];
        if tasks.is_some() {
            // Attempts run one after the other here, and one may take longer than the default window of an
            // hour.
            defaults.push(("task.attempt_window", format!("\"{ATTEMPT_WINDOW}\"")));
        }
        for (key, value) in defaults {
            if !loaded.origin(key).is_set() {
                options.set.push(format!("{key}={value}"));
            }
        }
    }
    config_loading::load(&options)
}

/// Converts the options to settings. They come last and override all others.
fn assignments(args: &RunArgs) -> Vec<String> {
    let mut all = args.config.set.clone();
    let mut set = |key: &str, value: String| all.push(format!("{key}={value}"));
    if let Some(iterations) = args.max_iterations {
        set("budget.max_iterations", iterations.to_string());
    }
    if let Some(time) = args.max_runtime {
        set("budget.max_runtime", format!("\"{}ms\"", time.as_millis()));
    }
    if let Some(cost) = args.max_cost {
        set("budget.max_cost", format!("{cost:?}"));
    }
    if let Some(errors) = args.max_errors {
        set("errors.hard_at", errors.to_string());
        // The warning must not come after the stop.
        if errors > 0 && errors < DEFAULT_WARN_AT {
            set("errors.warn_at", errors.to_string());
        }
    }
    if let Some(on_loop) = args.on_loop {
        set("policy.on_loop", format!("\"{}\"", on_loop.as_str()));
    }
    all
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::args::{CliArgs, CliCommand};

    fn config(options: &[&str], tasks: Option<usize>) -> Config {
        let words = [&["loopbreak", "run"], options, &["--", "true"]].concat();
        let CliCommand::Run(args) = CliArgs::try_parse_from(words).unwrap().command else { panic!("no run") };
        load(&args, tasks).unwrap()
    }

    #[test]
    fn limits_apply_to_each_task_of_a_roadmap_unless_set() {
        let one = config(&[], None);
        assert_eq!((one.budget.max_iterations, one.errors.hard_at), (10, 3));
        let many = config(&[], Some(4));
        assert_eq!((many.budget.max_iterations, many.errors.hard_at), (40, 6));
        assert_eq!(many.budget.max_runtime.millis, 4 * one.budget.max_runtime.millis);
        assert_eq!(many.task.attempt_window.millis, 24 * 60 * 60 * 1000);
        let set = config(&["--max-iterations", "7", "--set", "task.attempt_window=\"2h\""], Some(4));
        assert_eq!((set.budget.max_iterations, set.task.attempt_window.millis), (7, 2 * 60 * 60 * 1000));
    }
}
