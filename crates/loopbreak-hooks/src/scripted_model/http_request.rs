//! Requests of HTTP/1.1, as far as agents use them to talk to a model.

use std::io::{self, BufRead, Read, Write};

/// Longest body that is read, in bytes.
const MAX_BODY: usize = 64 << 20;
/// Longest line of a header that is read, in bytes.
const MAX_LINE: u64 = 64 << 10;

/// A request with its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HttpRequest {
    pub(super) method: String,
    /// The path and the query.
    pub(super) path: String,
    pub(super) body: Vec<u8>,
}

impl HttpRequest {
    /// Reads a request. Returns `None` if the other side closed the connection instead.
    pub(super) fn read(reader: &mut impl BufRead, writer: &mut impl Write) -> io::Result<Option<Self>> {
        let Some(line) = read_line(reader)? else { return Ok(None) };
        let mut words = line.split(' ');
        let (Some(method), Some(path)) = (words.next(), words.next()) else {
            return Err(invalid("the request line has no path"));
        };
        let (method, path) = (method.to_owned(), path.to_owned());
        let (mut length, mut is_chunked) = (0, false);
        while let Some(line) = read_line(reader)?.filter(|line| !line.is_empty()) {
            let Some((name, value)) = line.split_once(':') else { continue };
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.parse().map_err(|_| invalid("the length of the body"))?,
                "transfer-encoding" => is_chunked = value.eq_ignore_ascii_case("chunked"),
                "expect" => writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?,
                _ => {}
            }
        }
        let body = if is_chunked { read_chunks(reader)? } else { read_exactly(reader, length)? };
        Ok(Some(HttpRequest { method, path, body }))
    }
}

/// Reads a line without its end, or `None` at the end of the stream.
fn read_line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    if reader.take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    Ok(Some(String::from_utf8_lossy(&line).trim_end().to_owned()))
}

fn read_exactly(reader: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    if length > MAX_BODY {
        return Err(invalid("the body is too long"));
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(body)
}

fn read_chunks(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = read_line(reader)?.ok_or(io::ErrorKind::UnexpectedEof)?;
        let length = line.split(';').next().unwrap_or_default().trim();
        let length = usize::from_str_radix(length, 16).map_err(|_| invalid("the length of a chunk"))?;
        if length > MAX_BODY || body.len() + length > MAX_BODY {
            return Err(invalid("the body is too long"));
        }
        body.extend(read_exactly(reader, length)?);
        read_line(reader)?;
        if length == 0 {
            return Ok(body);
        }
    }
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("invalid request: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> io::Result<Option<HttpRequest>> {
        HttpRequest::read(&mut text.as_bytes(), &mut Vec::new())
    }

    #[test]
    fn a_body_may_have_a_length_or_come_in_chunks() {
        let plain = "POST /v1/messages?x=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello, not this";
        let chunked = "POST /v1/messages?x=1 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\
                       2\r\nhe\r\n3;note\r\nllo\r\n0\r\n\r\n";
        for text in [plain, chunked] {
            let request = read(text).unwrap().unwrap();
            assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/v1/messages?x=1"));
            assert_eq!(request.body, b"hello");
        }
    }

    #[test]
    fn broken_requests_are_errors_and_a_closed_connection_is_not() {
        assert_eq!(read("").unwrap(), None);
        for text in [
            "POST\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: many\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nshort",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nx",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
