//! Completions of the ids of stored runs.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fs;
use std::process::Command;

use crate::support::done;
use crate::support::hooks::HookHome;

/// Returns what bash offers for the last word, without the options of the command.
fn offered(home: &HookHome, script: &str, words: &str) -> Vec<String> {
    let program = assert_cmd::cargo::cargo_bin!("loopbreak");
    let script = format!(
        "source {script}; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
         _loopbreak_with_runs loopbreak \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"; \
         printf '%s\\n' \"${{COMPREPLY[@]}}\""
    );
    let output = Command::new("bash")
        .args(["--norc", "-c", &script])
        .current_dir(home.path())
        .env_clear()
        .env("HOME", home.path())
        .env("XDG_STATE_HOME", home.path().join("state"))
        .env("PATH", format!("{}:/usr/bin:/bin", program.parent().unwrap().display()))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{words}: {errors}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().filter(|word| !word.starts_with('-') && !word.is_empty()).map(str::to_owned).collect()
}

#[test]
fn bash_completes_the_ids_of_runs_where_a_run_is_named() {
    let home = HookHome::new();
    let script = home.path().join("loopbreak.bash");
    fs::write(&script, done(&mut home.command(&["completions", "bash"])).out).unwrap();
    let script = script.to_str().unwrap();
    assert_eq!(offered(&home, script, "loopbreak log ''"), ["last"], "there is no store yet");

    for id in ["aa11", "aa22", "bb33", "$(touch${IFS}STARTED)"] {
        let session = home.session(id);
        session.prompt("fix the login test");
        session.call_until_denied("make");
    }
    assert_eq!(
        done(&mut home.command(&["completions", "--runs"])).out,
        "bb33\naa22\naa11\n",
        "the latest first"
    );
    assert_eq!(offered(&home, script, "loopbreak log aa"), ["aa22", "aa11"]);
    assert_eq!(offered(&home, script, "loopbreak log --json bb"), ["bb33"]);
    for words in ["pause a", "resume a", "allow last --run a", "tasks list --run a", "tasks --run a"] {
        assert_eq!(offered(&home, script, &format!("loopbreak {words}")), ["aa22", "aa11"], "{words}");
    }
    for words in ["pause --reason a", "analyze a", "tasks show a"] {
        let offered = offered(&home, script, &format!("loopbreak {words}"));
        assert!(!offered.contains(&"aa11".to_owned()), "{words}: {offered:?}");
    }
    assert!(!home.path().join("STARTED").exists(), "an id is text");
}

#[test]
fn the_scripts_of_zsh_and_fish_ask_for_the_ids() {
    let home = HookHome::new();
    let zsh = done(&mut home.command(&["completions", "zsh"])).out;
    assert!(zsh.contains("\n_loopbreak_runs() {\n"), "{zsh}");
    let uses = zsh.lines().filter(|line| line.contains(":_loopbreak_runs'"));
    let uses = uses.filter(|line| line.contains(":RUN:") || line.contains(":run -- ")).count();
    assert!(uses > 8, "{uses} of log, pause, resume, allow and the commands of tasks");
    assert!(!zsh.contains(":RUN:_default'"), "{zsh}");
    let fish = done(&mut home.command(&["completions", "fish"])).out;
    assert_eq!(fish.matches("(loopbreak completions --runs 2>/dev/null)").count(), 2, "{fish}");
}
