//! `loopbreak config` and the loading of settings.

#![expect(clippy::unwrap_used, reason = "a test that cannot write its own files has failed")]

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use insta::assert_snapshot;
use tempfile::TempDir;

/// A folder with files in which the program runs.
struct ConfigFolder(TempDir);

impl ConfigFolder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = ConfigFolder(TempDir::new().unwrap());
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_loopbreak"));
        command.current_dir(self.path()).args(arguments);
        for (name, _) in std::env::vars_os() {
            let shown = name.to_string_lossy();
            if shown.starts_with("LOOPBREAK") || shown.starts_with("CLICOLOR") {
                command.env_remove(&name);
            }
        }
        command
    }

    fn run(&self, arguments: &[&str]) -> String {
        render_output(&mut self.command(arguments))
    }
}

/// Renders the exit code and both outputs.
fn render_output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    format!(
        "exit {}\n----- stdout\n{}----- stderr\n{}",
        output.status.code().unwrap(),
        text(&output.stdout),
        text(&output.stderr)
    )
}

/// Returns the problems of a legacy table.
fn check_legacy_table(keys: &str) -> String {
    let text = format!("[project]\nname = \"zork\"\n\n[tool.zorkgpt.loop_break]\n{keys}\n");
    ConfigFolder::new(&[("pyproject.toml", &text)]).run(&["config", "check"])
}

/// Returns the problems of a `loopbreak.toml`.
fn check_file(text: &str) -> String {
    ConfigFolder::new(&[("loopbreak.toml", text)]).run(&["config", "check"])
}

#[test]
fn max_turns_stuck_below_stuck_check_interval() {
    assert_snapshot!(check_legacy_table(
        "max_turns_stuck = 8\nstuck_check_interval = 10\nstuck_warning_threshold = 5"
    ));
}

#[test]
fn max_turns_stuck_below_the_default_of_stuck_check_interval() {
    assert_snapshot!(check_legacy_table("max_turns_stuck = 8\nstuck_warning_threshold = 5"));
}

#[test]
fn stuck_warning_threshold_not_below_max_turns_stuck() {
    assert_snapshot!(check_legacy_table(
        "# warns too late\nmax_turns_stuck = 40\nstuck_warning_threshold = 40"
    ));
}

#[test]
fn location_revisit_penalty_not_negative() {
    assert_snapshot!(check_legacy_table("location_revisit_penalty = 0.2  # must be negative"));
}

#[test]
fn values_outside_the_ranges_of_the_documents() {
    assert_snapshot!(check_legacy_table(
        "max_turns_stuck = 1001\nstuck_check_interval = 0\nstuck_warning_threshold = 4\n\
         location_revisit_window = 21\naction_novelty_window = 51\noscillation_return_penalty = -1.5\n\
         camping_return_penalty = 0.0"
    ));
}

#[test]
fn documents_keys_of_the_wrong_type_or_name() {
    assert_snapshot!(check_legacy_table(
        "max_turns_stuck = \"40\"\nenable_loop_detection = \"yes\"\nstuck_turn_threshold = 3\nlocation_revist_window = 5"
    ));
}

#[test]
fn every_problem_of_a_file_at_once() {
    assert_snapshot!(check_file(
        "mode = \"obseve\"\n\n[stagnation]\nmax_turns = 25\nwarn_at = 30\npatience = 3\n\n[camping]\ntreshold = 3\n\n\
         [budget]\nmax_runtime = \"soon\"\n\n[[allow]]\n\n[advice.texts]\nerror = \"x\"\nbudget = \"{nope}\"\n"
    ));
}

#[test]
fn a_file_that_is_not_toml() {
    assert_snapshot!(check_file("mode = off\n[stagnation]\nmax_turns = \nwarn_at = 900\n"));
}

#[test]
fn a_problem_between_environment_and_file() {
    let folder = ConfigFolder::new(&[("loopbreak.toml", "[stagnation]\nmax_turns = 30\n")]);
    let mut command = folder.command(&["config", "check"]);
    assert_snapshot!(render_output(
        command.env("LOOPBREAK_STAGNATION__WARN_AT", "35").env("LOOPBREAK_MDOE", "off")
    ));
}

#[test]
fn problems_on_the_command_line() {
    let folder = ConfigFolder::new(&[]);
    let flags = [
        "--profile",
        "gmae",
        "--set",
        "stagnation.max_turns=0",
        "--set",
        "nonsense",
        "--set",
        "stagnaton.mode=off",
    ];
    assert_snapshot!(folder.run(&[&["analyze", "log.jsonl"], &flags[..]].concat()));
}

#[test]
fn check_shows_every_value_and_its_origin() {
    let folder = ConfigFolder::new(&[(
        "pyproject.toml",
        "[tool.zorkgpt.loop_break]\nmax_turns_stuck = 30\nenable_location_penalty = false\n\n[tool.loopbreak]\n\
         task.preset = \"conservative\"\n\n[tool.loopbreak.advice.texts]\nbudget = \"Enough.\\nReally.\"\n",
    )]);
    let mut command = folder.command(&["config", "check", "--set", "budget.max_runtime=15m"]);
    let told = render_output(command.env("LOOPBREAK_CAMPING__THRESHOLD", "4"));
    // Only the presence of options is checked, so that a new detector needs no new snapshot.
    let shown = |line: &&str| {
        !line.starts_with("  ")
            || ["option", "stagnation.", "task."].iter().any(|it| line[2..].starts_with(it))
    };
    assert_snapshot!(told.lines().filter(shown).collect::<Vec<_>>().join("\n"));
    for line in folder.run(&["config", "explain"]).lines().filter(|line| line.contains("  ")) {
        let option = line.split(' ').next().unwrap();
        assert!(
            told.contains(&format!("  {option} ")) || told.contains(&format!("* {option}")),
            "{option}: {told}"
        );
    }
}

#[test]
fn check_as_json() {
    let folder = ConfigFolder::new(&[("loopbreak.toml", "[stagnation]\nmax_turns = 20\n")]);
    assert_snapshot!(folder.run(&["config", "check", "--json"]));
    let output =
        folder.command(&["config", "check", "--json", "--set", "stagnation.warn_at=10"]).output().unwrap();
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let options = told["options"].as_array().unwrap();
    let option = |path: &str| options.iter().find(|option| option["option"] == path).unwrap();
    assert_eq!(option("stagnation.max_turns")["origin"]["line"], 2);
    assert_eq!(option("stagnation.max_turns")["value"], 20);
    assert_eq!(option("stagnation.warn_at")["origin"]["flag"], "--set stagnation.warn_at=10");
    assert_eq!((&told["problems"], &told["profile"]), (&serde_json::json!([]), &serde_json::json!("auto")));
}

#[test]
fn explain_describes_an_option() {
    let folder = ConfigFolder::new(&[]);
    let keys = [
        "stagnation.max_turns",
        "max_turns_stuck",
        "budget.max_iterations",
        "revisit.mode",
        "revisit.penalty",
        "allow",
        "actions.edit",
        "cycle.hard_at",
        "LOOPBREAK_TASK__PRESET",
    ];
    let told: Vec<String> = keys.iter().map(|key| folder.run(&["config", "explain", key])).collect();
    assert_snapshot!(told.join("\n"));
}

#[test]
fn explain_lists_texts_and_their_values() {
    let folder = ConfigFolder::new(&[]);
    let told = folder.run(&["config", "explain", "advice.texts"]);
    for words in
        ["stagnation (agent)\n      turn, since, turns_stuck", "escalation (user)", "adjustment (critic)"]
    {
        assert!(told.contains(words), "{told}");
    }
    assert!(folder.run(&["config", "explain", "advice.texts.stagnation"]).contains("You will DIE"));
}

#[test]
fn explain_rejects_unknown_options() {
    let folder = ConfigFolder::new(&[]);
    assert_snapshot!(folder.run(&["config", "explain", "stagnation.max_turn"]));
    let all = folder.run(&["config", "explain"]);
    assert!(all.starts_with("exit 0") && all.lines().count() > 60, "{all}");
}

#[test]
fn schema_and_reference_are_deterministic() {
    let folder = ConfigFolder::new(&[]);
    for command in ["schema", "reference"] {
        let first = folder.run(&["config", command]);
        assert!(first.starts_with("exit 0"), "{first}");
        assert_eq!(first, folder.run(&["config", command]));
    }
    let output = folder.command(&["config", "schema"]).output().unwrap();
    let schema: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(schema["additionalProperties"], false);
    let reference = folder.run(&["config", "reference"]);
    for words in [
        "### `stagnation.max_turns`",
        "- Legacy key: `max_turns_stuck`",
        "from -1 to below 0",
        "`LOOPBREAK_MODE`",
        "| `task_escalate` | user |",
    ] {
        assert!(reference.contains(words), "{words}");
    }
}

#[test]
fn init_does_not_overwrite_a_file() {
    let folder = ConfigFolder::new(&[("sub/x", "")]);
    assert!(folder.run(&["config", "init", "--profile", "game"]).starts_with("exit 0"));
    let written = fs::read_to_string(folder.path().join("loopbreak.toml")).unwrap();
    assert!(written.contains("\nprofile = \"game\"\n"), "{written}");
    assert!(folder.run(&["config", "check"]).starts_with("exit 0"));
    assert_snapshot!(folder.run(&["config", "init"]));
    assert_eq!(fs::read_to_string(folder.path().join("loopbreak.toml")).unwrap(), written);
    assert!(folder.run(&["config", "init", "--force"]).starts_with("exit 0"));
    assert!(folder.run(&["config", "init", "sub"]).starts_with("exit 0"));
    assert!(folder.path().join("sub/loopbreak.toml").is_file());
    assert!(folder.run(&["config", "init", "--profile", "gmae", "x.toml"]).contains("did you mean game?"));
    assert!(folder.run(&["config", "init", "--force", "pyproject.toml"]).starts_with("exit 2"));
}

#[test]
fn the_nearest_file_in_the_parent_folders_is_used() {
    let folder = ConfigFolder::new(&[
        ("loopbreak.toml", "mode = \"observe\""),
        ("a/pyproject.toml", "[project]\nname = \"not ours\"\nbroken = \n"),
        ("a/b/pyproject.toml", "[tool.loopbreak]\nmode = \"off\""),
        ("a/b/c/x", ""),
    ]);
    let checked = |inside: &str| {
        let mut command = folder.command(&["config", "check"]);
        render_output(command.current_dir(folder.path().join(inside)))
    };
    assert!(checked("a").contains("loopbreak.toml: no problems"), "{}", checked("a"));
    assert!(checked("a/b/c").contains("pyproject.toml: no problems"), "{}", checked("a/b/c"));
    let named = folder.run(&["config", "check", "a/b/c"]);
    assert!(named.contains("\"off\""), "{named}");
}

#[test]
fn a_file_that_cannot_be_a_configuration_is_refused() {
    let folder = ConfigFolder::new(&[
        ("long.toml", &"# long\n".repeat(200_000)),
        ("folder/x", ""),
        ("pyproject.toml", "[project]\nname = \"x\"\n"),
    ]);
    fs::write(folder.path().join("latin.toml"), b"# caf\xe9\n").unwrap();
    let told: Vec<String> = ["long.toml", "latin.toml", "pyproject.toml", "folder"]
        .iter()
        .map(|file| folder.run(&["analyze", "--config", file, "log.jsonl"]))
        .collect();
    assert_snapshot!(told.join("\n"));
    assert!(folder.run(&["analyze", "--config", "none.toml", "x"]).starts_with("exit 2"));
}

#[test]
fn the_examples_of_the_guide_work() {
    let guide = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/configuration.md"))
        .unwrap();
    let examples: Vec<&str> =
        guide.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(examples.len() >= 3);
    for example in examples {
        let file = if example.contains("[tool.loopbreak") { "pyproject.toml" } else { "loopbreak.toml" };
        let told = ConfigFolder::new(&[(file, example)]).run(&["config", "check"]);
        assert!(told.starts_with("exit 0") && told.contains("\n* "), "{example}\n{told}");
    }
}

#[test]
fn each_command_has_examples() {
    let folder = ConfigFolder::new(&[]);
    for command in ["init", "check", "schema", "explain", "reference"] {
        let help = folder.run(&["config", command, "--help"]);
        assert!(help.starts_with("exit 0") && help.contains("Examples:\n  loopbreak config"), "{help}");
    }
}
