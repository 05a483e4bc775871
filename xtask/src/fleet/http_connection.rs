//! A connection of a client. It is kept from one request to the next, and opened again after a failure.

use std::io::{BufRead as _, BufReader, Error, ErrorKind, Read as _, Result, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Largest answer that is read, in bytes.
const MOST_BYTES: u64 = 64 << 20;

/// A connection to a server.
pub(super) struct HttpConnection {
    address: SocketAddr,
    /// The part of a request between its first line and its length.
    headers: String,
    patience: Duration,
    stream: Option<BufReader<TcpStream>>,
}

/// An answer.
#[derive(Debug)]
pub(super) struct ServedReply {
    pub(super) status: u16,
    pub(super) retry_after: Option<Duration>,
    pub(super) body: String,
}

impl HttpConnection {
    /// Returns a connection that is opened by its first request. Answers have to come within a time.
    pub(super) fn new(address: SocketAddr, token: &str, patience: Duration) -> Self {
        let headers = format!(
            "Host: {address}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: "
        );
        HttpConnection { address, headers, patience, stream: None }
    }

    /// Returns the address of the server.
    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sends a request, and reads the answer.
    pub(super) fn send(&mut self, method: &str, path: &str, body: &str) -> Result<ServedReply> {
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => self.connect()?,
        };
        let length = body.len();
        let request = format!("{method} {path} HTTP/1.1\r\n{}{length}\r\n\r\n{body}", self.headers);
        stream.get_mut().write_all(request.as_bytes())?;
        let (reply, is_kept) = read_reply(&mut stream)?;
        if is_kept {
            self.stream = Some(stream);
        }
        Ok(reply)
    }

    /// Sends steps.
    pub(super) fn post_steps(&mut self, steps: &str) -> Result<ServedReply> {
        self.send("POST", "/v1/steps", steps)
    }

    fn connect(&self) -> Result<BufReader<TcpStream>> {
        let stream = TcpStream::connect_timeout(&self.address, self.patience)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(self.patience))?;
        stream.set_write_timeout(Some(self.patience))?;
        Ok(BufReader::with_capacity(16 * 1024, stream))
    }
}

/// Reads an answer with a length. Returns also whether the connection can be used again.
fn read_reply(stream: &mut BufReader<TcpStream>) -> Result<(ServedReply, bool)> {
    let invalid = |what: &str| Error::new(ErrorKind::InvalidData, what.to_owned());
    let mut line = String::new();
    let mut next_line = |stream: &mut BufReader<TcpStream>| {
        line.clear();
        stream.take(16 * 1024).read_line(&mut line)?;
        if line.is_empty() {
            Err(Error::from(ErrorKind::UnexpectedEof))
        } else {
            Ok(line.trim_end().to_owned())
        }
    };
    let first = next_line(stream)?;
    let status = first.split(' ').nth(1).and_then(|code| code.parse().ok()).ok_or_else(|| invalid(&first))?;
    let (mut length, mut retry_after, mut is_kept) = (0_u64, None, true);
    loop {
        let line = next_line(stream)?;
        if line.is_empty() {
            break;
        }
        let Some((name, value)) = line.split_once(':') else { return Err(invalid(&line)) };
        let value = value.trim();
        match &*name.to_ascii_lowercase() {
            "content-length" => length = value.parse().map_err(|_| invalid(&line))?,
            "retry-after" => retry_after = value.parse().ok().map(Duration::from_secs),
            "connection" => is_kept = !value.eq_ignore_ascii_case("close"),
            _ => {}
        }
    }
    let mut body = Vec::with_capacity(length.min(1 << 20) as usize);
    stream.take(length.min(MOST_BYTES)).read_to_end(&mut body)?;
    if body.len() as u64 != length {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    let body = String::from_utf8(body).map_err(|_| invalid("an answer that is not UTF-8"))?;
    Ok((ServedReply { status, retry_after, body }, is_kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_is_kept_until_the_server_closes_it() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = std::thread::spawn(move || {
            let mut request = [0; 4096];
            for answers in [
                &[
                    "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}",
                    "HTTP/1.1 503 X\r\nRetry-After: 3\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
                ][..],
                &["HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\ntoo"],
            ] {
                let (mut stream, _) = listener.accept().unwrap();
                for answer in answers {
                    assert!(stream.read(&mut request).unwrap() > 0);
                    stream.write_all(answer.as_bytes()).unwrap();
                }
            }
        });
        let mut connection = HttpConnection::new(address, "t", Duration::from_secs(20));
        let first = connection.post_steps("{}").unwrap();
        assert_eq!((first.status, &*first.body, first.retry_after), (200, "{}", None));
        let second = connection.post_steps("{}").unwrap();
        assert_eq!((second.status, second.retry_after), (503, Some(Duration::from_secs(3))));
        assert_eq!(connection.post_steps("{}").unwrap_err().kind(), ErrorKind::UnexpectedEof);
        server.join().unwrap();
    }
}
