//! `hook doctor` checks the settings of the agent, the PATH and the configuration, beside the answers.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{FinishedProgram, done, folder, loopbreak};

/// A user with a home folder, a project, and a PATH of one folder.
struct DoctorHome(tempfile::TempDir);

impl DoctorHome {
    fn new() -> Self {
        let home = DoctorHome(folder());
        for name in ["home", "project", "bin"] {
            fs::create_dir(home.0.path().join(name)).unwrap();
        }
        home
    }

    /// With `loopbreak` on the PATH.
    fn with_program() -> Self {
        let home = DoctorHome::new();
        symlink(assert_cmd::cargo::cargo_bin!("loopbreak"), home.path("bin/loopbreak")).unwrap();
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        fs::canonicalize(self.0.path()).unwrap().join(name)
    }

    fn write(&self, name: &str, text: impl AsRef<str>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text.as_ref()).unwrap();
    }

    fn command(&self, args: &[&str]) -> assert_cmd::Command {
        let mut command = loopbreak(&self.path("project"));
        command.arg("hook").args(args).env("HOME", self.path("home")).env("PATH", self.path("bin"));
        command
    }

    fn hook(&self, args: &[&str]) -> FinishedProgram {
        done(&mut self.command(args))
    }

    fn install(&self, args: &[&str]) {
        let done = self.hook(&[&["install"], args].concat());
        assert_eq!(done.code, Some(0), "{}", done.err);
    }

    /// Returns what doctor says. It must end with this code.
    fn doctor(&self, args: &[&str], code: i32) -> String {
        let done = self.hook(&[&["doctor"], args].concat());
        assert_eq!(done.code, Some(code), "{}{}", done.out, done.err);
        done.out
    }
}

fn change(path: &Path, change: impl FnOnce(&mut Value)) {
    let mut settings = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    change(&mut settings);
    fs::write(path, settings.to_string()).unwrap();
}

#[test]
fn a_sound_installation_has_only_good_news() {
    for agent in ["claude-code", "gemini", "qwen", "opencode"] {
        let home = DoctorHome::with_program();
        home.install(&[agent, "--user"]);
        let out = home.doctor(&[agent], 0);
        assert!(!out.contains("warning") && !out.contains("problem"), "{agent}: {out}");
        assert!(out.contains("the command is this program, version "), "{agent}: {out}");
    }
}

#[test]
fn another_program_on_the_path_is_named_and_not_run() {
    let home = DoctorHome::new();
    let started = home.path("STARTED");
    home.write("bin/loopbreak", format!("#!/bin/sh\n: > '{}'\n", started.display()));
    fs::set_permissions(home.path("bin/loopbreak"), fs::Permissions::from_mode(0o755)).unwrap();
    home.install(&["claude-code", "--user"]);
    let out = home.doctor(&["claude-code"], 0);
    assert!(out.contains("warning  `loopbreak` on the PATH is another program"), "{out}");
    home.install(&["claude-code"]);
    let out = home.doctor(&["claude-code"], 1);
    assert!(out.contains("problem  the installed command calls another program"), "{out}");
    assert!(!started.exists());
}

#[test]
fn a_program_that_is_gone_or_cannot_be_run_is_named() {
    let home = DoctorHome::with_program();
    let gone = home.path("old/loopbreak");
    let hooks = json!([{"hooks": [{"type": "command", "command": format!("{} hook qwen", gone.display())}]}]);
    home.write("project/.qwen/settings.json", json!({"hooks": {"Stop": hooks}}).to_string());
    let out = home.doctor(&["qwen"], 1);
    assert!(out.contains("problem  the program does not exist: "), "{out}");
    home.write("old/loopbreak", "");
    let out = home.doctor(&["qwen"], 1);
    assert!(out.contains("problem  the program cannot be run: "), "{out}");
}

#[test]
fn an_installation_of_an_older_version_is_named() {
    let home = DoctorHome::with_program();
    home.install(&["claude-code"]);
    change(&home.path("project/.claude/settings.json"), |settings| {
        settings["hooks"].as_object_mut().unwrap().remove("PostToolBatch");
    });
    let out = home.doctor(&["claude-code"], 0);
    assert!(out.contains("warning  events without a hook: PostToolBatch\n"), "{out}");
    assert!(out.contains("run `loopbreak hook install claude-code` again"), "{out}");

    home.install(&["opencode", "--user"]);
    let plugin = home.path("home/.config/opencode/plugin/loopbreak.js");
    let text = fs::read_to_string(&plugin).unwrap();
    fs::write(&plugin, format!("{text}// older\n")).unwrap();
    let out = home.doctor(&["opencode"], 0);
    assert!(out.contains("warning  the installed file is not that of this version"), "{out}");
}

#[test]
fn two_installations_are_named_with_the_way_to_remove_one() {
    let home = DoctorHome::with_program();
    home.install(&["claude-code"]);
    home.install(&["claude-code", "--user"]);
    change(&home.path("home/.claude/settings.json"), |settings| {
        settings["enabledPlugins"] = json!({"loopbreak@loopbreak": true, "other@x": true});
    });
    let out = home.doctor(&["claude-code"], 0);
    assert!(out.contains("warning  installed 3 times: .claude/settings.json, "), "{out}");
    for removal in [
        "`loopbreak hook uninstall claude-code`",
        "`loopbreak hook uninstall claude-code --user`",
        "`claude plugin uninstall loopbreak@loopbreak`",
    ] {
        assert!(out.contains(removal), "{removal}: {out}");
    }
}

#[test]
fn a_plugin_alone_is_an_installation() {
    let home = DoctorHome::with_program();
    home.write("home/.claude/settings.json", json!({"enabledPlugins": {"loopbreak@x": true}}).to_string());
    home.write("home/.gemini/extensions/loopbreak/gemini-extension.json", "{}");
    home.write("home/.codex/config.toml", "[plugins.\"loopbreak@x\"]\nenabled = true\n");
    for agent in ["claude-code", "gemini", "codex"] {
        let out = home.doctor(&[agent], 0);
        assert!(out.contains("ok       installed as a plugin: "), "{agent}: {out}");
        assert!(out.contains("ok       `loopbreak` on the PATH is this program: "), "{agent}: {out}");
    }
    fs::remove_file(home.path("bin/loopbreak")).unwrap();
    let out = home.doctor(&["codex"], 1);
    assert!(out.contains("problem  `loopbreak` is not on the PATH, so the plugin cannot call it"), "{out}");
    home.write("home/.codex/config.toml", "[plugins.\"loopbreak@x\"]\nenabled = false\n");
    assert!(home.doctor(&["codex"], 1).contains("not installed"));
}

#[test]
fn codex_hooks_that_are_not_trusted_are_named() {
    let home = DoctorHome::with_program();
    home.install(&["codex"]);
    let out = home.doctor(&["codex"], 0);
    assert!(out.contains("warning  this project is not trusted"), "{out}");
    assert!(
        out.contains("skips without a word: PostCompact, PostToolUse, PreToolUse, SessionEnd, Stop"),
        "{out}"
    );
    assert!(out.contains("trust them with /hooks"), "{out}");

    let (project, file) = (home.path("project"), home.path("project/.codex/hooks.json"));
    let mut config = format!("[projects.\"{}\"]\ntrust_level = \"trusted\"\n", project.display());
    let events = [
        "pre_tool_use",
        "post_tool_use",
        "post_compact",
        "user_prompt_submit",
        "stop",
        "subagent_stop",
        "session_end",
    ];
    for event in events {
        let key = format!("{}:{event}:0:0", file.display());
        writeln!(config, "[hooks.state.\"{key}\"]\ntrusted_hash = \"sha256:00\"").unwrap();
    }
    home.write("home/.codex/config.toml", &config);
    let out = home.doctor(&["codex"], 0);
    assert!(out.contains("ok       Codex CLI has a trusted hash for every hook"), "{out}");
    assert!(!out.contains("warning"), "{out}");

    // A hook of the user in front of it moves it to another place, which nobody has reviewed.
    change(&file, |settings| {
        let mine = json!({"hooks": [{"type": "command", "command": "mine"}]});
        settings["hooks"]["Stop"].as_array_mut().unwrap().insert(0, mine);
    });
    let out = home.doctor(&["codex"], 0);
    assert!(out.contains("skips without a word: Stop\n"), "{out}");
    home.write("home/.codex/config.toml", format!("{config}[features]\nhooks = false\n"));
    assert!(home.doctor(&["codex"], 1).contains("problem  Codex CLI runs no hooks"));
}

#[test]
fn gemini_project_hooks_in_a_folder_that_is_not_trusted_are_named() {
    let home = DoctorHome::with_program();
    home.install(&["gemini"]);
    let out = home.doctor(&["gemini"], 0);
    assert!(out.contains("warning  this folder is not trusted yet"), "{out}");
    let trusted = done(home.command(&["doctor", "gemini"]).env("GEMINI_CLI_TRUST_WORKSPACE", "true"));
    assert!(!trusted.out.contains("warning"), "{}", trusted.out);
    let rules = json!({home.path("").display().to_string(): "TRUST_FOLDER"});
    home.write("home/.gemini/trustedFolders.json", rules.to_string());
    assert!(!home.doctor(&["gemini"], 0).contains("warning"));
    let rules = json!({home.path("project").display().to_string(): "DO_NOT_TRUST"});
    home.write("home/.gemini/trustedFolders.json", rules.to_string());
    assert!(home.doctor(&["gemini"], 0).contains("warning  you have chosen not to trust this folder"));
    home.write("home/.gemini/settings.json", r#"{"security": {"folderTrust": {"enabled": false}}}"#);
    assert!(!home.doctor(&["gemini"], 0).contains("warning"));
    home.write("home/.gemini/settings.json", r#"{"hooksConfig": {"disabled": ["loopbreak"]}}"#);
    assert!(
        home.doctor(&["gemini"], 1).contains("problem  the hooks are switched off: hooksConfig.disabled")
    );
}

#[test]
fn qwen_asks_for_trust_only_if_it_is_told_to() {
    let home = DoctorHome::with_program();
    home.install(&["qwen"]);
    assert!(!home.doctor(&["qwen"], 0).contains("warning"));
    home.write("home/.qwen/settings.json", r#"{"security": {"folderTrust": {"enabled": true}}}"#);
    assert!(home.doctor(&["qwen"], 0).contains("warning  this folder is not trusted"));
    home.write("home/.qwen/settings.json", r#"{"disableAllHooks": true}"#);
    assert!(home.doctor(&["qwen"], 1).contains("problem  Qwen Code runs no hooks"));
}

#[test]
fn switches_and_trust_of_claude_code_are_named() {
    let home = DoctorHome::with_program();
    home.install(&["claude-code", "--user"]);
    home.write("home/.claude.json", r#"{"projects": {}}"#);
    assert!(home.doctor(&["claude-code"], 0).contains("warning  this folder is not trusted yet"));
    let parent = home.path("");
    let parent = parent.display().to_string();
    let parent = parent.trim_end_matches('/');
    home.write(
        "home/.claude.json",
        json!({"projects": {parent: {"hasTrustDialogAccepted": true}}}).to_string(),
    );
    assert!(!home.doctor(&["claude-code"], 0).contains("warning"));
    home.write("project/.claude/settings.json", r#"{"disableAllHooks": true}"#);
    assert!(home.doctor(&["claude-code"], 1).contains("problem  Claude Code runs no hooks"));
    home.write("project/.claude/settings.local.json", r#"{"disableAllHooks": false}"#);
    assert!(!home.doctor(&["claude-code"], 0).contains("problem"));
}

#[test]
fn a_guard_that_is_switched_off_is_named() {
    let home = DoctorHome::with_program();
    home.install(&["claude-code"]);
    let off = done(home.command(&["doctor", "claude-code"]).env("LOOPBREAK", "off"));
    assert_eq!(off.code, Some(1));
    assert!(off.out.contains("problem  the guard is switched off: LOOPBREAK=off is set"), "{}", off.out);
    let own = "home/.config/loopbreak/loopbreak.toml";
    home.write(own, "mode = \"off\"\n");
    assert!(
        home.doctor(&["claude-code"], 1).contains("problem  the guard is switched off: the configuration")
    );
    home.write(own, "mode = \"observe\"\n");
    let out = home.doctor(&["claude-code"], 0);
    assert!(out.contains("warning  the guard says nothing to the agent"), "{out}");
    let broken = done(home.command(&["doctor", "claude-code"]).env("LOOPBREAK_MODE", "3"));
    assert!(
        broken.out.contains("warning  the environment variable LOOPBREAK_MODE is not used"),
        "{}",
        broken.out
    );
    home.write(own, "mode = 3\n");
    home.write("project/loopbreak.toml", "mode = \"off\"\n");
    let out = home.doctor(&["claude-code"], 0);
    let warned = out.lines().filter(|line| line.contains("warning") && line.contains("not used"));
    assert_eq!(warned.count(), 2, "both files: {out}");
}

#[test]
fn settings_that_cannot_be_read_do_not_stop_the_doctor() {
    let home = DoctorHome::with_program();
    home.install(&["gemini", "--user"]);
    home.write("project/.gemini/settings.json", "{ // mine\n}");
    let out = home.doctor(&["gemini"], 0);
    assert!(out.contains("warning  cannot check .gemini/settings.json: it is not valid JSON"), "{out}");
    let pipe = home.path("project/.claude/settings.json");
    fs::create_dir_all(pipe.parent().unwrap()).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let out = home.doctor(&["claude-code"], 1);
    assert!(out.contains("it is not a file"), "{out}");
    let install = home.hook(&["install", "claude-code"]);
    assert_eq!(install.code, Some(1));
    assert!(install.err.contains("it is not a file"), "{}", install.err);
}

/// The script `install.sh` puts the program into a folder that is not on every PATH. The hooks of a project then called
/// nothing, and nobody said so.
#[test]
fn install_warns_if_the_agent_cannot_call_the_program() {
    let home = DoctorHome::new();
    for (args, warning) in [
        (&["install", "claude-code", "--user"][..], ""),
        (
            &["install", "claude-code", "--dry-run"],
            "`loopbreak` is not on the PATH, so the hooks do nothing yet: add /",
        ),
        (&["install", "claude-code"], "`loopbreak` is not on the PATH, so the hooks do nothing yet: add /"),
        (&["uninstall", "claude-code"], ""),
    ] {
        let done = home.hook(args);
        assert_eq!(done.code, Some(0), "{}", done.err);
        let is_right = if warning.is_empty() {
            done.err.is_empty()
        } else {
            done.err.starts_with(&format!("warning: {warning}"))
        };
        assert!(is_right, "{args:?}: {}", done.err);
    }
    let home = DoctorHome::with_program();
    assert_eq!(home.hook(&["install", "claude-code"]).err, "");
    let home = DoctorHome::new();
    home.write("bin/loopbreak", "#!/bin/sh\n");
    fs::set_permissions(home.path("bin/loopbreak"), fs::Permissions::from_mode(0o755)).unwrap();
    let other = home.hook(&["install", "claude-code"]).err;
    assert!(
        other
            .starts_with("warning: `loopbreak` on the PATH is another program, which the hooks will call: /"),
        "{other}"
    );
}
