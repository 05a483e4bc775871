use super::*;
use crate::ConfigProblem;

/// Returns the problems of a result.
fn problems(result: Result<LoadedConfig, ConfigError>) -> Vec<ConfigProblem> {
    result.map(|loaded| loaded.config.profile).unwrap_err().problems
}

#[test]
fn all_problems_of_a_file_are_reported_at_once_in_the_order_of_its_lines() {
    let text = "mode = \"obseve\"\nstagnaton = 1\n[stagnation]\nmax_turn = 3\nwarn_at = \"20\"\ncheck_interval = 1000\n[camping]\nthreshold = 2.5\n[revisit]\nwindow = true\n";
    let expected = "\
loopbreak.toml:1:8: mode: expected one of \"enforce\", \"observe\", \"off\", found the string \"obseve\"; did you mean \"observe\"?
loopbreak.toml:2:1: unknown key \"stagnaton\"; did you mean stagnation?
loopbreak.toml:4:1: unknown key \"max_turn\" in [stagnation]; did you mean max_turns?
loopbreak.toml:5:11: stagnation.warn_at: expected an integer from 5 to 100, found the string \"20\"; remove the quotes
loopbreak.toml:6:18: stagnation.check_interval: 1000 is out of range; give a value from 1 to 100
loopbreak.toml:8:13: camping.threshold: expected an integer from 2 to 50, found the number 2.5; for example: threshold = 5
loopbreak.toml:10:10: revisit.window: expected an integer from 2 to 20, found true; for example: window = 5";
    assert_eq!(problem_lines(own(text)), expected);
}

#[test]
fn rules_between_options_apply_to_defaults_and_name_the_legacy_keys() {
    for (keys, expected) in [
        (
            "max_turns_stuck = 8\nstuck_warning_threshold = 5",
            "pyproject.toml:2:19 (max_turns_stuck): max_turns_stuck (8) must be at least stuck_check_interval (10); \
             set stuck_check_interval to 8 or less, or raise max_turns_stuck",
        ),
        (
            "stuck_check_interval = 50",
            "pyproject.toml:2:24 (stuck_check_interval): max_turns_stuck (40) must be at least stuck_check_interval (50); \
             set stuck_check_interval to 40 or less, or raise max_turns_stuck",
        ),
        (
            "max_turns_stuck = 20\nstuck_warning_threshold = 20",
            "pyproject.toml:3:27 (stuck_warning_threshold): stuck_warning_threshold (20) must be below max_turns_stuck (20); \
             a warning must come before the stop: lower stuck_warning_threshold or raise max_turns_stuck",
        ),
        (
            "stuck_warning_threshold = 40",
            "pyproject.toml:2:27 (stuck_warning_threshold): stuck_warning_threshold (40) must be below max_turns_stuck (40); \
             a warning must come before the stop: lower stuck_warning_threshold or raise max_turns_stuck",
        ),
        (
            "location_revisit_penalty = 0.2",
            "pyproject.toml:2:28 (location_revisit_penalty): location_revisit_penalty: 0.2 is out of range; \
             give a value from -1 to below 0; to take nothing away, switch the detector off",
        ),
        (
            "camping_return_penalty = 0",
            "pyproject.toml:2:26 (camping_return_penalty): camping_return_penalty: 0 is out of range; \
             give a value from -1 to below 0; to take nothing away, switch the detector off",
        ),
        (
            "camping_threshold = 12",
            "pyproject.toml:2:21 (camping_threshold): camping_threshold (12) can never be reached in a camping_window of 10; \
             raise camping_window or lower camping_threshold",
        ),
        (
            "maxAttempts = 7",
            "pyproject.toml:2:15 (maxAttempts): maxAttemptsBeforeForceNext (5) must be at least maxAttempts (7); \
             a task is seen to loop before the agent is moved on: raise maxAttemptsBeforeForceNext or lower maxAttempts",
        ),
        (
            "consecutive_errors = -1",
            "pyproject.toml:2:22 (consecutive_errors): consecutive_errors: -1 is out of range; \
             give a value from 0 to 4294967295",
        ),
        (
            "enable_loop_detection = 1",
            "pyproject.toml:2:25 (enable_loop_detection): enable_loop_detection: expected true or false, \
             found the integer 1; for example: enable_loop_detection = false",
        ),
        (
            "max_turn_stuck = 1",
            "pyproject.toml:2:1: unknown key \"max_turn_stuck\" in [tool.zorkgpt.loop_break]; did you mean max_turns_stuck?",
        ),
    ] {
        assert_eq!(problem_lines(documents(keys)), expected, "{keys}");
    }
}

#[test]
fn the_ranges_of_legacy_keys_are_checked_at_both_ends() {
    for (key, lowest, highest) in [
        ("max_turns_stuck", 1, 1000),
        ("stuck_check_interval", 1, 100),
        ("stuck_warning_threshold", 5, 100),
        ("location_revisit_window", 2, 20),
        ("action_novelty_window", 5, 50),
    ] {
        for wrong in [lowest - 1, highest + 1, -7, 5_000_000_000, i64::MIN] {
            let told = problem_lines(documents(&format!("{key} = {wrong}")));
            assert!(
                told.contains(&format!(
                    "({key}): {key}: {wrong} is out of range; give a value from {lowest} to {highest}"
                )),
                "{told}"
            );
            assert_eq!(told.lines().count(), 1, "{told}");
        }
    }
    ok(documents("max_turns_stuck = 1000\nstuck_check_interval = 100\nstuck_warning_threshold = 100"));
    ok(documents("max_turns_stuck = 6\nstuck_check_interval = 1\nstuck_warning_threshold = 5"));
    for penalty in ["location_revisit_penalty", "oscillation_return_penalty", "camping_return_penalty"] {
        ok(documents(&format!("{penalty} = -1")));
        ok(documents(&format!("{penalty} = -0.0001")));
        for wrong in ["0", "-0.0", "-1.01", "0.5", "nan", "inf"] {
            assert!(
                problem_lines(documents(&format!("{penalty} = {wrong}"))).contains("is out of range"),
                "{penalty} {wrong}"
            );
        }
    }
}

#[test]
fn a_problem_between_two_options_labels_both_if_the_file_sets_both() {
    let found = problems(own("[stagnation]\nwarn_at = 30\nmax_turns = 25\n"));
    let [problem] = &found[..] else { panic!("{found:?}") };
    assert_eq!(problem.message, "stagnation: warn_at (30) must be below max_turns (25)");
    let marks: Vec<String> =
        problem.labels.iter().map(|label| format!("{} {}", label.origin, label.text)).collect();
    assert_eq!(
        marks,
        ["loopbreak.toml:2:11 warn_at is set here", "loopbreak.toml:3:13 max_turns is set here"]
    );
    assert!(problem.notes.is_empty());

    let found = problems(own("[stagnation]\nmax_turns = 20\n"));
    assert_eq!(found[0].location().unwrap().line, 2, "the line of the file, and not the default");
    assert_eq!(found[0].notes, ["warn_at = 20 comes from the profile auto"]);
}

#[test]
fn a_problem_between_layers_is_shown_in_the_highest_one() {
    let layers = ConfigLayers::default()
        .file(ConfigSource::new("loopbreak.toml", "[stagnation]\nmax_turns = 30\n"))
        .environment([("LOOPBREAK_STAGNATION__WARN_AT", "35")]);
    let found = problems(layers.clone().load());
    assert_eq!(found[0].labels[0].origin.to_string(), "LOOPBREAK_STAGNATION__WARN_AT");
    assert_eq!(found[0].labels[1].origin.to_string(), "loopbreak.toml:2:13");
    let found = problems(layers.set("stagnation.max_turns=32").load());
    assert_eq!(found[0].labels[0].origin.to_string(), "--set stagnation.max_turns=32");

    let found = problems(own("[task]\npreset = \"aggressive\"\nmax_attempts = 4\n"));
    assert_eq!(
        found[0].to_string(),
        "loopbreak.toml:3:16: task: force_next_after (3) must be at least max_attempts (4); \
        a task is seen to loop before the agent is moved on: raise force_next_after or lower max_attempts"
    );
    assert_eq!(found[0].notes, ["force_next_after = 3 comes from the preset aggressive"]);

    // With both tables, the own table wins, and each option has the name that its table uses.
    let found =
        problems(own("[stagnation]\nwarn_at = 35\n[tool.zorkgpt.loop_break]\nmax_turns_stuck = 30\n"));
    assert_eq!(found[0].message, "stagnation: warn_at (35) must be below max_turns_stuck (30)");
    assert_eq!(found[0].labels.len(), 2);
}

#[test]
fn invalid_toml_is_reported_together_with_other_problems() {
    let told = problem_lines(own(
        "mode = off\n[stagnation]\nmax_turns = \nwarn_at = 900\nfoo = 1\n[camping]\nthreshold = \"x\n",
    ));
    let expected = [
        "loopbreak.toml:1:8: ",
        "loopbreak.toml:3:13: ",
        "loopbreak.toml:4:11: stagnation.warn_at: 900 is out of range",
        "loopbreak.toml:5:1: unknown key \"foo\" in [stagnation]",
        "loopbreak.toml:7:15: ",
    ];
    for (line, expected) in told.lines().zip(expected) {
        assert!(line.starts_with(expected), "{told}");
    }
    assert_eq!(told.lines().count(), expected.len(), "{told}");
    // After a broken table head it is unknown where the keys belong, so nothing is reported about them.
    let told = super::problem_lines(own("[stagnation\nmax_turns = 5\n"));
    assert_eq!(told.lines().count(), 1, "{told}");
}

#[test]
fn a_key_in_the_wrong_table_is_found_in_the_right_one() {
    for (text, hint) in [
        ("max_turns = 3", "did you mean stagnation.max_turns?"),
        (
            "max_turns_stuck = 3",
            "this legacy name of stagnation.max_turns is only valid in [tool.zorkgpt.loop_break]",
        ),
        ("[ladder]\nstop = false", "did you mean policy.ladder?"),
        (
            "[tool.loopbreak]\nmode = \"off\"",
            "[tool.loopbreak] is for pyproject.toml; in this file, put the options at the top level",
        ),
        ("[tool.zorkgpt.loop_brake]", "did you mean loop_break?"),
        ("[tool]\nzorkgpt = 3", "legacy keys belong under [tool.zorkgpt.loop_break]"),
        ("[advice.texts]\nstagnaton = \"x\"", "did you mean stagnation?"),
        ("[[allow]]\ntoll = \"x\"", "did you mean tool?"),
        ("[[tool]]\nname = \"x\"\npols = true", "did you mean polls?"),
        ("[[tool]]\nname = \"x\"\npolls = \"yes\"", "for example: polls = true"),
        ("[[tool]]\nname = \"x\"\nkey = \"id\"", "for example: key = [\"id\"]"),
        ("[policy.ladder]\nstopp = false", "did you mean stop?"),
        ("stagnation_max_turns = 3", "did you mean stagnation.max_turns?"),
        ("[errors]\nfoo = 3", "valid keys here: mode, warn_at, any_warn_at, hard_at"),
    ] {
        let found = problems(own(text));
        assert_eq!((found.len(), found[0].hint.as_str()), (1, hint), "{text}");
    }
}

#[test]
fn rules_and_texts_are_checked_at_their_location() {
    let text = "[[allow]]\ntool = \"a\"\n\n[[allow]]\n\n[advice.texts]\nbudget = \"{nonsense}\"\n";
    assert_eq!(
        problem_lines(own(text)).lines().map(|line| line.split(';').next().unwrap()).collect::<Vec<_>>(),
        [
            "loopbreak.toml:4:1: allow[1]: an allow rule without tool and args would allow everything",
            "loopbreak.toml:7:10: advice.texts.budget: the text \"budget\" has no value {nonsense}",
        ]
    );
    assert!(problem_lines(own("allow = [3]")).starts_with("loopbreak.toml:1:10: allow[0]: expected a table"));
    assert!(
        problem_lines(own("allow = [{tool = 3}]"))
            .starts_with("loopbreak.toml:1:18: allow[0].tool: expected a string")
    );
    assert!(problem_lines(own("allow = \"x\"")).contains("expected a list of tables"));
    assert!(problem_lines(own("advice.texts = 3")).contains("expected a table of strings"));
}

#[test]
fn a_malicious_file_takes_little_time() {
    let many = (0..9_000).map(|index| format!("key{index} = 1")).collect::<Vec<_>>().join("\n");
    assert_eq!(problems(own(&many)).len(), 100);
    let line = format!(
        "x = {{ {} }}",
        (0..9_000).map(|index| format!("k{index} = 1")).collect::<Vec<_>>().join(", ")
    );
    assert_eq!(problems(own(&line)).len(), 1);
    let rules = "[[allow]]\ntool = \"x\"\n".repeat(8_000);
    assert_eq!(ok(own(&rules)).config.allow.len(), 8_000);
    assert_eq!(problems(own(&"[[allow]]\n".repeat(8_000))).len(), 100);
    problems(own(&format!("{} = 1", "k".repeat(900_000))));
    problems(own(&"[".repeat(500_000)));
}

#[test]
fn a_list_of_strings_takes_strings_only() {
    for (value, found) in [
        ("3", "the integer 3"),
        ("\"amend\"", "the string \"amend\""),
        ("[\"amend\", 3]", "the integer 3 in the list"),
        ("[[\"amend\"]]", "a list in the list"),
    ] {
        assert_eq!(
            problem_lines(own(&format!("[actions]\nedit = {value}\n"))),
            format!(
                "loopbreak.toml:2:8: actions.edit: expected a list of strings, found {found}; \
                 for example: edit = [\"one\", \"two\"]"
            )
        );
    }
    assert!(problem_lines(own("[actions]\nedit = '[\"amend\"]'\n")).ends_with("remove the quotes"));
}
