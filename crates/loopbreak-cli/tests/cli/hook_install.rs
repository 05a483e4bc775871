//! Hooks are added to the settings of each agent and removed again. The rest of the file stays as it is.

use std::fs;
use std::path::Path;

use crate::support::{FinishedProgram, done, folder, loopbreak};

const OWN: &str = "{\n    \"zeta\": 1,\n    \"alpha\": [ 1,2 ],\n    \"hooks\": {\n        \"Stop\": [\n            {\n                \"hooks\": [ {\"type\": \"command\", \"command\": \"mine\"} ]\n            }\n        ]\n    }\n}\n";

/// Each agent, its file in a project, its file for the user, and an event.
const AGENTS: [(&str, &str, &str, &str); 3] = [
    ("claude-code", ".claude/settings.json", "home/.claude/settings.json", "PreToolUse"),
    ("codex", ".codex/hooks.json", "home/.codex/hooks.json", "PostToolUse"),
    ("gemini", ".gemini/settings.json", "home/.gemini/settings.json", "BeforeTool"),
];

fn hook(folder: &Path, args: &[&str]) -> FinishedProgram {
    let path = std::env::var_os("PATH").unwrap_or_default();
    done(loopbreak(folder).arg("hook").args(args).env("HOME", folder.join("home")).env("PATH", path))
}

#[test]
fn install_shows_its_changes_keeps_a_backup_and_can_be_undone() {
    for (agent, file, _, event) in AGENTS {
        let folder = folder();
        let file = folder.path().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, OWN).unwrap();

        let dry = hook(folder.path(), &["install", agent, "--dry-run"]);
        assert_eq!(dry.code, Some(0), "{}", dry.err);
        assert!(dry.out.contains(&format!("+        \"{event}\": [")), "{}", dry.out);
        assert_eq!(fs::read_to_string(&file).unwrap(), OWN);

        let installed = hook(folder.path(), &["install", agent, "--project"]);
        assert_eq!(installed.code, Some(0), "{}", installed.err);
        // The lines before it show the path of the program, which may contain anything.
        let hint = installed.out.lines().last().unwrap();
        assert_eq!(hint.contains("/hooks"), agent != "claude-code", "{}", installed.out);
        let with = fs::read_to_string(&file).unwrap();
        assert!(with.starts_with("{\n    \"zeta\": 1,\n    \"alpha\": [ 1,2 ],\n"), "{with}");
        assert!(
            with.contains("\"command\": \"mine\"") && with.contains(&format!("hook {agent}\"")),
            "{with}"
        );
        let kept: Vec<_> = fs::read_dir(file.parent().unwrap())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| *path != file)
            .collect();
        assert_eq!(kept.len(), 1);
        assert_eq!(fs::read_to_string(&kept[0]).unwrap(), OWN);

        assert!(hook(folder.path(), &["install", agent]).out.contains("already installed"));
        assert_eq!(hook(folder.path(), &["uninstall", agent]).code, Some(0));
        assert_eq!(fs::read_to_string(&file).unwrap(), OWN);
        assert!(hook(folder.path(), &["uninstall", agent]).out.contains("no Loopbreak hooks found"));
    }
}

#[test]
fn settings_that_are_not_json_are_left_alone() {
    for (agent, _, file, _) in AGENTS {
        let folder = folder();
        let file = folder.path().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "{ // mine\n}").unwrap();
        let done = hook(folder.path(), &["install", agent, "--user"]);
        assert_eq!(done.code, Some(1));
        assert!(done.err.contains("it is not valid JSON"), "{}", done.err);
        assert_eq!(fs::read_to_string(&file).unwrap(), "{ // mine\n}");
    }
}

#[test]
fn environment_variables_of_the_agent_move_the_settings_file() {
    for (agent, variable, file) in [
        ("claude-code", "CLAUDE_CONFIG_DIR", "moved/settings.json"),
        ("codex", "CODEX_HOME", "moved/hooks.json"),
        ("gemini", "GEMINI_CLI_HOME", "moved/.gemini/settings.json"),
        ("pi", "PI_CODING_AGENT_DIR", "moved/extensions/loopbreak.js"),
        ("cline", "CLINE_DIR", "moved/plugins/loopbreak.js"),
        ("copilot", "COPILOT_HOME", "moved/hooks/loopbreak.json"),
    ] {
        let folder = folder();
        let mut command = loopbreak(folder.path());
        command.args(["hook", "install", agent, "--user"]).env(variable, folder.path().join("moved"));
        assert_eq!(done(&mut command).code, Some(0));
        assert!(folder.path().join(file).is_file(), "{agent}");
    }
}

#[cfg(unix)]
#[test]
fn the_doctor_tests_the_installed_hook() {
    for (agent, ..) in AGENTS {
        let folder = folder();
        let before = hook(folder.path(), &["doctor", agent]);
        assert_eq!(before.code, Some(1));
        assert!(before.out.contains("not installed"), "{}", before.out);
        assert_eq!(hook(folder.path(), &["install", agent, "--user"]).code, Some(0));
        let after = hook(folder.path(), &["doctor", agent]);
        assert_eq!(after.code, Some(0), "{}{}", after.out, after.err);
        assert!(after.out.contains("additionalContext") && after.out.contains("\"deny\""), "{}", after.out);
        assert!(!folder.path().join("home/.local/state").exists());

        fs::create_dir_all(folder.path().join("home/.config/loopbreak")).unwrap();
        fs::write(folder.path().join("home/.config/loopbreak/loopbreak.toml"), "mode = \"off\"\n").unwrap();
        let off = hook(folder.path(), &["doctor", agent]);
        assert_eq!(off.code, Some(1));
        assert!(off.out.contains("does not answer correctly"), "{}", off.out);
    }
}

/// The doctor found nothing wrong, and then no hook could write its store.
#[test]
fn the_doctor_sees_that_no_store_can_be_created() {
    let folder = folder();
    assert_eq!(hook(folder.path(), &["install", "claude-code", "--user"]).code, Some(0));
    fs::create_dir_all(folder.path().join("home/.local")).unwrap();
    assert_eq!(hook(folder.path(), &["doctor", "claude-code"]).code, Some(0));
    let left = fs::read_dir(folder.path().join("home/.local")).unwrap().count();
    assert_eq!(left, 0, "it leaves nothing behind");
    fs::write(folder.path().join("home/.local/state"), "in the way").unwrap();
    let checked = hook(folder.path(), &["doctor", "claude-code"]);
    assert_eq!(checked.code, Some(1), "{}{}", checked.out, checked.err);
    assert!(checked.out.contains("problem"), "{}", checked.out);
    assert!(checked.out.contains("the store cannot be"), "{}", checked.out);
}

/// A link `settings.json.part` in a cloned repository made `hook install` overwrite its target.
#[cfg(unix)]
#[test]
fn a_planted_link_does_not_redirect_install_to_another_file() {
    for (agent, file, ..) in AGENTS {
        let folder = folder();
        let victim = folder.path().join("bashrc");
        fs::write(&victim, "alias ll=ls\n").unwrap();
        let file = folder.path().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "{\"env\":{\"X\":\"$(touch PWNED)\"}}\n").unwrap();
        let planted = format!("{}.part", file.display());
        std::os::unix::fs::symlink(&victim, &planted).unwrap();
        let done = hook(folder.path(), &["install", agent]);
        assert_eq!(done.code, Some(0), "{}", done.err);
        assert_eq!(fs::read_to_string(&victim).unwrap(), "alias ll=ls\n");
        assert!(!fs::symlink_metadata(&file).unwrap().is_symlink());
    }
}

/// The same through a report.
#[cfg(unix)]
#[test]
fn a_planted_link_does_not_redirect_a_report_to_another_file() {
    let folder = folder();
    let victim = folder.path().join("victim");
    fs::write(&victim, "mine").unwrap();
    fs::write(folder.path().join("log.jsonl"), crate::support::stuck("r", 60)).unwrap();
    std::os::unix::fs::symlink(&victim, folder.path().join("report.html.part")).unwrap();
    let done = crate::support::analyze(folder.path(), &["log.jsonl", "--html", "report.html"]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
    assert!(fs::read_to_string(folder.path().join("report.html")).unwrap().contains("<html"));
}

/// `hook doctor` passed any command that ends in `hook AGENT` to a shell.
#[test]
fn the_doctor_shows_a_foreign_command_and_does_not_run_it() {
    for (agent, file, ..) in AGENTS {
        for foreign in
            [format!("touch PWNED; loopbreak hook {agent}"), format!("\u{1b}]0;x loopbreak hook {agent}")]
        {
            let folder = folder();
            let file = folder.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            let hooks = serde_json::json!([{"hooks": [{"type": "command", "command": foreign}]}]);
            fs::write(&file, serde_json::json!({"hooks": {"Stop": hooks}}).to_string()).unwrap();
            let done = hook(folder.path(), &["doctor", agent]);
            assert_eq!(done.code, Some(1), "{}{}", done.out, done.err);
            assert!(done.err.contains("was not run"), "{}", done.err);
            assert!(!done.out.contains('\u{1b}') && done.out.contains("loopbreak hook"), "{:?}", done.out);
            assert!(!folder.path().join("PWNED").exists());
        }
    }
}

/// Settings with keys became readable for everyone, and so did their backup.
#[cfg(unix)]
#[test]
fn private_settings_stay_private() {
    use std::os::unix::fs::PermissionsExt as _;

    for (agent, file, ..) in AGENTS {
        let folder = folder();
        let file = folder.path().join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "{\"env\":{\"KEY\":\"secret\"}}\n").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(hook(folder.path(), &["install", agent]).code, Some(0));
        let files: Vec<_> = fs::read_dir(file.parent().unwrap()).unwrap().map(Result::unwrap).collect();
        assert_eq!(files.len(), 2, "the settings and the copy of what was there before");
        for file in files {
            let mode = file.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o600, "{}", file.path().display());
        }
    }
}

#[test]
fn a_file_that_only_the_installation_created_is_removed_again() {
    for (agent, file) in [
        ("claude-code", ".claude/settings.json"),
        ("qwen", ".qwen/settings.json"),
        ("opencode", ".opencode/plugin/loopbreak.js"),
        ("pi", ".pi/extensions/loopbreak.js"),
        ("cline", ".cline/plugins/loopbreak.js"),
        ("copilot", ".github/hooks/loopbreak.json"),
    ] {
        let folder = folder();
        let path = folder.path().join(file);
        assert_eq!(hook(folder.path(), &["install", agent]).code, Some(0), "{agent}");
        // Teams commit the settings of a project, so they contain no path of this machine.
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(&format!("\"loopbreak hook {agent}\"")), "{text}");
        assert_eq!(hook(folder.path(), &["uninstall", agent]).code, Some(0), "{agent}");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 0, "{agent}");
        // A file of the user stays, even if it has no settings.
        fs::write(
            &path,
            if Path::new(file).extension().is_some_and(|end| end == "js") {
                "export const mine = 1\n"
            } else {
                "{}\n"
            },
        )
        .unwrap();
        assert_eq!(hook(folder.path(), &["uninstall", agent]).code, Some(0), "{agent}");
        assert!(path.exists(), "{agent}");
    }
}

#[test]
fn doctor_says_that_the_program_is_not_on_the_path() {
    let folder = folder();
    assert_eq!(hook(folder.path(), &["install", "claude-code"]).code, Some(0));
    let mut doctor = loopbreak(folder.path());
    let doctor =
        done(doctor.args(["hook", "doctor", "claude-code"]).env("HOME", folder.path()).env("PATH", ""));
    assert_eq!(doctor.code, Some(1));
    assert!(doctor.err.contains("not on the PATH"), "{}", doctor.err);
}

/// A cloned repository can contain links. They must not lead `hook install` to a file elsewhere, or to a device without end.
#[cfg(unix)]
#[test]
fn a_link_is_followed_only_to_a_file_of_the_user_in_the_home_folder_or_the_project() {
    use std::os::unix::fs::symlink;

    let (folder, outside) = (folder(), folder());
    let (claude, victim) = (folder.path().join(".claude"), outside.path().join("victim.json"));
    fs::create_dir_all(folder.path().join("home")).unwrap();
    fs::create_dir_all(&claude).unwrap();
    fs::write(&victim, "{}\n").unwrap();
    fs::write(folder.path().join("home/mine.json"), "{}\n").unwrap();
    let file = claude.join("settings.json");
    let link_to = |target: &Path| {
        let _ = fs::remove_file(&file);
        symlink(target, &file).unwrap();
        hook(folder.path(), &["install", "claude-code"])
    };
    for (target, reason) in [
        (victim.as_path(), "outside the project and your home folder"),
        (&outside.path().join("none.json"), "a link that leads nowhere"),
        (Path::new("/dev/zero"), "it is not a file"),
        (outside.path(), "it is not a file"),
    ] {
        let refused = link_to(target);
        assert_eq!(refused.code, Some(1), "{}", refused.out);
        assert!(refused.err.contains(reason), "{reason}: {}", refused.err);
        assert!(fs::symlink_metadata(&file).unwrap().is_symlink());
    }
    assert_eq!(fs::read_to_string(&victim).unwrap(), "{}\n");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);

    let followed = link_to(&folder.path().join("home/mine.json"));
    assert_eq!(followed.code, Some(0), "{}", followed.err);
    assert!(followed.out.contains("note: it is a link, so "), "{}", followed.out);
    assert!(fs::symlink_metadata(&file).unwrap().is_symlink());
    assert!(fs::read_to_string(folder.path().join("home/mine.json")).unwrap().contains("loopbreak hook"));

    fs::remove_file(&file).unwrap();
    fs::remove_dir(&claude).unwrap();
    symlink(outside.path(), &claude).unwrap();
    let refused = hook(folder.path(), &["install", "claude-code"]);
    assert!(refused.err.contains("its folder is a link"), "{}{}", refused.out, refused.err);
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn other_names_of_a_settings_file_are_named() {
    let folder = folder();
    let file = folder.path().join(".claude/settings.json");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "{}\n").unwrap();
    fs::hard_link(&file, folder.path().join("other.json")).unwrap();
    let installed = hook(folder.path(), &["install", "claude-code"]);
    assert!(installed.out.contains("note: it has other names (hard links)"), "{}", installed.out);
    assert_eq!(fs::read_to_string(folder.path().join("other.json")).unwrap(), "{}\n");
}

/// Outputs that are written while a command runs were written through a planted link as well.
#[cfg(unix)]
#[test]
fn a_planted_link_does_not_redirect_an_output_to_another_file() {
    use std::os::unix::fs::symlink;

    let folder = folder();
    let victim = folder.path().join("bashrc");
    fs::write(&victim, "alias ll=ls\n").unwrap();
    fs::write(folder.path().join("log.jsonl"), "{\"run\":\"a\",\"action\":\"x\"}\n").unwrap();
    for (name, args) in [
        ("events.jsonl", ["analyze", "log.jsonl", "--events", "events.jsonl"].as_slice()),
        ("steps.jsonl", &["convert", "log.jsonl", "--output", "steps.jsonl"]),
    ] {
        symlink(&victim, folder.path().join(name)).unwrap();
        let done = done(loopbreak(folder.path()).args(args));
        assert_eq!(done.code, Some(0), "{}", done.err);
        assert!(!fs::symlink_metadata(folder.path().join(name)).unwrap().is_symlink(), "{name}");
    }
    // A device is written to, and not replaced.
    let device = done(loopbreak(folder.path()).args(["analyze", "log.jsonl", "--events", "/dev/null"]));
    assert_eq!(device.code, Some(0), "{}", device.err);
    symlink(&victim, folder.path().join("loopbreak.toml")).unwrap();
    let init = done(loopbreak(folder.path()).args(["config", "init", "--force"]));
    assert_eq!(init.code, Some(2));
    assert!(init.err.contains("is a link; nothing was written"), "{}", init.err);
    assert_eq!(fs::read_to_string(&victim).unwrap(), "alias ll=ls\n");
}
