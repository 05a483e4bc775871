//! The defaults and tables of the profile `documents`.

use loopbreak::settings::TimeSpan;
use loopbreak::{Mode, Profile, Settings};

use super::*;

/// A default of the profile `documents`: legacy key, option, value as TOML.
const DEFAULTS: &[(&str, &str, &str)] = &[
    ("max_turns_stuck", "stagnation.max_turns", "40"),
    ("stuck_check_interval", "stagnation.check_interval", "10"),
    ("enable_stuck_warnings", "stagnation.warnings", "true"),
    ("stuck_warning_threshold", "stagnation.warn_at", "20"),
    ("enable_objective_based_progress", "stagnation.objectives", "true"),
    ("location_revisit_penalty", "revisit.penalty", "-0.2"),
    ("location_revisit_window", "revisit.window", "5"),
    ("action_novelty_window", "novelty.window", "15"),
    ("oscillation_return_penalty", "oscillation.return_penalty", "-0.8"),
    ("oscillation_exploration_bonus", "oscillation.exploration_bonus", "0.5"),
    ("camping_return_penalty", "camping.return_penalty", "-0.6"),
    ("camping_threshold", "camping.threshold", "5"),
    ("camping_window", "camping.window", "10"),
    ("maxAttempts", "task.max_attempts", "3"),
    ("enableAutoUnblock", "task.auto_unblock", "true"),
    ("maxAttemptsBeforeForceNext", "task.force_next_after", "5"),
    ("consecutive_errors", "errors.hard_at", "3"),
];

/// Switches that are on by default.
const SWITCHES: &[&str] = &[
    "enable_velocity_detection",
    "enable_location_penalty",
    "enable_exploration_hints",
    "enable_loop_detection",
];

#[test]
fn a_missing_key_has_its_documented_default() {
    let loaded = ok(documents(""));
    let table = toml::Table::try_from((*loaded.config).clone()).unwrap();
    for (key, path, expected) in DEFAULTS {
        let (name, option) = path.split_once('.').unwrap();
        assert_eq!(table[name][option].to_string(), *expected, "{key}");
        // Setting a default explicitly changes nothing.
        assert_eq!(*ok(documents(&format!("{key} = {expected}"))).config, *loaded.config, "{key}");
    }
    for key in SWITCHES {
        assert_eq!(*ok(documents(&format!("{key} = true"))).config, *loaded.config, "{key}");
    }
    assert_eq!(loaded.config.task.attempt_window, TimeSpan { millis: 3_600_000 });
    assert_eq!(*ok(documents("attemptWindow = 3600000")).config, *loaded.config);
    assert_eq!(loaded.config.revisit.history, 20, "the last 20 places are kept");
    assert_eq!(loaded.config.report.calls_per_step, 4, "agent, critic, extractor, synthesis");
}

#[test]
fn a_preset_has_its_documented_limits() {
    for (preset, limits) in
        [("conservative", (5, 8, false)), ("balanced", (3, 5, true)), ("aggressive", (2, 3, true))]
    {
        let loaded = ok(own(&format!("[task]\npreset = \"{preset}\"\n")));
        let task = &loaded.config.task;
        assert_eq!((task.max_attempts, task.force_next_after, task.auto_unblock), limits, "{preset}");
        assert_eq!(task.attempt_window, TimeSpan { millis: 3_600_000 }, "{preset}");
    }
}

#[test]
fn the_three_tables_of_002_are_accepted() {
    let whole = "max_turns_stuck = 40              # Termination threshold\n\
        stuck_check_interval = 10         # Check every 10 turns\n\n\
        # Location revisit penalty\nenable_location_penalty = true\nlocation_revisit_penalty = -0.2\n\
        location_revisit_window = 5\n\n# Exploration guidance\nenable_exploration_hints = true\n\
        action_novelty_window = 15\n\n# Stuck warnings\nenable_stuck_warnings = true\n\
        stuck_warning_threshold = 20\n\nenable_objective_based_progress = true  # Default: enabled\n";
    assert_eq!(*ok(documents(whole)).config, Settings::from(Profile::Documents));

    let mut score_only = Settings::from(Profile::Documents);
    score_only.stagnation.objectives = false;
    let keys = "max_turns_stuck = 40\nenable_objective_based_progress = false  # Revert to score-only\n";
    assert_eq!(*ok(documents(keys)).config, score_only);

    let off = ok(documents("enable_velocity_detection = false\nmax_turns_stuck = 50\n"));
    assert_eq!(off.config.mode, Mode::Off, "regardless of the other keys");
}

#[test]
fn an_abandoned_legacy_key_is_unknown() {
    let told = problem_lines(documents("stuck_turn_threshold = 30"));
    assert!(told.contains("unknown key \"stuck_turn_threshold\" in [tool.zorkgpt.loop_break]"), "{told}");
}
