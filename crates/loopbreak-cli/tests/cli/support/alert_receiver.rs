//! A receiver of messages: a small HTTP server that records what it gets.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// A request: its head in lower case, and its body.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedMessage {
    pub(crate) path: String,
    pub(crate) head: String,
    pub(crate) body: String,
}

/// A receiver. It ends with the test.
pub(crate) struct AlertReceiver {
    pub(crate) address: String,
    messages: Receiver<ReceivedMessage>,
}

impl AlertReceiver {
    /// Starts a receiver. `answer` returns the head of the answer to a message by its number from 0, or `None` for one that never
    /// comes.
    pub(crate) fn start(answer: impl Fn(usize) -> Option<String> + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (sender, messages) = channel();
        thread::spawn(move || {
            let mut open = Vec::new();
            for (number, stream) in listener.incoming().enumerate() {
                let Some(stream) = receive(stream.unwrap(), &sender) else { return };
                match answer(number) {
                    Some(head) => {
                        let text =
                            format!("HTTP/1.1 {head}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
                        let _ = (&stream).write_all(text.as_bytes());
                    }
                    // The connection stays open.
                    None => open.push(stream),
                }
            }
        });
        AlertReceiver { address, messages }
    }

    /// Starts a receiver that accepts everything.
    pub(crate) fn accepting() -> Self {
        AlertReceiver::start(|_| Some("200 OK".to_owned()))
    }

    /// Returns the next message.
    pub(crate) fn next(&self) -> ReceivedMessage {
        self.messages.recv_timeout(Duration::from_mins(1)).unwrap()
    }

    /// Checks that no message comes for a while.
    pub(crate) fn assert_silent(&self, time: Duration) {
        let message = self.messages.recv_timeout(time);
        assert!(matches!(message, Err(RecvTimeoutError::Timeout)), "{message:?}");
    }
}

/// Reads a request. Returns `None` when the test has ended.
fn receive(stream: TcpStream, messages: &Sender<ReceivedMessage>) -> Option<TcpStream> {
    let mut reader = BufReader::new(stream);
    let (mut head, mut line) = (String::new(), String::new());
    while reader.read_line(&mut line).ok()? > 2 {
        head += &line.to_ascii_lowercase();
        line.clear();
    }
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"))?;
    let mut body = vec![0; length.trim().parse().ok()?];
    reader.read_exact(&mut body).ok()?;
    let path = head.split(' ').nth(1)?.to_owned();
    let message = ReceivedMessage { path, head, body: String::from_utf8(body).ok()? };
    messages.send(message).ok()?;
    Some(reader.into_inner())
}
