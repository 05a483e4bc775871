//! Hooks are written into the settings of an agent and taken out again, and the rest of the file stays as it is.

mod support;

use std::fs;
use std::path::Path;

use support::{Done, done, folder, loopbreak};

const OWN: &str = "{\n    \"zeta\": 1,\n    \"alpha\": [ 1,2 ],\n    \"hooks\": {\n        \"Stop\": [\n            {\n                \"hooks\": [ {\"type\": \"command\", \"command\": \"mine\"} ]\n            }\n        ]\n    }\n}\n";

fn hook(folder: &Path, args: &[&str]) -> Done {
    let path = std::env::var_os("PATH").unwrap_or_default();
    done(loopbreak(folder).arg("hook").args(args).env("HOME", folder.join("home")).env("PATH", path))
}

#[test]
fn settings_are_changed_shown_kept_and_changed_back() {
    let folder = folder();
    let file = folder.path().join(".claude/settings.json");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, OWN).unwrap();

    let dry = hook(folder.path(), &["install", "claude-code", "--dry-run"]);
    assert_eq!(dry.code, Some(0), "{}", dry.err);
    assert!(dry.out.contains("+        \"PreToolUse\": ["), "{}", dry.out);
    assert_eq!(fs::read_to_string(&file).unwrap(), OWN);

    assert_eq!(hook(folder.path(), &["install", "claude-code", "--project"]).code, Some(0));
    let with = fs::read_to_string(&file).unwrap();
    assert!(with.starts_with("{\n    \"zeta\": 1,\n    \"alpha\": [ 1,2 ],\n"), "{with}");
    assert!(with.contains("\"command\": \"mine\""));
    let kept: Vec<_> = fs::read_dir(file.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| *path != file)
        .collect();
    assert_eq!(kept.len(), 1);
    assert_eq!(fs::read_to_string(&kept[0]).unwrap(), OWN);

    assert!(hook(folder.path(), &["install", "claude-code"]).out.contains("there already"));
    assert_eq!(hook(folder.path(), &["uninstall", "claude-code"]).code, Some(0));
    assert_eq!(fs::read_to_string(&file).unwrap(), OWN);
}

#[test]
fn settings_that_are_not_json_are_left_alone() {
    let folder = folder();
    let file = folder.path().join("home/.claude/settings.json");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "{ // mine\n}").unwrap();
    let done = hook(folder.path(), &["install", "claude-code", "--user"]);
    assert_eq!(done.code, Some(1));
    assert!(done.err.contains("it is not JSON"), "{}", done.err);
    assert_eq!(fs::read_to_string(&file).unwrap(), "{ // mine\n}");
}

#[cfg(unix)]
#[test]
fn the_doctor_tries_what_is_installed() {
    let folder = folder();
    let before = hook(folder.path(), &["doctor", "claude-code"]);
    assert_eq!(before.code, Some(1));
    assert!(before.out.contains("not installed"), "{}", before.out);
    assert_eq!(hook(folder.path(), &["install", "claude-code", "--user"]).code, Some(0));
    let after = hook(folder.path(), &["doctor", "claude-code"]);
    assert_eq!(after.code, Some(0), "{}{}", after.out, after.err);
    assert!(after.out.contains("additionalContext") && after.out.contains("\"deny\""), "{}", after.out);
    assert!(!folder.path().join("home/.local/state").exists());

    fs::write(folder.path().join("loopbreak.toml"), "mode = \"off\"\n").unwrap();
    let off = hook(folder.path(), &["doctor", "claude-code"]);
    assert_eq!(off.code, Some(1));
    assert!(off.out.contains("does not answer as it should"), "{}", off.out);
}
