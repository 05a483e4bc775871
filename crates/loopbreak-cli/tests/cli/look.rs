//! The look of the program: colours, help, completions, and what `-v` shows.

use std::fs;
use std::path::Path;

use crate::support::{FinishedProgram, done, folder, loopbreak, stuck};

fn run(folder: &Path, variables: &[(&str, &str)], args: &[&str]) -> FinishedProgram {
    let mut command = loopbreak(folder);
    command.env("XDG_STATE_HOME", folder.join("state")).envs(variables.iter().copied());
    done(command.args(args))
}

#[test]
fn all_commands_with_text_use_colours_as_they_are_told() {
    let folder = folder();
    fs::write(folder.path().join("log.jsonl"), stuck("a", 50)).unwrap();
    fs::write(folder.path().join("loopbreak.toml"), "[stagnation]\nmax_turns = 33\n").unwrap();
    let commands: [&[&str]; 4] =
        [&["analyze", "log.jsonl"], &["watch", "log.jsonl", "--once"], &["formats"], &["config", "check"]];
    for args in commands {
        let coloured = |variables: &[(&str, &str)], more: &[&str]| {
            run(folder.path(), variables, &[args, more].concat()).out.contains("\x1b[")
        };
        assert!(!coloured(&[], &[]), "{args:?} in a pipe");
        assert!(coloured(&[("CLICOLOR_FORCE", "1")], &[]), "{args:?} with CLICOLOR_FORCE");
        assert!(coloured(&[], &["--color", "always"]), "{args:?} with --color always");
        assert!(!coloured(&[("CLICOLOR_FORCE", "1")], &["--color", "never"]), "{args:?} with --color never");
        assert!(!coloured(&[("CLICOLOR_FORCE", "1")], &["--color=never"]), "{args:?} with --color=never");
    }
    let help = |more: &[&str]| run(folder.path(), &[], &[&["--help"], more].concat()).out;
    assert!(help(&["--color", "always"]).contains("\x1b[") && !help(&[]).contains("\x1b["));
}

#[test]
fn the_help_groups_the_commands_with_guards_first_and_games_last() {
    let folder = folder();
    let help = run(folder.path(), &[], &["--help"]).out;
    let at = |text: &str| help.find(text).unwrap_or_else(|| panic!("{text}: {help}"));
    let order =
        ["Guard agents:", "  hook  ", "Look at runs:", "  analyze  ", "Games:", "  play  ", "Options:"];
    assert!(order.windows(2).all(|two| at(two[0]) < at(two[1])), "{help}");
    // Every command of the reference is listed.
    let reference = run(folder.path(), &[], &["man", "--markdown"]).out;
    let commands: Vec<&str> = reference
        .lines()
        .filter_map(|line| line.strip_prefix("## `loopbreak ")?.strip_suffix('`'))
        .filter(|name| !name.contains(' '))
        .collect();
    assert!(commands.len() >= 18, "{commands:?}");
    for command in commands {
        assert!(help.contains(&format!("\n  {command} ")), "{command}: {help}");
    }
    let hook = run(folder.path(), &[], &["hook", "--help"]).out;
    assert!(hook.find("  install ").unwrap() < hook.find("  claude-code ").unwrap(), "{hook}");
    let uninstall = run(folder.path(), &[], &["hook", "uninstall", "--help"]).out;
    assert!(!uninstall.contains("hook install "), "{uninstall}");
}

#[test]
fn every_command_has_examples() {
    let folder = folder();
    let reference = run(folder.path(), &[], &["man", "--markdown"]).out;
    let mut pages: Vec<(&str, String)> = Vec::new();
    for line in reference.lines() {
        match line.trim_start_matches('#').strip_prefix(" `loopbreak").filter(|_| line.starts_with('#')) {
            Some(name) => pages.push((name.trim_end_matches('`'), String::new())),
            None => pages.last_mut().map_or((), |(_, page)| *page += line),
        }
    }
    assert!(pages.len() > 40, "{}", pages.len());
    for (name, page) in pages {
        assert!(page.contains("Examples:"), "{name}: {page}");
    }
}

#[test]
fn completions_offer_the_values_of_formats_profiles_and_options() {
    let folder = folder();
    for shell in ["bash", "zsh", "fish"] {
        let script = run(folder.path(), &[], &["completions", shell]).out;
        for value in ["swe-agent", "iterations", "stagnation.max_turns", "claude-code"] {
            assert!(script.contains(value), "{shell}: {value}");
        }
    }
    // Names of runs are in the store, but the last one always has this name.
    let bash = run(folder.path(), &[], &["completions", "bash"]).out;
    let (_, log) = bash.split_once("loopbreak__subcmd__log)").unwrap();
    let offered = log.split_once("opts=\"").and_then(|(_, rest)| rest.split('"').next()).unwrap();
    assert!(offered.split(' ').any(|word| word == "last"), "{offered}");
    // There are too many for the help.
    let help = run(folder.path(), &[], &["config", "explain", "--help"]).out;
    assert!(!help.contains("possible values"), "{help}");
}

#[test]
fn every_command_that_skips_lines_can_list_them() {
    let folder = folder();
    fs::create_dir(folder.path().join("logs")).unwrap();
    for run in ["a", "b"] {
        let log = stuck(run, 30) + &"{broken\n".repeat(20);
        fs::write(folder.path().join(format!("logs/{run}.jsonl")), log).unwrap();
    }
    for args in [&["convert", "logs"][..], &["eval", "logs"], &["tune", "logs", "--budget", "1"]] {
        let short = run(folder.path(), &[], args).err;
        assert!(short.contains("more lines like this; -v shows all"), "{args:?}: {short}");
        let long = run(folder.path(), &[], &[args, &["-v"]].concat()).err;
        assert_eq!(long.matches("warning: ").count(), 40, "{args:?}: {long}");
    }
}
