//! Help, completions, manual pages and the reference.

use std::fs;

use crate::support::{done, folder, loopbreak};

fn out(args: &[&str]) -> String {
    let done = done(loopbreak(folder().path()).args(args));
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{args:?}");
    done.out
}

#[test]
fn the_help_of_commands_has_examples() {
    for command in ["analyze", "completions", "man"] {
        let help = out(&[command, "--help"]);
        assert!(help.contains("Examples:\n  loopbreak "), "{help}");
    }
    assert!(out(&["--help"]).contains("Exit codes:"));
}

#[test]
fn every_shell_gets_completions() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(out(&["completions", shell]).contains("fail-on"), "{shell}");
    }
}

#[test]
fn manual_pages_are_written_for_every_command() {
    assert!(out(&["man"]).contains(".TH loopbreak 1"));
    let folder = folder();
    let written = done(loopbreak(folder.path()).args(["man", "--out", "deep/man1"]));
    assert_eq!(written.code, Some(0), "{}", written.err);
    for page in ["loopbreak.1", "loopbreak-analyze.1", "loopbreak-config.1", "loopbreak-man.1"] {
        let text = fs::read_to_string(folder.path().join("deep/man1").join(page)).unwrap();
        assert!(text.contains(".SH SYNOPSIS"), "{page}");
    }
}

#[test]
fn the_reference_names_every_option_whatever_the_terminal_width() {
    let reference = out(&["man", "--markdown"]);
    let narrow = done(loopbreak(folder().path()).env("COLUMNS", "20").args(["man", "--markdown"])).out;
    assert_eq!(reference, narrow);
    for option in [
        "--events <FILE>",
        "--fail-on <VERDICT>",
        "`-q, --quiet`",
        "--set <KEY=VALUE>",
        "## `loopbreak analyze`",
        "Replays each run",
    ] {
        assert!(reference.contains(option), "{option} in {reference}");
    }
    assert!(!reference.contains('\u{1b}'));
}
