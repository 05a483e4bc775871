//! A server of `loopbreak mcp --http`, and requests as they go over the wire.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

/// Time in which every answer has to come, also on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running server. It is killed when it is dropped.
pub(crate) struct ServedMcp {
    pub(crate) process: Child,
    stderr: BufReader<ChildStderr>,
    pub(crate) address: String,
    /// The token that the server made up.
    pub(crate) token: Option<String>,
}

/// The answer to a request.
#[derive(Debug)]
pub(crate) struct HttpAnswer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl ServedMcp {
    /// Starts a server whose store is below a folder, with at most this many open files.
    pub(crate) fn start(folder: &Path, open_files: u32, args: &[&str]) -> Self {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &format!("ulimit -n {open_files}; exec \"$0\" mcp --http 127.0.0.1:0 \"$@\"")]);
        command.arg(assert_cmd::cargo::cargo_bin!("loopbreak")).args(args).current_dir(folder).env_clear();
        command.env("XDG_STATE_HOME", folder.join("state")).stdin(Stdio::null()).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut stderr = BufReader::new(process.stderr.take().unwrap());
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        let address = line.split("http://").nth(1).and_then(|rest| rest.split("/mcp").next());
        let address = address.unwrap_or_else(|| panic!("{line}")).to_owned();
        let token = std::fs::read_to_string(folder.join("state/loopbreak/mcp-token")).ok();
        let token = token.map(|token| token.trim().to_owned());
        ServedMcp { process, stderr, address, token }
    }

    /// Returns the next line that the server prints.
    pub(crate) fn next_line(&mut self) -> String {
        let mut line = String::new();
        self.stderr.read_line(&mut line).unwrap();
        line
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Returns the head of a request with a body, with the token of the server.
    pub(crate) fn head(&self, extra: &str, length: usize) -> String {
        let token = self.token.as_ref().map(|token| format!("Authorization: Bearer {token}\r\n"));
        format!(
            "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n{}{extra}Content-Length: {length}\r\n\r\n",
            token.unwrap_or_default()
        )
    }

    /// Sends a message on a connection, and returns the answer.
    pub(crate) fn post_on(&self, stream: &mut TcpStream, session: &str, message: &Value) -> HttpAnswer {
        let extra = if session.is_empty() { String::new() } else { format!("Mcp-Session-Id: {session}\r\n") };
        let body = message.to_string();
        stream.write_all((self.head(&extra, body.len()) + &body).as_bytes()).unwrap();
        read_answer(stream)
    }

    /// Sends a message on a connection of its own.
    pub(crate) fn post(&self, session: &str, message: &Value) -> HttpAnswer {
        self.post_on(&mut self.connect(), session, message)
    }

    /// Opens a session.
    pub(crate) fn session(&self) -> String {
        let client = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        let answer =
            self.post("", &json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}));
        let session = answer.head.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
        session.unwrap_or_else(|| panic!("{answer:?}")).trim().to_owned()
    }

    /// Returns the memory of the server, in bytes.
    pub(crate) fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
    }
}

impl Drop for ServedMcp {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns a call of a tool.
pub(crate) fn call(tool: &str, arguments: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

/// Reads an answer with a known length. Returns the status 0 if the connection ended without one.
pub(crate) fn read_answer(stream: &mut TcpStream) -> HttpAnswer {
    let mut bytes = Vec::new();
    let mut part = [0; 16 * 1024];
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length = length.and_then(|length| length.trim().parse::<usize>().ok());
            if body.len() >= length.unwrap_or(0) {
                let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
                return HttpAnswer { status: status.unwrap_or(0), body: body.to_owned(), head };
            }
        }
        match stream.read(&mut part) {
            Ok(0) => return HttpAnswer { status: 0, head: text.into_owned(), body: String::new() },
            Ok(length) => bytes.extend_from_slice(&part[..length]),
            Err(error) => panic!("no answer: {error}; so far: {text}"),
        }
    }
}
