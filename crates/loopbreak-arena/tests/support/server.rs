//! A local server that answers each request as it is told to, one after the other.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// How a request is answered.
#[derive(Clone, Debug)]
pub enum ServerReply {
    /// With this status, these headers and this body.
    Plain(u16, &'static str, String),
    /// With a chat answer that holds this text.
    Says(String),
    /// With a body of so many bytes.
    Huge(usize),
    /// With silence, for so long.
    Silence(Duration),
    /// With bytes that are no HTTP.
    Noise,
    /// The connection is closed.
    HangsUp,
    /// A byte of the body now and then.
    Drips(Duration),
}

impl ServerReply {
    /// A model that says this.
    pub fn says(text: &str) -> Self {
        ServerReply::Says(text.to_owned())
    }
}

/// What came in: the headers, and the body.
#[derive(Clone, Debug)]
pub struct ServerRequest {
    pub head: String,
    pub body: Value,
}

/// A server on a port of its own.
pub struct ModelServer {
    pub base: String,
    requests: Arc<Mutex<Vec<ServerRequest>>>,
}

impl ModelServer {
    /// Answers each request with what the function gives for its number, from 0 on, and the request.
    pub fn new(mut answer: impl FnMut(usize, &ServerRequest) -> ServerReply + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}/v1", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let Some(request) = read(&stream) else { continue };
                let number = {
                    let mut heard = heard.lock().unwrap();
                    heard.push(request.clone());
                    heard.len() - 1
                };
                let reply = answer(number, &request);
                // One that is slow must not hold up the next.
                thread::spawn(move || send(&mut stream, reply));
            }
        });
        ModelServer { base, requests }
    }

    /// Answers with these, and goes on with the last of them.
    pub fn script(replies: Vec<ServerReply>) -> Self {
        ModelServer::new(move |number, _| replies[number.min(replies.len() - 1)].clone())
    }

    /// What was asked so far.
    pub fn requests(&self) -> Vec<ServerRequest> {
        self.requests.lock().unwrap().clone()
    }
}

fn read(stream: &TcpStream) -> Option<ServerRequest> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    })?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(ServerRequest { head, body: serde_json::from_slice(&body).ok()? })
}

fn send(stream: &mut TcpStream, reply: ServerReply) {
    let plain = |status: u16, headers: &str, body: &str| {
        let length = body.len();
        format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n{body}")
    };
    let text = match reply {
        ServerReply::Plain(status, headers, body) => plain(status, headers, &body),
        ServerReply::Says(text) => plain(200, "content-type: application/json\r\n", &chat(&text).to_string()),
        ServerReply::Huge(bytes) => plain(200, "", &"x".repeat(bytes)),
        ServerReply::Silence(time) => {
            thread::sleep(time);
            return;
        }
        ServerReply::Noise => "\u{1}\u{2}no such protocol\r\n\r\n".to_owned(),
        ServerReply::HangsUp => return,
        ServerReply::Drips(pause) => {
            let _ = stream.write_all(b"HTTP/1.1 200 X\r\ncontent-length: 1000\r\n\r\n");
            while stream.write_all(b" ").is_ok() {
                thread::sleep(pause);
            }
            return;
        }
    };
    // A client that went away is part of the test.
    let _ = stream.write_all(text.as_bytes());
}

/// A chat answer with this text.
pub fn chat(text: &str) -> Value {
    json!({
        "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 20},
    })
}
