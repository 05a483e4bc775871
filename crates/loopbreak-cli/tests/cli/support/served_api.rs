//! A server of `loopbreak serve`, and requests as they go over the wire.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::served_mcp::{HttpAnswer, read_answer};

/// Time in which every answer has to come, also on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// A running server. It is killed when it is dropped.
pub(crate) struct ServedApi {
    pub(crate) process: Child,
    stderr: BufReader<ChildStderr>,
    pub(crate) address: String,
    /// The token of the owner.
    pub(crate) token: String,
}

impl ServedApi {
    /// Starts a server whose store is below a folder.
    pub(crate) fn start(folder: &Path, args: &[&str]) -> Self {
        ServedApi::start_with(folder, args, &[])
    }

    /// Does the same with environment variables.
    pub(crate) fn start_with(folder: &Path, args: &[&str], variables: &[(&str, &str)]) -> Self {
        ServedApi::start_at("127.0.0.1:0", folder, args, variables)
    }

    /// Does the same at an address.
    pub(crate) fn start_at(address: &str, folder: &Path, args: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = api_command(folder, "serve");
        if !args.contains(&"--http") {
            command.args(["--http", address]);
        }
        command.args(args).envs(variables.iter().copied());
        let mut process = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stderr = BufReader::new(process.stderr.take().unwrap());
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        let address = line.split("://").nth(1).map(str::trim);
        let address = address.unwrap_or_else(|| panic!("{line}")).to_owned();
        let token = std::fs::read_to_string(folder.join("state/loopbreak/service-token")).unwrap_or_default();
        ServedApi { process, stderr, address, token: token.trim().to_owned() }
    }

    /// Returns the next line that the server prints.
    pub(crate) fn next_line(&mut self) -> String {
        let mut line = String::new();
        self.stderr.read_line(&mut line).unwrap();
        line
    }

    /// Ends the server at once, as a power failure of its process would.
    pub(crate) fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends bytes, and returns the answer.
    pub(crate) fn raw(&self, bytes: &[u8]) -> HttpAnswer {
        let mut stream = self.connect();
        // The server may refuse before everything was sent.
        let _ = stream.write_all(bytes);
        read_answer(&mut stream)
    }

    /// Sends a request with headers of its own.
    pub(crate) fn request(&self, method: &str, path: &str, headers: &[&str], body: &str) -> HttpAnswer {
        let mut head = format!("{method} {path} HTTP/1.1\r\nContent-Length: {}\r\n", body.len());
        if !headers.iter().any(|header| header.starts_with("Host:")) {
            head.extend(["Host: ", &self.address, "\r\n"]);
        }
        for header in headers {
            head.push_str(header);
            head.push_str("\r\n");
        }
        self.raw(format!("{head}\r\n{body}").as_bytes())
    }

    /// Sends a request as the owner, and returns the status and the JSON of the answer.
    pub(crate) fn call(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        self.call_as(&self.token, method, path, body)
    }

    /// Does the same with another token.
    pub(crate) fn call_as(&self, token: &str, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let token = format!("Authorization: Bearer {token}");
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let answer = self.request(method, path, &[&token, "Content-Type: application/json"], &body);
        let json = serde_json::from_str(&answer.body);
        (answer.status, json.unwrap_or_else(|error| panic!("{method} {path}: {error}: {answer:?}")))
    }

    /// Asks for something that exists, as the owner.
    pub(crate) fn get(&self, path: &str) -> Value {
        let (status, body) = self.call("GET", path, &Value::Null);
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    /// Sends steps as the owner, and returns the answers.
    pub(crate) fn steps(&self, steps: &Value) -> Value {
        let (status, body) = self.call("POST", "/v1/steps", steps);
        assert_eq!(status, 200, "{body}");
        body
    }

    /// Reads a stream of events until it ends.
    pub(crate) fn events(&self, query: &str, headers: &[&str]) -> String {
        let mut stream = self.connect();
        let mut head = format!(
            "GET /v1/events?{query} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n",
            self.address, self.token
        );
        for header in headers {
            head.push_str(header);
            head.push_str("\r\n");
        }
        stream.write_all((head + "\r\n").as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }
}

/// Returns a command of the program whose files are below a folder.
pub(crate) fn api_command(folder: &Path, command: &str) -> Command {
    let mut started = Command::new(assert_cmd::cargo::cargo_bin!("loopbreak"));
    started.arg(command).current_dir(folder).env_clear().env("XDG_STATE_HOME", folder.join("state"));
    started.env("XDG_CONFIG_HOME", folder.join("config")).env("HOME", folder);
    started
}

impl Drop for ServedApi {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
