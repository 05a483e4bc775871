//! Simulated sessions of agents that report events to hooks.

#![allow(clippy::needless_pass_by_value, reason = "literals read better without a reference")]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{FinishedProgram, done, folder, loopbreak};

/// A project with the state folder of its user.
pub(crate) struct HookHome(tempfile::TempDir);

impl HookHome {
    pub(crate) fn new() -> Self {
        HookHome(folder())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.path().join("state/loopbreak/loopbreak.db")
    }

    pub(crate) fn command(&self, args: &[&str]) -> assert_cmd::Command {
        let mut command = loopbreak(self.path());
        // A busy machine may take longer than an agent should wait.
        command.env("LOOPBREAK_HOOK_TIMEOUT", "9000");
        command
            .args(args)
            .env("XDG_STATE_HOME", self.path().join("state"))
            .env("XDG_CONFIG_HOME", self.path().join("config"));
        command
    }

    /// Writes the user's own configuration.
    pub(crate) fn configure(&self, text: &str) {
        let folder = self.path().join("config/loopbreak");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("loopbreak.toml"), text).unwrap();
    }

    pub(crate) fn send_raw(&self, agent: &str, event: impl Into<Vec<u8>>) -> FinishedProgram {
        done(self.command(&["hook", agent]).write_stdin(event))
    }

    /// Returns the answer to an event, or null if there is none.
    pub(crate) fn send(&self, event: &Value) -> Value {
        let done = self.send_raw("claude-code", event.to_string());
        assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{event}");
        if done.out.is_empty() { Value::Null } else { serde_json::from_str(&done.out).unwrap() }
    }

    pub(crate) fn session<'a>(&'a self, id: &'a str) -> HookSession<'a> {
        HookSession { home: self, id, agent: None, transcript: "/nowhere.jsonl" }
    }

    pub(crate) fn json(&self, args: &[&str]) -> Vec<Value> {
        let done = done(&mut self.command(args));
        assert_eq!(done.code, Some(0), "{}", done.err);
        serde_json::Deserializer::from_str(&done.out).into_iter().map(Result::unwrap).collect()
    }
}

/// A session of an agent or of one of its subagents.
#[derive(Clone, Copy)]
pub(crate) struct HookSession<'a> {
    pub(crate) home: &'a HookHome,
    pub(crate) id: &'a str,
    pub(crate) agent: Option<&'a str>,
    /// Path of the transcript.
    pub(crate) transcript: &'a str,
}

impl HookSession<'_> {
    pub(crate) fn event(&self, name: &str, extra: Value) -> Value {
        let mut event = json!({"session_id": self.id, "hook_event_name": name, "cwd": self.home.path(),
                               "transcript_path": self.transcript, "permission_mode": "default"});
        if let Some(agent) = self.agent {
            event["agent_id"] = agent.into();
        }
        event.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        event
    }

    pub(crate) fn tool(&self, name: &str, tool: &str, input: &Value, extra: Value) -> Value {
        let mut event =
            self.event(name, json!({"tool_name": tool, "tool_input": input, "tool_use_id": "t1"}));
        event.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        event
    }

    pub(crate) fn propose(&self, command: &str) -> Value {
        self.home.send(&self.tool("PreToolUse", "Bash", &json!({"command": command}), json!({})))
    }

    /// Proposes a call again, after the agent has read the refusal.
    pub(crate) fn insist(&self, command: &str) -> Value {
        self.home.send(&self.event("PostToolBatch", json!({"tool_calls": []})));
        self.propose(command)
    }

    pub(crate) fn finish(&self, command: &str) -> Value {
        let response = json!({"tool_response": {"stdout": "1 failed", "stderr": "", "interrupted": false}});
        self.home.send(&self.tool("PostToolUse", "Bash", &json!({"command": command}), response))
    }

    pub(crate) fn prompt(&self, text: &str) -> Value {
        self.home.send(&self.event("UserPromptSubmit", json!({"prompt": text})))
    }

    /// Makes the same call until it is refused, and returns the number of that call.
    pub(crate) fn call_until_denied(&self, command: &str) -> u32 {
        for call in 1..=12 {
            if decision(&self.propose(command)) == "deny" {
                return call;
            }
            self.finish(command);
        }
        panic!("never refused");
    }
}

pub(crate) fn decision(answer: &Value) -> String {
    answer["hookSpecificOutput"]["permissionDecision"].as_str().unwrap_or_default().to_owned()
}

/// Returns the context that the agent gets with a result.
pub(crate) fn advice(answer: &Value) -> Option<&str> {
    answer["hookSpecificOutput"]["additionalContext"].as_str()
}
