//! The settings that hold for a run: those of the configuration, with the options of the command laid over them.

use std::path::Path;

use loopbreak::Config;

use super::args::RunArgs;
use crate::args::ConfigOptions;
use crate::config;
use crate::error::UserError;

/// At how many errors in a row the guard warns by default.
const WARN_AT: u32 = 3;

/// The settings. Where nobody chose a profile, it is `iterations`.
pub(super) fn load(args: &RunArgs) -> Result<Config, UserError> {
    let mut options = ConfigOptions { set: assignments(args), ..args.config.clone() };
    let here = Path::new(".");
    let chosen = match config::attempt(&options, here)? {
        (_, Ok(loaded)) => loaded.origin("profile").is_set(),
        // What is wrong with the settings is told below.
        (_, Err(_)) => false,
    };
    if !chosen && options.profile.is_none() {
        options.profile = Some("iterations".to_owned());
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
