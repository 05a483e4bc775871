//! Calls that would change the guard, and calls that must not be stopped, in the dialects of all agents.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::OwnFiles;

const PYPROJECT: &str = "[project]\nname = \"x\"\ndependencies = [\"loopbreak==1\"]\n\n[tool.loopbreak]\nmode = \"enforce\"\n\n\
                         [tool.black]\nline-length = 88\n";
const HOOK: &str = r#"{"type": "command", "command": "loopbreak hook claude-code"}"#;

/// A home folder with a project in it, in a session that works in a folder of the project.
struct GuardedHome(tempfile::TempDir);

impl GuardedHome {
    fn new() -> Self {
        let home = GuardedHome(tempfile::tempdir().unwrap());
        let settings = format!(r#"{{"model": "x", "hooks": {{"Stop": [{{"hooks": [{HOOK}]}}]}}}}"#);
        for (name, text) in [
            ("config/loopbreak/loopbreak.toml", ""),
            ("state/loopbreak/loopbreak.db", ""),
            ("project/src/main.py", ""),
            ("project/loopbreak.toml", ""),
            ("project/pyproject.toml", PYPROJECT),
            ("project/.claude/settings.json", &settings),
            ("project/.gemini/settings.json", "{}"),
            ("project/.opencode/plugin/loopbreak.js", "const COMMAND = \"loopbreak hook opencode\"\n"),
        ] {
            let path = home.path(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    fn refuses(&self, tool: &str, args: &Value) -> bool {
        let (config, store) =
            (self.path("config/loopbreak/loopbreak.toml"), self.path("state/loopbreak/loopbreak.db"));
        let files = OwnFiles { user_config: Some(&config), store: Some(&store) };
        files.refuses(&self.path("project/src"), tool, args)
    }

    fn refuses_line(&self, line: &str) -> bool {
        let line = line.replace("HOME", self.0.path().to_str().unwrap());
        self.refuses("Bash", &json!({ "command": line }))
    }
}

#[test]
fn every_dialect_of_an_edit_of_the_configuration_is_refused() {
    let home = GuardedHome::new();
    let file = home.text("project/loopbreak.toml");
    let patch = format!("*** Begin Patch\n*** Update File: {file}\n@@\n-a\n+b\n*** End Patch");
    for (tool, args) in [
        ("Write", json!({"file_path": file, "content": "mode = \"off\""})),
        ("Edit", json!({"file_path": file, "old_string": "a", "new_string": "b"})),
        ("MultiEdit", json!({"file_path": file, "edits": [{"old_string": "a", "new_string": "b"}]})),
        ("write_file", json!({"file_path": "../loopbreak.toml", "content": "x"})),
        ("replace", json!({"file_path": file, "old_string": "a", "new_string": "b"})),
        ("write", json!({"filePath": file, "content": "x"})),
        ("edit", json!({"filePath": file, "oldString": "a", "newString": "b"})),
        ("edit", json!({"path": "../loopbreak.toml", "oldText": "a", "newText": "b"})),
        ("apply_patch", json!({"input": patch})),
        ("apply_patch", json!({"command": patch})),
        ("shell", json!({"command": ["apply_patch", patch]})),
        ("str_replace_editor", json!({"command": "create", "path": file, "file_text": "x"})),
        ("file_editor", json!({"command": "str_replace", "path": file, "old_str": "a", "new_str": "b"})),
        ("file_editor", json!({"command": "undo_edit", "path": file})),
        ("create", json!({"path": file, "file_text": "x"})),
        ("write_to_file", json!({"path": file, "content": "x"})),
        ("replace_in_file", json!({"path": file, "diff": "------- SEARCH\na\n=======\nb\n+++++++ REPLACE"})),
        ("delete_file", json!({"path": file})),
        ("mcp__fs__move_file", json!({"source": file, "destination": "/tmp/x"})),
        ("mcp__fs__write_file", json!({"path": format!("file://{file}"), "content": "x"})),
        ("run_commands", json!({"commands": ["ls", format!("rm {file}")]})),
        ("shell", json!({"command": ["bash", "-lc", format!("echo x > {file}")]})),
        ("run_shell_command", json!({"command": format!("echo x > {file}")})),
        ("terminal", json!({"command": format!("echo x > {file}"), "is_input": false})),
    ] {
        assert!(home.refuses(tool, &args), "{tool} {args}");
    }
}

#[test]
fn shell_commands_that_plainly_write_there_are_refused() {
    let home = GuardedHome::new();
    for line in [
        "echo 'mode = \"off\"' > ../loopbreak.toml",
        "echo x >> ../loopbreak.toml",
        "cd .. && echo x > loopbreak.toml",
        "cat > ../loopbreak.toml <<'EOF'\nmode = \"off\"\nEOF",
        "echo x | tee ../loopbreak.toml",
        "sed -i 's/enforce/off/' ../loopbreak.toml",
        "perl -pi -e 's/enforce/off/' ../loopbreak.toml",
        "cp /tmp/x ../loopbreak.toml",
        "cp /tmp/loopbreak.toml ..",
        "mv ../loopbreak.toml /tmp/",
        "ln -sf /tmp/x ../loopbreak.toml",
        "rm -f ../loopbreak.toml",
        "sudo rm ../loopbreak.toml",
        "sh -c 'rm ../loopbreak.toml'",
        "bash -euc 'rm ../loopbreak.toml'",
        "true; (rm ../loopbreak.toml)",
        "x=$(rm ../loopbreak.toml)",
        "echo x > HOME/config/loopbreak/loopbreak.toml",
        "echo '{}' > HOME/config/loopbreak/trusted.json",
        "chmod 666 HOME/config/loopbreak/loopbreak.toml",
        "rm -rf HOME/state/loopbreak",
        "rm HOME/state/loopbreak/*",
        "truncate -s 0 HOME/state/loopbreak/loopbreak.db",
        "loopbreak config trust --yes",
        "/usr/bin/loopbreak allow last",
        "LOOPBREAK=off loopbreak hook uninstall claude-code",
        "loopbreak tune logs/ --output ../loopbreak.toml",
    ] {
        assert!(home.refuses_line(line), "{line}");
    }
}

/// These calls must not be stopped: reading, other files, other folders, and words that only look alike.
#[test]
fn reading_and_other_files_are_never_refused() {
    let home = GuardedHome::new();
    let file = home.text("project/loopbreak.toml");
    for line in [
        "cat ../loopbreak.toml",
        "grep -n mode ../loopbreak.toml ../pyproject.toml",
        "cat ../loopbreak.toml > /tmp/copy.toml",
        "cp ../loopbreak.toml /tmp/copy.toml",
        "cat < ../loopbreak.toml",
        "diff ../loopbreak.toml /tmp/x 2>&1",
        "sed -n 1,20p ../loopbreak.toml",
        "perl -Mstrict -ne 'print if /mode/' ../loopbreak.toml",
        "cat > change.patch <<'EOF'\n--- a/loopbreak.toml\n+++ b/loopbreak.toml\nEOF",
        "git diff ../loopbreak.toml",
        "git add ../loopbreak.toml && git commit -m 'loopbreak allow last'",
        "echo 'loopbreak config trust' >> notes.md",
        "echo 'edit loopbreak.toml > here'",
        "cat > notes.md <<EOF\nloopbreak allow last\necho x > ../loopbreak.toml\nEOF",
        "loopbreak analyze logs/ --json > report.json",
        "loopbreak status; loopbreak log last",
        "loopbreak config check ../loopbreak.toml",
        "loopbreak config init",
        "loopbreak hook doctor",
        "loopbreak hook install claude-code",
        "cargo test -p loopbreak-config",
        "mkdir -p examples/foo && echo x > examples/foo/loopbreak.toml",
        "rm -rf target/loopbreak",
        "rm -rf HOME/state/other",
        "ls HOME/state/loopbreak HOME/config/loopbreak",
        "sed -i 's/loopbreak==1/loopbreak==2/' ../pyproject.toml",
        "echo x > $SOMEWHERE/loopbreak.toml",
        "jq '.model = \"y\"' ../.claude/settings.json > t && mv t ../.claude/settings.json",
        "sed -i 's/opus/sonnet/' ../.claude/settings.json",
        "rm ../.gemini/settings.json",
    ] {
        assert!(!home.refuses_line(line), "{line}");
    }
    for (tool, args) in [
        ("Read", json!({"file_path": file})),
        ("Grep", json!({"pattern": "mode", "path": file, "output_mode": "content"})),
        ("read_file", json!({"path": file})),
        ("file_editor", json!({"command": "view", "path": file})),
        ("search_file_content", json!({"pattern": "loopbreak", "path": "."})),
        (
            "Write",
            json!({"file_path": "README.md", "content": "Put this into loopbreak.toml: mode = \"off\""}),
        ),
        ("Write", json!({"file_path": "tests/fixtures/loopbreak.toml", "content": "mode = \"off\""})),
        ("Write", json!({"file_path": "/elsewhere/loopbreak.toml", "content": "x"})),
        ("Write", json!({"file_path": "loopbreak.rs", "content": "x"})),
        (
            "Edit",
            json!({"file_path": "docs/loopbreak.md", "old_string": "loopbreak allow", "new_string": "x"}),
        ),
        ("search_text", json!({"path": file, "text": "mode"})),
        ("Task", json!({"prompt": "read loopbreak.toml and tell me the mode"})),
    ] {
        assert!(!home.refuses(tool, &args), "{tool} {args}");
    }
}

#[test]
fn only_the_tables_of_loopbreak_are_protected_in_a_pyproject() {
    let home = GuardedHome::new();
    let file = home.text("project/pyproject.toml");
    let edit = |old: &str, new: &str| {
        home.refuses("Edit", &json!({"file_path": file, "old_string": old, "new_string": new}))
    };
    let write = |text: &str| home.refuses("Write", &json!({"file_path": file, "content": text}));
    let patch = |lines: &str| {
        let patch = format!("*** Begin Patch\n*** Update File: ../pyproject.toml\n{lines}\n*** End Patch");
        home.refuses("apply_patch", &json!({ "input": patch }))
    };
    assert!(edit("mode = \"enforce\"", "mode = \"off\""));
    assert!(edit(
        "line-length = 88",
        "line-length = 88\n[tool.zorkgpt.loop_break]\nenable_loop_detection = false"
    ));
    assert!(edit("[tool.loopbreak]", "[tool.loopbrake]"));
    assert!(write("[project]\nname = \"x\"\n"), "the table would be gone");
    assert!(patch("@@ [tool.loopbreak]\n-mode = \"enforce\"\n+mode = \"off\""));
    assert!(patch("@@\n-mode = \"enforce\"\n+mode = \"off\""));
    assert!(patch("@@\n+[tool.loopbreak.cycle]\n+mode = \"off\""));
    assert!(home.refuses_line("printf '[tool.loopbreak]\\nmode = \"off\"\\n' >> ../pyproject.toml"));
    assert!(home.refuses_line("rm ../pyproject.toml"));

    assert!(!edit("name = \"x\"", "name = \"y\""));
    assert!(!edit("loopbreak==1", "loopbreak==2"));
    assert!(!edit("line-length = 88", "line-length = 100"));
    assert!(!write(&PYPROJECT.replace("88", "100")));
    assert!(!patch("@@ [tool.black]\n-line-length = 88\n+line-length = 100"));
    assert!(!patch("@@\n dependencies = [\"loopbreak==1\"]\n+version = \"1\""));
    fs::write(&file, "[project]\nname = \"x\"\n").unwrap();
    assert!(!write("[project]\nname = \"y\"\n"));
    assert!(!home.refuses_line("rm ../pyproject.toml"));
}

#[test]
fn only_the_hooks_of_loopbreak_are_protected_in_the_settings_of_an_agent() {
    let home = GuardedHome::new();
    let file = home.text("project/.claude/settings.json");
    let before = fs::read_to_string(&file).unwrap();
    let write = |text: &str| home.refuses("Write", &json!({"file_path": file, "content": text}));
    let edit = |old: &str, new: &str| {
        home.refuses("Edit", &json!({"file_path": file, "old_string": old, "new_string": new}))
    };
    assert!(write("{}"));
    assert!(write(&before.replace("loopbreak hook claude-code", "true")));
    assert!(edit(HOOK, ""));
    assert!(edit("\"loopbreak hook claude-code\"", "\"LOOPBREAK=off loopbreak hook claude-code\""));
    for line in [
        "echo '{}' > ../.claude/settings.json",
        "rm ../.claude/settings.json",
        "rm -rf ../.opencode/plugin/loopbreak.js",
        "sed -i /loopbreak/d ../.claude/settings.json",
        "jq 'del(.hooks)' ../.claude/settings.json > t && mv t ../.claude/settings.json",
    ] {
        assert!(home.refuses_line(line), "{line}");
    }
    assert!(!write(&before.replace("\"x\"", "\"y\"")));
    assert!(!edit("\"model\": \"x\"", "\"model\": \"y\""));
    let gemini = home.text("project/.gemini/settings.json");
    assert!(
        !home.refuses("Write", &json!({"file_path": gemini, "content": "{\"theme\": \"x\"}"})),
        "no hook in it"
    );
    let plugin = home.text("project/.opencode/plugin/loopbreak.js");
    assert!(home.refuses("write", &json!({"filePath": plugin, "content": ""})));
}

#[test]
fn arguments_of_any_form_are_accepted() {
    let files = OwnFiles::default();
    for args in [
        json!(null),
        json!("loopbreak"),
        json!(["loopbreak.toml"]),
        json!({"command": {"x": "loopbreak"}}),
        json!({"command": ["loopbreak", 3]}),
        json!({"path": 3, "content": "loopbreak"}),
        json!({"path": "", "content": "loopbreak"}),
        json!({"path": "\0loopbreak.toml", "content": "x"}),
        json!({"command": format!("echo {} > loopbreak", "(".repeat(10_000))}),
    ] {
        files.refuses(Path::new("/nowhere"), "x", &args);
    }
}
