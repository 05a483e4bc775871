//! A client of the MCP server over standard input and output.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::attack_lab::AttackHome;
use super::http_client::INITIALIZE;
use super::limited_command::LimitedProgram;
use crate::chore_failure::ChoreFailure;

/// A conversation with a server.
pub(super) struct McpDialog {
    program: LimitedProgram,
    received: Vec<u8>,
    time: Duration,
}

impl McpDialog {
    /// Starts a server and says nothing yet.
    pub(super) fn open(home: &AttackHome<'_>) -> Result<Self, ChoreFailure> {
        let program = home.loopbreak("mcp").stays_open().start()?;
        Ok(McpDialog { program, received: Vec::new(), time: home.lab.seconds(20) })
    }

    /// Starts a server and opens a session.
    pub(super) fn initialized(home: &AttackHome<'_>) -> Result<Self, ChoreFailure> {
        let mut dialog = McpDialog::open(home)?;
        dialog.say(INITIALIZE)?;
        dialog.answer(|_| true)?;
        dialog.say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)?;
        Ok(dialog)
    }

    /// Sends a line.
    pub(super) fn say(&mut self, line: &str) -> Result<(), ChoreFailure> {
        self.program.write(format!("{line}\n").as_bytes())
    }

    /// Calls a tool, and returns the line of the answer.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Result<String, ChoreFailure> {
        let params = json!({"name": tool, "arguments": arguments});
        self.say(&json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": params}).to_string())?;
        self.answer(|answer| answer["id"] == 9)
    }

    /// Returns the next line for which a condition holds.
    pub(super) fn answer(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Result<String, ChoreFailure> {
        let started = Instant::now();
        loop {
            while let Some(end) = self.received.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.received.drain(..=end).collect();
                let line = String::from_utf8_lossy(&line).into_owned();
                if serde_json::from_str(&line).is_ok_and(|value: Value| is_wanted(&value)) {
                    return Ok(line);
                }
            }
            let left = self.time.saturating_sub(started.elapsed());
            let more = self.program.next_output(left);
            let more = more.ok_or_else(|| ChoreFailure::Failed("the server does not answer".to_owned()))?;
            self.received.extend(more);
        }
    }
}
