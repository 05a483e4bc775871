//! The defaults and tables of the profile `documents`.

use loopbreak::settings::TimeSpan;
use loopbreak::{Guard, Mode, Profile, Proposal, Settings, Step};

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

/// Ideas of the documents for later are off in their profile, and can be set beside their table.
#[test]
fn growing_penalties_and_dead_ends_are_off_unless_they_are_set() {
    let plain = ok(documents(""));
    assert_eq!((plain.config.camping.penalty_growth, plain.config.oscillation.penalty_growth), (0.0, 0.0));
    assert_eq!(plain.config.revisit.dead_end_at, 0);
    assert_eq!(ok(own("profile = \"game\"")).config.revisit.dead_end_at, 8);
    let set = "[tool.zorkgpt.loop_break]\ncamping_return_penalty = -0.6\n\
        [tool.loopbreak.camping]\npenalty_growth = -0.2\ngrowth_every = 5\n[tool.loopbreak.revisit]\ndead_end_at = 10\n";
    let config = ok(pyproject(set)).config;
    assert_eq!((config.camping.return_penalty, config.camping.penalty_growth), (-0.6, -0.2));
    assert_eq!((config.profile, config.revisit.dead_end_at), (Profile::Documents, 10));
    let wrong = "[camping]\npenalty_growth = 0.2\ngrowth_every = 0\n[oscillation]\npenalty_growth = -1.5\n\
        [revisit]\ndead_end_at = 2\ndead_end_reach = 0\n";
    let problems = problem_lines(own(wrong));
    for option in [
        "camping.penalty_growth",
        "camping.growth_every",
        "oscillation.penalty_growth",
        "revisit.dead_end_at",
        "revisit.dead_end_reach",
    ] {
        assert!(problems.contains(option), "{option}: {problems}");
    }
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
fn a_preset_does_not_add_cycles_of_tasks_to_the_profile_of_the_documents() {
    let cycles = |text: &str| ok(own(text)).config.task.cycle_tasks;
    assert_eq!(cycles("[task]\npreset = \"aggressive\"\n"), 3);
    assert_eq!(cycles("profile = \"documents\"\n[task]\npreset = \"aggressive\"\n"), 0);
    assert_eq!(cycles("profile = \"documents\"\n[task]\ncycle_tasks = 2\n"), 2);
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

/// The second document says of its switch that the other keys are ignored.
#[test]
fn with_everything_off_the_other_keys_are_not_checked() {
    for keys in [
        "max_turns_stuck = 5",
        "stuck_warning_threshold = 90",
        "location_revisit_penalty = 3",
        "camping_threshold = 40",
    ] {
        assert_eq!(
            ok(documents(&format!("enable_velocity_detection = false\n{keys}"))).config.mode,
            Mode::Off,
            "{keys}"
        );
        assert!(documents(&format!("enable_velocity_detection = true\n{keys}")).is_err(), "{keys}");
    }
    ok(own("mode = \"off\"\n[stagnation]\nmax_turns = 5\n"));
    // A key that does not exist is still a mistake.
    assert!(documents("enable_velocity_detection = false\nmax_turn_stuck = 5").is_err());
}

/// Without warnings there is no threshold that could come too late.
#[test]
fn the_threshold_of_warnings_is_not_checked_if_warnings_are_off() {
    for keys in ["max_turns_stuck = 20\nstuck_warning_threshold = 20", "stuck_warning_threshold = 400"] {
        let loaded = ok(documents(&format!("enable_stuck_warnings = false\n{keys}")));
        assert!(!loaded.config.stagnation.warnings);
        assert!(documents(&format!("enable_stuck_warnings = true\n{keys}")).is_err(), "{keys}");
    }
}

/// The table of the integration test in 001: it has no key for warnings, which its author did not know.
#[test]
fn a_missing_threshold_of_warnings_adapts_to_the_limit_of_the_documents_table() {
    for (limit, warn_at) in [(1000, 20), (30, 20), (21, 20), (20, 10), (12, 6), (10, 5)] {
        let keys = format!("max_turns_stuck = {limit}\nmax_turns_per_episode = 200");
        let loaded = ok(documents(&keys));
        assert_eq!(loaded.config.stagnation.warn_at, warn_at, "{limit}");
        if warn_at < 20 {
            let origin = loaded.origin("stagnation.warn_at").to_string();
            assert_eq!(origin, "pyproject.toml:2:19 (max_turns_stuck)");
        }
    }
    // What is set is kept, and no threshold fits a limit of 5.
    assert!(documents("max_turns_stuck = 20\nstuck_warning_threshold = 20").is_err());
    assert!(documents("max_turns_stuck = 5\nstuck_check_interval = 1").is_err());
    // The own table has a threshold of its own, so it is not guessed.
    assert!(own("[stagnation]\nmax_turns = 20\n").is_err());
}

/// Plays A B A B with the table of 001 as it stands, and with the penalty of 000 switched off.
#[test]
fn scenarios_2_and_3_of_001_have_their_scores_without_the_penalty_of_000_and_the_same_decisions_with_it() {
    const TABLE: &str = "max_turns_stuck = 30\nstuck_check_interval = 10\nenable_loop_detection = true\n\
        oscillation_return_penalty = -0.8\noscillation_exploration_bonus = 0.5\n\
        camping_return_penalty = -0.6\ncamping_threshold = 5\ncamping_window = 10\n";
    let weigh = |keys: &str, moves: &[(&str, i64)], action: &str, score: f64| {
        let mut guard = Guard::new(ok(documents(keys)).config);
        for (action, place) in moves {
            guard.observe(
                &Step::from_json(&format!(r#"{{"action":"{action}","place":{{"id":{place}}}}}"#)).unwrap(),
            );
        }
        let ruling = guard.weigh(&Proposal::new(action, score));
        (ruling.score, ruling.accepted)
    };
    let oscillation = [("look", 15), ("north", 18), ("south", 15), ("north", 18)];
    // 6 of the last 10 turns are spent at the Dam (20).
    let mut camp = vec![("look", 7), ("south", 9), ("north", 7), ("east", 20)];
    camp.extend([("wait", 20); 5]);
    camp.push(("west", 7));
    let alone = format!("{TABLE}enable_location_penalty = false\n");
    assert_eq!(weigh(&alone, &oscillation, "south", 0.9), (0.1, false), "scenario 2");
    assert_eq!(weigh(&alone, &camp, "east", 0.85), (0.25, false), "scenario 3");
    assert_eq!(weigh(&alone, &camp, "south", 0.7), (0.7, true), "elsewhere");
    assert!(!weigh(TABLE, &oscillation, "south", 0.9).1);
    assert!(weigh(TABLE, &oscillation, "south", 0.9).0.abs() < 1e-9, "000 takes its own penalty as well");
    assert!(!weigh(TABLE, &camp, "east", 0.85).1);
    assert_eq!(weigh(TABLE, &camp, "south", 0.7), (0.7, true));
}

#[test]
fn an_abandoned_legacy_key_is_unknown() {
    let told = problem_lines(documents("stuck_turn_threshold = 30"));
    assert!(told.contains("unknown key \"stuck_turn_threshold\" in [tool.zorkgpt.loop_break]"), "{told}");
}
