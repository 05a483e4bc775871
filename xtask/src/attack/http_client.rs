//! A client of the MCP server over HTTP, and the server it talks to.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::attack_lab::AttackHome;
use super::limited_command::{LimitedCommand, LimitedProgram};
use crate::chore_failure::ChoreFailure;

/// Time that a server has for starting.
const START_TIME: Duration = Duration::from_secs(20);
/// Largest answer that is read.
const MOST_BYTES: u64 = 64 << 20;
/// The first message of a client.
pub(super) const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#;

/// A server on the loopback address.
pub(super) struct HttpServer {
    pub(super) program: LimitedProgram,
    pub(super) address: SocketAddr,
    pub(super) token: String,
}

impl HttpServer {
    /// Starts `loopbreak mcp --http` at a free port, with these options.
    pub(super) fn start(
        home: &AttackHome<'_>,
        options: &str,
        limit: impl FnOnce(LimitedCommand) -> LimitedCommand,
    ) -> Result<Self, ChoreFailure> {
        let token = home.loopbreak("mcp --print-token").run()?.out.trim().to_owned();
        let command = home.loopbreak(&format!("mcp --http 127.0.0.1:0 {options}"));
        let program = limit(command).start()?;
        let (started, mut said) = (Instant::now(), Vec::new());
        while started.elapsed() < START_TIME * home.lab.patience() {
            said.extend(program.next_error(Duration::from_millis(100)).unwrap_or_default());
            if let Some(address) = find_address(&String::from_utf8_lossy(&said)) {
                return Ok(HttpServer { program, address, token });
            }
        }
        let said = String::from_utf8_lossy(&said).into_owned();
        Err(ChoreFailure::Failed(format!("the server does not start: {said}")))
    }

    /// Connects a client that has the token.
    pub(super) fn client(&self, time: Duration) -> std::io::Result<HttpClient> {
        HttpClient::connect(self.address, Some(&self.token), time)
    }
}

fn find_address(said: &str) -> Option<SocketAddr> {
    said.split_once("http://")?.1.split_once("/mcp")?.0.parse().ok()
}

/// A connection to a server.
pub(super) struct HttpClient {
    stream: BufReader<TcpStream>,
    address: SocketAddr,
    token: Option<String>,
    pub(super) session: Option<String>,
}

/// An answer of the server.
#[derive(Debug)]
pub(super) struct PostAnswer {
    pub(super) status: u16,
    pub(super) session: Option<String>,
    pub(super) body: String,
}

impl HttpClient {
    pub(super) fn connect(address: SocketAddr, token: Option<&str>, time: Duration) -> std::io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, time)?;
        stream.set_read_timeout(Some(time))?;
        stream.set_write_timeout(Some(time))?;
        stream.set_nodelay(true)?;
        let token = token.map(str::to_owned);
        Ok(HttpClient { stream: BufReader::new(stream), address, token, session: None })
    }

    /// Opens a session of MCP.
    pub(super) fn initialize(&mut self) -> std::io::Result<PostAnswer> {
        let answer = self.post(INITIALIZE)?;
        self.session.clone_from(&answer.session);
        self.post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)?;
        Ok(answer)
    }

    /// Calls a tool.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> std::io::Result<PostAnswer> {
        self.request("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    pub(super) fn request(&mut self, method: &str, params: &Value) -> std::io::Result<PostAnswer> {
        self.post(&json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).to_string())
    }

    /// Sends a message and reads the answer. The connection is kept.
    pub(super) fn post(&mut self, message: &str) -> std::io::Result<PostAnswer> {
        let address = self.address;
        let mut head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n",
            message.len()
        );
        for (name, value) in [
            ("Authorization", self.token.as_ref().map(|token| format!("Bearer {token}"))),
            ("Mcp-Session-Id", self.session.clone()),
        ] {
            if let Some(value) = value {
                head.extend([name, ": ", &value, "\r\n"]);
            }
        }
        self.stream.get_mut().write_all(format!("{head}\r\n{message}").as_bytes())?;
        self.read_answer()
    }

    fn read_line(&mut self) -> std::io::Result<String> {
        let mut line = String::new();
        (&mut self.stream).take(64 * 1024).read_line(&mut line)?;
        if line.is_empty() {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        Ok(line.trim_end().to_owned())
    }

    fn read_answer(&mut self) -> std::io::Result<PostAnswer> {
        let invalid = |what: &str| std::io::Error::new(std::io::ErrorKind::InvalidData, what.to_owned());
        let first = self.read_line()?;
        let status = first.split(' ').nth(1).and_then(|code| code.parse().ok());
        let status = status.ok_or_else(|| invalid(&first))?;
        let (mut length, mut is_chunked, mut session) = (0, false, None);
        loop {
            let line = self.read_line()?;
            if line.is_empty() {
                break;
            }
            let Some((name, value)) = line.split_once(':') else { continue };
            match (&*name.to_ascii_lowercase(), value.trim()) {
                ("content-length", value) => length = value.parse().map_err(|_| invalid(&line))?,
                ("transfer-encoding", value) => is_chunked = value.eq_ignore_ascii_case("chunked"),
                ("mcp-session-id", value) => session = Some(value.to_owned()),
                _ => {}
            }
        }
        let mut body = Vec::new();
        if is_chunked {
            loop {
                let line = self.read_line()?;
                let size = u64::from_str_radix(line.trim(), 16).map_err(|_| invalid(&line))?;
                self.read_bytes(size, &mut body)?;
                self.read_line_end()?;
                if size == 0 {
                    break;
                }
            }
        } else {
            self.read_bytes(length, &mut body)?;
        }
        Ok(PostAnswer { status, session, body: String::from_utf8_lossy(&body).into_owned() })
    }

    fn read_bytes(&mut self, count: u64, body: &mut Vec<u8>) -> std::io::Result<()> {
        let read = (&mut self.stream).take(count.min(MOST_BYTES)).read_to_end(body)?;
        if read as u64 == count { Ok(()) } else { Err(std::io::ErrorKind::UnexpectedEof.into()) }
    }

    fn read_line_end(&mut self) -> std::io::Result<()> {
        let mut end = [0; 2];
        self.stream.read_exact(&mut end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_found_in_what_the_server_says() {
        let said = "loopbreak: serving at http://127.0.0.1:41621/mcp\nloopbreak: clients have to send";
        assert_eq!(find_address(said), Some(([127, 0, 0, 1], 41621).into()));
        assert_eq!(find_address("loopbreak: serving at http://127.0."), None);
    }

    #[test]
    fn answers_with_a_length_and_in_chunks_are_read_on_one_connection() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 4096];
            for answer in [
                "HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\n\r\nno",
                "HTTP/1.1 200 OK\r\nMcp-Session-Id: s1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nyes\r\n0\r\n\r\n",
            ] {
                assert!(stream.read(&mut request).unwrap() > 0);
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        let mut client = HttpClient::connect(address, Some("t"), Duration::from_secs(20)).unwrap();
        let (first, second) = (client.post("{}").unwrap(), client.post("{}").unwrap());
        assert_eq!((first.status, &*first.body, second.status, &*second.body), (401, "no", 200, "yes"));
        assert_eq!(second.session.as_deref(), Some("s1"));
        server.join().unwrap();
    }
}
