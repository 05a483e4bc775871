use loopbreak::{Config, Mode, Profile, Settings};

use super::*;
use crate::{ValueOrigin, has_loopbreak_tables};

#[test]
fn without_any_layer_the_settings_are_the_defaults() {
    let loaded = ok(ConfigLayers::default().load());
    assert_eq!(*loaded.config, Settings::default());
    assert!(loaded.effective_options().iter().all(|value| value.default && !value.origin.is_set()));
}

#[test]
fn each_layer_overrides_the_one_before_and_is_remembered() {
    let text = "[stagnation]\nmax_turns = 50\nwarn_at = 25\n\n[tool.zorkgpt.loop_break]\nmax_turns_stuck = 60\nstuck_check_interval = 5\n";
    let layers = ConfigLayers::default().file(ConfigSource::new("loopbreak.toml", text));
    let loaded = ok(layers.load());
    assert_eq!((loaded.config.stagnation.max_turns, loaded.config.stagnation.check_interval), (50, 5));
    assert_eq!(loaded.origin("stagnation.max_turns").to_string(), "loopbreak.toml:2:13");
    assert_eq!(
        loaded.origin("stagnation.check_interval").to_string(),
        "loopbreak.toml:7:24 (stuck_check_interval)"
    );
    assert_eq!(loaded.origin("stagnation.objectives"), ValueOrigin::Profile(Profile::Documents));

    let layers = layers
        .environment([("LOOPBREAK_STAGNATION__MAX_TURNS", "70"), ("LOOPBREAK_STAGNATION__WARN_AT", "30")]);
    let loaded = ok(layers.load());
    assert_eq!((loaded.config.stagnation.max_turns, loaded.config.stagnation.warn_at), (70, 30));
    assert_eq!(loaded.origin("stagnation.max_turns").to_string(), "LOOPBREAK_STAGNATION__MAX_TURNS");

    let loaded = ok(layers.set("stagnation.max_turns=80").set("stagnation.max_turns=90").load());
    assert_eq!(loaded.config.stagnation.max_turns, 90);
    assert_eq!(loaded.origin("stagnation.max_turns").to_string(), "--set stagnation.max_turns=90");
}

#[test]
fn the_profile_comes_from_flag_environment_file_or_legacy_table_in_that_order() {
    let both = "profile = \"game\"\n[tool.zorkgpt.loop_break]\nmax_turns_stuck = 60\n";
    let layers = ConfigLayers::default().file(ConfigSource::new("loopbreak.toml", both));
    assert_eq!(ok(layers.clone().load()).config.profile, Profile::Game);
    let layers = layers.environment([("LOOPBREAK_PROFILE", "coding")]);
    assert_eq!(ok(layers.clone().load()).config.profile, Profile::Coding);
    let loaded = ok(layers.profile("iterations").load());
    assert_eq!(loaded.config.profile, Profile::Iterations);
    assert_eq!(loaded.config.budget.max_iterations, 10, "with its defaults");
    assert_eq!(loaded.config.stagnation.max_turns, 60, "overridden by the legacy keys");
    assert_eq!(loaded.origin("profile").to_string(), "--profile iterations");

    let loaded = ok(documents("max_turns_stuck = 60"));
    assert_eq!(loaded.config.profile, Profile::Documents);
    assert_eq!(loaded.origin("profile").to_string(), "pyproject.toml:1:1");
    assert_eq!(loaded.config.errors.hard_at, 3, "the behaviour of the profile documents");
    assert_eq!(ok(documents("")).config.profile, Profile::Documents);
    assert_eq!(ok(own("")).config.profile, Profile::Auto);
}

#[test]
fn a_preset_overrides_the_profile_but_no_limit_that_is_set() {
    let loaded = ok(own("[task]\npreset = \"conservative\"\nmax_attempts = 4\n"));
    let task = &loaded.config.task;
    assert_eq!((task.max_attempts, task.force_next_after, task.auto_unblock), (4, 8, false));
    assert_eq!(loaded.origin("task.force_next_after").to_string(), "preset conservative");
    assert_eq!(loaded.origin("task.max_attempts").to_string(), "loopbreak.toml:3:16");

    // The preset is in the highest layer, the limit in the lowest one that can set it.
    let text = "[tool.zorkgpt.loop_break]\nmaxAttempts = 3\n";
    let layers =
        ConfigLayers::default().file(ConfigSource::new("pyproject.toml", text)).set("task.preset=aggressive");
    let task = &ok(layers.load()).config.task;
    assert_eq!((task.max_attempts, task.force_next_after, task.auto_unblock), (3, 3, true));
}

#[test]
fn only_the_own_tables_of_a_pyproject_are_read() {
    let text = "[project]\nname = \"x\"\nmode = 3\n[tool.black]\nline-length = 88\n[tool.loopbreak]\nmode = \"observe\"\n[tool.loopbreak.nonsense]\n";
    assert!(problem_lines(pyproject(text)).starts_with("pyproject.toml:8:17: unknown key \"nonsense\""));
    let text = text.replace("[tool.loopbreak.nonsense]\n", "[tool.loopbreak.camping]\nthreshold = 4\n");
    let loaded = ok(pyproject(&text));
    assert_eq!((loaded.config.mode, loaded.config.camping.threshold), (Mode::Observe, 4));
    assert_eq!(loaded.config.profile, Profile::Auto);
    assert!(has_loopbreak_tables(&text));
    assert!(has_loopbreak_tables("[tool.zorkgpt.loop_break]"));
    assert!(has_loopbreak_tables("[tool.loopbreak]\nx = \n"), "a broken table counts as well");
    assert!(!has_loopbreak_tables("[tool.zorkgpt]\nloopbreak = 1\n[loopbreak]\n"));
}

#[test]
fn every_legacy_key_sets_its_option() {
    let loaded = ok(documents(
        "max_turns_stuck = 30\nstuck_check_interval = 5\nstuck_warning_threshold = 10\nenable_stuck_warnings = false\n\
         enable_objective_based_progress = false\nenable_velocity_detection = true\nenable_location_penalty = true\n\
         location_revisit_penalty = -0.3\nlocation_revisit_window = 6\nenable_exploration_hints = true\n\
         action_novelty_window = 12\nenable_loop_detection = true\noscillation_return_penalty = -0.7\n\
         oscillation_exploration_bonus = 0.4\ncamping_return_penalty = -0.5\ncamping_threshold = 4\ncamping_window = 9\n\
         maxAttempts = 4\nattemptWindow = 1800000\nenableAutoUnblock = false\nmaxAttemptsBeforeForceNext = 6\n\
         max_turns_per_episode = 200\nmax_runtime = \"20m\"\nconsecutive_errors = 5\n",
    ));
    let mut expected = Settings::from(Profile::Documents);
    expected.stagnation.max_turns = 30;
    expected.stagnation.check_interval = 5;
    expected.stagnation.warn_at = 10;
    expected.stagnation.warnings = false;
    expected.stagnation.objectives = false;
    expected.revisit.penalty = -0.3;
    expected.revisit.window = 6;
    expected.novelty.window = 12;
    expected.oscillation.return_penalty = -0.7;
    expected.oscillation.exploration_bonus = 0.4;
    expected.camping.return_penalty = -0.5;
    expected.camping.threshold = 4;
    expected.camping.window = 9;
    expected.task.max_attempts = 4;
    expected.task.attempt_window.millis = 1_800_000;
    expected.task.auto_unblock = false;
    expected.task.force_next_after = 6;
    expected.budget.max_iterations = 200;
    expected.budget.max_runtime.millis = 1_200_000;
    (expected.errors.hard_at, expected.errors.warn_at) = (5, 5);
    assert_eq!(*loaded.config, expected);
}

#[test]
fn a_legacy_switch_that_is_false_turns_the_mode_off() {
    let modes = |config: &Config| {
        [config.mode, config.revisit.mode, config.novelty.mode, config.oscillation.mode, config.camping.mode]
    };
    let (on, off) = (Mode::Enforce, Mode::Off);
    for (key, expected) in [
        ("enable_velocity_detection", [off, on, on, on, on]),
        ("enable_location_penalty", [on, off, on, on, on]),
        ("enable_exploration_hints", [on, on, off, on, on]),
        ("enable_loop_detection", [on, on, on, off, off]),
    ] {
        let loaded = ok(documents(&format!("{key} = false")));
        assert_eq!(modes(&loaded.config), expected, "{key}");
    }
}

#[test]
fn the_documented_legacy_tables_are_valid() {
    for (keys, max_turns) in [
        // 000
        (
            "max_turns_stuck = 40          # Turns without score change before termination\nstuck_check_interval = 10\n\
             enable_location_penalty = true\nlocation_revisit_penalty = -0.2\nlocation_revisit_window = 5\n\
             enable_stuck_warnings = true\nstuck_warning_threshold = 20\nenable_exploration_hints = true\n\
             action_novelty_window = 15\n",
            40,
        ),
        // 001
        (
            "max_turns_stuck = 30\nstuck_check_interval = 10\nenable_loop_detection = true\n\
             oscillation_return_penalty = -0.8\noscillation_exploration_bonus = 0.5\n\
             camping_return_penalty = -0.6\ncamping_threshold = 5\ncamping_window = 10\n",
            30,
        ),
        // 002
        ("max_turns_stuck = 40\nenable_objective_based_progress = false\n", 40),
        ("enable_velocity_detection = false\n", 40),
    ] {
        assert_eq!(ok(documents(keys)).config.stagnation.max_turns, max_turns);
    }
}

#[test]
fn the_task_table_accepts_legacy_names() {
    let loaded = ok(own(
        "[task]\nmaxAttempts = 4\nattemptWindow = 60000\nenableAutoUnblock = false\nmaxAttemptsBeforeForceNext = 9\n",
    ));
    let task = &loaded.config.task;
    assert_eq!(
        (task.max_attempts, task.attempt_window.millis, task.auto_unblock, task.force_next_after),
        (4, 60_000, false, 9)
    );
    assert_eq!(
        problem_lines(own("[task]\nmaxAttempts = 4\nmax_attempts = 3\n")),
        "loopbreak.toml:2:15: task.max_attempts is set twice, to 4 and to 3; both keys are names of the same option: remove one of them"
    );
    ok(own("[task]\nmaxAttempts = 4\nmax_attempts = 4\n"));
    assert!(problem_lines(documents("max_iterations = 5\nmax_turns_per_episode = 6")).contains("set twice"));
}

#[test]
fn rules_and_texts_come_from_the_highest_layer_that_has_them() {
    let text = "[[allow]]\ntool = \"a\"\n[[allow]]\ntool = \"b\"\nargs = \"*x*\"\n[advice.texts]\nbudget = \"{reason}!\"\nerrors = \"Stop.\"\n";
    let layers = ConfigLayers::default().file(ConfigSource::new("loopbreak.toml", text));
    let loaded = ok(layers.clone().load());
    assert_eq!(loaded.config.allow.len(), 2);
    assert_eq!(loaded.config.advice.texts["errors"], "Stop.");
    assert_eq!(loaded.origin("allow").to_string(), "loopbreak.toml:1:1");
    let values = loaded.effective_options();
    let text = values.iter().find(|value| value.path == "advice.texts.budget").unwrap();
    assert_eq!((text.origin.to_string().as_str(), text.default), ("loopbreak.toml:7:10", false));

    let layers =
        layers.environment([("LOOPBREAK_ADVICE__TEXTS__BUDGET", "Enough."), ("LOOPBREAK_ALLOW", "[]")]);
    let loaded = ok(layers.load());
    assert_eq!((loaded.config.advice.texts["budget"].as_str(), loaded.config.allow.len()), ("Enough.", 0));
    assert_eq!(loaded.config.advice.texts["errors"], "Stop.");
}

#[test]
fn a_list_of_strings_replaces_that_of_lower_layers() {
    let edit = |layers: &ConfigLayers| ok(layers.clone().load()).config.actions.edit.clone();
    let layers = ConfigLayers::default();
    assert!(edit(&layers).contains(&"patch".to_owned()), "the default");
    let layers =
        layers.file(ConfigSource::new("loopbreak.toml", "[actions]\nedit = [\"amend\", \"mend\"]\n"));
    assert_eq!(edit(&layers), ["amend", "mend"]);
    let layers = layers.environment([("LOOPBREAK_ACTIONS__EDIT", "[\"change\"]")]);
    assert_eq!(edit(&layers), ["change"]);
    let layers = layers.set("actions.edit=[]");
    assert_eq!(edit(&layers), [""; 0]);
    let loaded = ok(layers.load());
    assert_eq!(loaded.origin("actions.edit").to_string(), "--set actions.edit=[]");
    assert!(!loaded.origin("actions.read").is_set(), "the other lists are unchanged");
}
