//! The settings that hold for a run: those of the configuration, with the options of the command laid over them.

use std::path::Path;

use loopbreak::{Config, Profile, Settings};

use super::args::{OnLoop, RunArgs};
use crate::args::ConfigOptions;
use crate::config;
use crate::error::UserError;

/// At how many errors in a row the guard warns by default.
const WARN_AT: u32 = 3;

/// The settings. Where nobody chose a profile, it is `iterations`. The limits of that profile hold under any other as well,
/// unless somebody set them: a project whose file is meant for a hook must not have a loop without an end.
pub(super) fn load(args: &RunArgs) -> Result<Config, UserError> {
    let mut options = ConfigOptions { set: assignments(args), ..args.config.clone() };
    let here = Path::new(".");
    // What is wrong with the settings is told when they are loaded.
    if let (_, Ok(loaded)) = config::attempt(&options, here)? {
        if !loaded.origin("profile").is_set() {
            options.profile = Some("iterations".to_owned());
        }
        let runner = Settings::of(Profile::Iterations);
        let hard_at = runner.errors.hard_at.max(loaded.config.errors.warn_at);
        for (key, value) in [
            ("budget.max_iterations", runner.budget.max_iterations.to_string()),
            ("budget.max_runtime", format!("\"{}ms\"", runner.budget.max_runtime.millis)),
            ("errors.hard_at", hard_at.to_string()),
            ("policy.on_loop", format!("\"{}\"", OnLoop::Stop.as_str())),
        ] {
            if !loaded.origin(key).is_set() {
                options.set.push(format!("{key}={value}"));
            }
        }
    }
    config::load(&options)
}

/// The options as settings. They come last, so that they win.
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
        // A warning does not come after the stop.
        if errors > 0 && errors < WARN_AT {
            set("errors.warn_at", errors.to_string());
        }
    }
    if let Some(on_loop) = args.on_loop {
        set("policy.on_loop", format!("\"{}\"", on_loop.as_str()));
    }
    all
}
