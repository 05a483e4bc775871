//! `hook doctor --live` starts the agent itself, in a home folder of its own, against a scripted model.
//!
//! The agents here are shell scripts on the PATH that talk to the model and to their hooks as Claude Code does.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::agents::LONG;
use crate::support::{FinishedProgram, done, folder, loopbreak};

/// An agent that asks the model, makes the calls that it wants, and calls its hooks before and after each.
const AGENT: &str = r#"
export LC_ALL=C
address=${ANTHROPIC_BASE_URL#http://}
hook=$(sed -n 's/.*"command": "\(.*\)",*$/\1/p' "$HOME/.claude/settings.json" | head -n 1)
event() {
  printf '{"hook_event_name":"%s","session_id":"s","cwd":"%s","prompt_id":"p","prompt":"go","tool_name":"Bash",
    "tool_input":{"command":"sh build.sh"},"tool_use_id":"t%s","error":"%s"}' "$1" "$PWD" "$calls" "$2" | sh -c "$hook"
}
calls=0
event UserPromptSubmit
messages="{\"role\":\"user\",\"content\":\"$2\"}"
while :; do
  body="{\"tools\":[{\"name\":\"Bash\"}],\"messages\":[$messages]}"
  exec 3<>"/dev/tcp/${address%:*}/${address#*:}"
  printf 'POST /v1/messages HTTP/1.1\r\nContent-Length: %s\r\n\r\n%s' "${#body}" "$body" >&3
  reply=$(cat <&3)
  exec 3>&-
  case $reply in *tool_use*) ;; *) exit 0 ;; esac
  calls=$((calls + 1))
  answer=$(event PreToolUse)
  case $answer in *deny*) ;; *) answer=$(event PostToolUseFailure "$(sh build.sh 2>&1)") ;; esac
  messages="$messages,{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"content\":\"failed\"}],\"hook\":${answer:-null}}"
done
"#;

/// A user with an agent on the PATH.
struct LiveHome(tempfile::TempDir);

impl LiveHome {
    fn new(agent: &str) -> Self {
        let home = LiveHome(folder());
        for name in ["home", "project", "bin", "tmp"] {
            fs::create_dir(home.path(name)).unwrap();
        }
        let program = home.path("bin/claude");
        let notes = home.path("notes").display().to_string();
        fs::write(&program, format!("#!/bin/bash\n{}", agent.replace("NOTES", &notes))).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn environment(&self) -> [(&'static str, PathBuf); 4] {
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", self.path("bin").display());
        [
            ("HOME", self.path("home")),
            ("PATH", path.into()),
            ("TMPDIR", self.path("tmp")),
            ("ANTHROPIC_API_KEY", "the-key-of-the-user".into()),
        ]
    }

    fn doctor(&self, args: &[&str]) -> FinishedProgram {
        let mut command = loopbreak(&self.path("project"));
        done(command.args(["hook", "doctor", "--live"]).args(args).envs(self.environment()).timeout(LONG))
    }

    fn is_clean(&self) -> bool {
        fs::read_dir(self.path("tmp")).unwrap().count() == 0
    }
}

fn install(home: &LiveHome) {
    let mut command = loopbreak(&home.path("project"));
    let install = done(command.args(["hook", "install", "claude-code", "--user"]).envs(home.environment()));
    assert_eq!(install.code, Some(0), "{}", install.err);
}

#[test]
fn the_hook_of_a_real_agent_is_seen_to_fire() {
    let home = LiveHome::new(&format!("env > 'NOTES'\n{AGENT}"));
    install(&home);
    let settings = fs::read_to_string(home.path("home/.claude/settings.json")).unwrap();
    let trial = home.doctor(&["claude-code"]);
    assert_eq!(trial.code, Some(0), "{}{}", trial.out, trial.err);
    let line = trial.out.lines().find(|line| line.contains("live, ")).unwrap();
    assert!(
        line.starts_with("  ok") && line.ends_with("8 calls, told at call 3, refused at call 8"),
        "{line}"
    );
    assert!(trial.err.contains("starting Claude Code with a scripted model"), "{}", trial.err);

    let notes = fs::read_to_string(home.path("notes")).unwrap();
    assert!(!notes.contains("the-key-of-the-user"), "{notes}");
    assert!(!notes.contains(&format!("HOME={}", home.path("home").display())), "{notes}");
    assert!(notes.contains("ANTHROPIC_BASE_URL=http://127.0.0.1:"), "{notes}");
    assert!(home.is_clean());
    assert_eq!(fs::read_to_string(home.path("home/.claude/settings.json")).unwrap(), settings);
    assert!(!home.path("home/.local").exists());

    let all = home.doctor(&[]);
    assert_eq!(all.code, Some(0), "{}{}", all.out, all.err);
    assert!(all.out.contains("told at call 3, refused at call 8"), "{}", all.out);
}

#[test]
fn an_agent_that_does_not_call_its_hooks_fails_the_trial() {
    let home = LiveHome::new(&AGENT.replace("hook=$(", "hook=true; unused=$("));
    install(&home);
    let trial = home.doctor(&["claude-code"]);
    assert_eq!(trial.code, Some(1), "{}{}", trial.out, trial.err);
    assert!(trial.out.contains("12 calls, told never, refused never"), "{}", trial.out);
    assert!(trial.out.contains("the agent did not call the hook"), "{}", trial.out);
    assert!(home.is_clean());
}

#[test]
fn the_last_words_of_an_agent_that_does_not_start_are_shown() {
    let home = LiveHome::new("printf 'no \\033[31mNode\\033[0m here\\nsorry\\n' >&2\nexit 3\n");
    install(&home);
    let trial = home.doctor(&["claude-code"]);
    assert_eq!(trial.code, Some(1), "{}{}", trial.out, trial.err);
    assert!(trial.out.contains("the agent did not ask the model anything"), "{}", trial.out);
    assert!(trial.out.contains("Node") && trial.out.contains("    sorry"), "{}", trial.out);
    assert!(!trial.out.contains('\u{1b}'), "{:?}", trial.out);
}

#[test]
fn an_agent_that_is_not_there_cannot_be_started() {
    let home = LiveHome::new("exit 0\n");
    let trial = home.doctor(&["gemini"]);
    assert_eq!(trial.code, Some(1));
    assert!(trial.err.contains("`gemini` is not on the PATH"), "{}", trial.err);
}

fn is_running(pid: &str) -> bool {
    Command::new("kill").args(["-0", pid]).stderr(Stdio::null()).status().unwrap().success()
}

fn wait_until(what: &str, is_true: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_true() {
        assert!(began.elapsed() < LONG, "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

fn pid_in(notes: &Path) -> Option<String> {
    let text = fs::read_to_string(notes).ok()?;
    text.ends_with('\n').then(|| text.trim().to_owned())
}

#[test]
fn an_interrupt_ends_the_agent_and_what_it_started() {
    let home = LiveHome::new("sleep 600 &\necho $! > 'NOTES'\nwait\n");
    let child = Command::new(assert_cmd::cargo::cargo_bin!("loopbreak"))
        .args(["hook", "doctor", "claude-code", "--live"])
        .env_clear()
        .envs(home.environment())
        .current_dir(home.path("project"))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let notes = home.path("notes");
    wait_until("the agent does not start", || pid_in(&notes).is_some());
    let pid = pid_in(&notes).unwrap();
    assert!(is_running(&pid));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stdout));
    wait_until("a process was left behind", || !is_running(&pid));
    assert!(home.is_clean());
}
