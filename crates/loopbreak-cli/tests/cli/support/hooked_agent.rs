//! An agent that is not related to the test, as one in another terminal, and that reports to hooks.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// A time limit that no test reaches, even on a busy machine.
const LONG: Duration = Duration::from_mins(2);

/// A script that calls hooks as Claude Code does, again and again. It ends when this is dropped.
pub(crate) struct HookedAgent {
    pub(crate) pid: u32,
}

impl HookedAgent {
    /// Starts the agent of a session, and waits until a hook has recorded it.
    pub(crate) fn start(folder: &Path, session: &str) -> Self {
        let program = assert_cmd::cargo::cargo_bin!("loopbreak");
        let event = format!(
            r#"{{"session_id":"{session}","hook_event_name":"PostToolUse","cwd":"{}","tool_name":"Read","tool_input":{{"file_path":"x'"$N"'"}},"tool_use_id":"t'"$N"'","tool_response":{{"stdout":"ok '"$N"'"}}}}"#,
            folder.display()
        );
        let script = format!(
            "N=0; while :; do N=$((N+1)); printf '%s' '{event}' | {} hook claude-code; echo $N > ticks; sleep 0.1; done\n",
            program.display()
        );
        fs::write(folder.join("agent.sh"), script).unwrap();
        let line = "setsid sh agent.sh </dev/null >/dev/null 2>errors & echo $!";
        let output = Command::new("sh")
            .args(["-c", line])
            .current_dir(folder)
            .env("XDG_STATE_HOME", folder.join("state"))
            .env("LOOPBREAK_HOOK_TIMEOUT", "9000")
            .output()
            .unwrap();
        let pid = String::from_utf8(output.stdout).unwrap().trim().parse().unwrap();
        let agent = HookedAgent { pid };
        wait_for(|| ticks(folder) >= 2);
        agent
    }
}

impl Drop for HookedAgent {
    fn drop(&mut self) {
        let _ = Command::new("kill").args(["-9", "--", &format!("-{}", self.pid)]).output();
    }
}

/// Returns the number of hooks that the agent has called.
pub(crate) fn ticks(folder: &Path) -> u64 {
    fs::read_to_string(folder.join("ticks")).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}

/// Returns the state of a process, such as `S` or `T`; `Z` if it has ended.
pub(crate) fn process_state(pid: u32) -> char {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().and_then(|rest| rest.chars().next()).unwrap_or('Z')
}

pub(crate) fn wait_for(mut is_reached: impl FnMut() -> bool) {
    let end = Instant::now() + LONG;
    while !is_reached() {
        assert!(Instant::now() < end, "waited too long");
        thread::sleep(Duration::from_millis(10));
    }
}
