//! A server of `loopbreak serve`, and requests to it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::chore_failure::ChoreFailure;

/// A running server. It ends with this value.
pub(super) struct ServedDashboard {
    process: Child,
    pub(super) address: String,
}

impl ServedDashboard {
    /// Starts a server whose files are in a folder.
    pub(super) fn start(program: &Path, folder: &Path) -> Result<Self, ChoreFailure> {
        let mut process = Command::new(program)
            .args(["serve", "--http", "127.0.0.1:0", "--no-token", "--store"])
            .arg(folder.join("service.db"))
            .env("XDG_CONFIG_HOME", folder.join("config"))
            .env("XDG_STATE_HOME", folder.join("state"))
            .current_dir(folder)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| ChoreFailure::io("start the server", &error))?;
        let mut lines = String::new();
        if let Some(stderr) = process.stderr.take() {
            let mut stderr = BufReader::new(stderr);
            while !lines.contains("http://") && stderr.read_line(&mut lines).is_ok_and(|count| count > 0) {}
        }
        let address = lines.split("http://").nth(1).and_then(|rest| rest.split_whitespace().next());
        let address = address.unwrap_or_default().to_owned();
        let server = ServedDashboard { process, address };
        if server.address.is_empty() {
            return Err(ChoreFailure::Failed(format!("the server does not start: {lines}")));
        }
        Ok(server)
    }

    /// Sends a request about a project, and returns the answer.
    pub(super) fn request(
        &self,
        method: &str,
        path: &str,
        project: &str,
        body: &Value,
    ) -> Result<Value, ChoreFailure> {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nLoopbreak-Project: {project}\r\nContent-Type: application/json\r\n\
             Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        let failed = |error| ChoreFailure::io(format_args!("{method} {path}"), &error);
        let mut stream = TcpStream::connect(&self.address).map_err(failed)?;
        stream.write_all(request.as_bytes()).map_err(failed)?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).map_err(failed)?;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
        if !head.starts_with("HTTP/1.1 200") {
            return Err(ChoreFailure::Failed(format!("{method} {path}: {answer}")));
        }
        serde_json::from_str(body)
            .map_err(|error| ChoreFailure::Failed(format!("{method} {path}: {error}: {body}")))
    }
}

impl Drop for ServedDashboard {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
