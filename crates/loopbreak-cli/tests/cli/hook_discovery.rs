//! Without a name, `hook install`, `uninstall` and `doctor` are about the agents that are found on the machine.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fs;
use std::path::Path;

use crate::support::{FinishedProgram, done, folder, loopbreak};

/// Runs the program with a home folder and a PATH that have nothing but what a test puts there.
fn hook(folder: &Path, args: &[&str]) -> FinishedProgram {
    let (home, bin) = (folder.join("home"), folder.join("bin"));
    fs::create_dir_all(folder.join("project")).unwrap();
    done(loopbreak(&folder.join("project")).arg("hook").args(args).env("HOME", home).env("PATH", bin))
}

/// Puts a program on the PATH that must not be started.
#[cfg(unix)]
fn add_program(folder: &Path, name: &str) {
    use std::os::unix::fs::PermissionsExt as _;

    fs::create_dir_all(folder.join("bin")).unwrap();
    let path = folder.join("bin").join(name);
    fs::write(&path, format!("#!/bin/sh\n: > '{}'\n", folder.join("STARTED").display())).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn add_user_folder(folder: &Path, name: &str) {
    fs::create_dir_all(folder.join("home").join(name)).unwrap();
}

#[cfg(unix)]
#[test]
fn install_without_a_name_lists_what_is_found_and_changes_nothing_without_a_terminal() {
    let folder = folder();
    add_program(folder.path(), "claude");
    add_user_folder(folder.path(), ".codex");
    add_user_folder(folder.path(), ".config/opencode");
    let install = hook(folder.path(), &["install"]);
    assert_eq!(install.code, Some(2), "{}{}", install.out, install.err);
    assert!(install.err.contains("nothing was changed"), "{}", install.err);
    for line in [
        "  1  claude-code   Claude Code (program ",
        "bin/claude), in .claude/settings.json\n",
        "home/.codex), in .codex/hooks.json\n",
        "home/.config/opencode), in .opencode/plugin/loopbreak.js\n",
        "  loopbreak hook install claude-code\n  loopbreak hook install codex\n  loopbreak hook install opencode\n",
    ] {
        assert!(install.out.contains(line), "{line}: {}", install.out);
    }
    assert!(!install.out.contains("gemini"), "{}", install.out);
    assert_eq!(fs::read_dir(folder.path().join("project")).unwrap().count(), 0);

    let user = hook(folder.path(), &["install", "--user"]);
    assert!(user.out.contains("loopbreak hook install codex --user\n"), "{}", user.out);

    let dry = hook(folder.path(), &["install", "--dry-run"]);
    assert_eq!(dry.code, Some(0), "{}", dry.err);
    for file in [".claude/settings.json:\n", ".codex/hooks.json:\n", ".opencode/plugin/loopbreak.js:\n"] {
        assert!(dry.out.contains(file), "{file}: {}", dry.out);
    }
    assert_eq!(fs::read_dir(folder.path().join("project")).unwrap().count(), 0);
    assert!(!folder.path().join("STARTED").exists());
}

#[test]
fn install_says_that_no_agent_is_found() {
    let folder = folder();
    let install = hook(folder.path(), &["install"]);
    assert_eq!(install.code, Some(2));
    assert!(
        install.err.contains("no agents found") && install.err.contains("claude-code"),
        "{}",
        install.err
    );
}

#[test]
fn uninstall_without_a_name_lists_what_is_installed() {
    let folder = folder();
    let none = hook(folder.path(), &["uninstall"]);
    assert_eq!((none.code, none.err.as_str()), (Some(0), ""));
    assert!(none.out.contains("no Loopbreak hooks found"), "{}", none.out);
    assert_eq!(hook(folder.path(), &["install", "codex"]).code, Some(0));
    let one = hook(folder.path(), &["uninstall"]);
    assert_eq!(one.code, Some(2), "{}", one.err);
    assert!(one.out.contains("run one of:\n  loopbreak hook uninstall codex\n"), "{}", one.out);
    assert!(folder.path().join("project/.codex/hooks.json").exists());
}

#[test]
fn an_unknown_name_is_answered_with_what_to_do_instead() {
    let folder = folder();
    for command in ["install", "uninstall", "doctor"] {
        let typo = hook(folder.path(), &[command, "claud"]);
        assert_eq!(typo.code, Some(2));
        assert!(typo.err.contains("did you mean claude-code?"), "{}", typo.err);
        let other = hook(folder.path(), &[command, "aider"]);
        assert_eq!(other.code, Some(2));
        assert!(
            other.err.contains("no hooks for `aider`; the agents are claude-code, codex"),
            "{}",
            other.err
        );
        for way in ["loopbreak watch", "loopbreak mcp", "loopbreak run"] {
            assert!(other.err.contains(way), "{}", other.err);
        }
        let hostile = hook(folder.path(), &[command, "\u{1b}]0;x"]);
        assert!(!hostile.err.contains('\u{1b}'), "{:?}", hostile.err);
    }
}

#[test]
fn other_names_of_an_agent_are_accepted() {
    for (alias, file) in [
        ("claude", ".claude/settings.json"),
        ("claudecode", ".claude/settings.json"),
        ("codex-cli", ".codex/hooks.json"),
        ("gemini-cli", ".gemini/settings.json"),
        ("Qwen-Code", ".qwen/settings.json"),
    ] {
        let folder = folder();
        assert_eq!(hook(folder.path(), &["install", alias]).code, Some(0), "{alias}");
        assert!(folder.path().join("project").join(file).exists(), "{alias}");
    }
}

/// Answers the question on a terminal, and returns what was shown with the exit code.
#[cfg(unix)]
fn install_on_a_terminal(folder: &Path, answer: &str) -> (String, Option<i32>) {
    use std::io::{Read as _, Write as _};
    use std::process::{Command, Stdio};

    let terminal = nix::pty::openpty(None, None).unwrap();
    let side = || Stdio::from(terminal.slave.try_clone().unwrap());
    fs::create_dir_all(folder.join("project")).unwrap();
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("loopbreak"))
        .args(["hook", "install"])
        .env_clear()
        .env("HOME", folder.join("home"))
        .env("PATH", folder.join("bin"))
        .current_dir(folder.join("project"))
        .stdin(side())
        .stdout(side())
        .stderr(side())
        .spawn()
        .unwrap();
    drop(terminal.slave);
    let mut master = fs::File::from(terminal.master);
    master.write_all(answer.as_bytes()).unwrap();
    let (mut seen, mut buffer) = (String::new(), [0; 4096]);
    // On Linux, reading fails when the other side is closed.
    while let Ok(count @ 1..) = master.read(&mut buffer) {
        seen.push_str(&String::from_utf8_lossy(&buffer[..count]));
    }
    (seen, child.wait().unwrap().code())
}

#[cfg(unix)]
#[test]
fn on_a_terminal_agents_are_chosen_by_number_or_name_and_none_by_default() {
    let (claude, codex) = (".claude/settings.json", ".codex/hooks.json");
    for (answer, installed, code) in [
        ("\n", &[][..], 0),
        ("2\n", &[codex][..], 0),
        ("claude, codex\n", &[claude, codex][..], 0),
        ("all\n", &[claude, codex][..], 0),
        ("1 7\n", &[][..], 2),
        ("claude aider\n", &[][..], 2),
    ] {
        let folder = folder();
        add_program(folder.path(), "claude");
        add_user_folder(folder.path(), ".codex");
        let (seen, status) = install_on_a_terminal(folder.path(), answer);
        assert_eq!(status, Some(code), "{answer:?}: {seen}");
        for file in [claude, codex] {
            let is_there = folder.path().join("project").join(file).exists();
            assert_eq!(is_there, installed.contains(&file), "{answer:?}, {file}: {seen}");
        }
        assert!(!folder.path().join("STARTED").exists());
    }
}

#[cfg(unix)]
#[test]
fn doctor_without_a_name_checks_all_that_are_installed_and_names_the_others() {
    let folder = folder();
    let nothing = hook(folder.path(), &["doctor"]);
    assert_eq!(nothing.code, Some(1), "{}", nothing.out);
    assert!(nothing.out.contains("no Loopbreak hooks found"), "{}", nothing.out);

    add_program(folder.path(), "claude");
    assert_eq!(hook(folder.path(), &["install", "gemini", "--user"]).code, Some(0));
    let checked = hook(folder.path(), &["doctor"]);
    assert_eq!(checked.code, Some(0), "{}{}", checked.out, checked.err);
    assert!(checked.out.contains("Claude Code\n  warning  found, but"), "{}", checked.out);
    assert!(checked.out.contains("Gemini CLI\n  ok       installed in"), "{}", checked.out);
    assert!(checked.out.contains("warned at call 3, refused at call 8"), "{}", checked.out);
    assert!(!checked.out.contains("Qwen"), "{}", checked.out);
    assert!(!folder.path().join("STARTED").exists());

    fs::create_dir_all(folder.path().join("home/.config/loopbreak")).unwrap();
    fs::write(folder.path().join("home/.config/loopbreak/loopbreak.toml"), "mode = \"off\"\n").unwrap();
    assert_eq!(hook(folder.path(), &["doctor"]).code, Some(1));
}
