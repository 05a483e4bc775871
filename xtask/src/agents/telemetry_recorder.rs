//! Records the telemetry that an agent sends: a small receiver of OTLP over HTTP with JSON.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use super::log_trimmer::LogTrimmer;
use super::project_files::write_json_lines;
use crate::chore_failure::ChoreFailure;

/// The longest time that a connection may be silent.
const SILENCE: Duration = Duration::from_secs(30);
/// Longest body that is read, in bytes.
const MAX_BODY: usize = 64 << 20;

/// A receiver on a free port of the loopback address, which stops when it is dropped.
pub(super) struct TelemetryRecorder {
    address: SocketAddr,
    is_over: Arc<AtomicBool>,
    requests: Arc<Mutex<Vec<Value>>>,
}

impl TelemetryRecorder {
    /// Starts the receiver.
    pub(super) fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let recorder = TelemetryRecorder {
            address: listener.local_addr()?,
            is_over: Arc::default(),
            requests: Arc::default(),
        };
        let (is_over, requests) = (Arc::clone(&recorder.is_over), Arc::clone(&recorder.requests));
        thread::spawn(move || {
            for connection in listener.incoming() {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                let (Ok(connection), requests) = (connection, Arc::clone(&requests)) else { continue };
                thread::spawn(move || serve(&connection, &requests));
            }
        });
        Ok(recorder)
    }

    /// Returns the address, without a path.
    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Writes the requests with traces and logs as `PART.telemetry.jsonl`, trimmed, one per line. Writes nothing if there were none.
    pub(super) fn save(&self, session: &Path, folder: &Path, part: &str) -> Result<(), ChoreFailure> {
        let trimmer = LogTrimmer::new(session);
        let requests: Vec<Value> = lock(&self.requests)
            .iter()
            .filter(|request| request.get("resourceMetrics").is_none())
            .map(|request| trimmer.trim(request.clone()))
            .collect();
        if requests.is_empty() {
            return Ok(());
        }
        write_json_lines(&folder.join(format!("{part}.telemetry.jsonl")), &requests)
    }
}

impl Drop for TelemetryRecorder {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        // The receiver waits for a connection: this one makes it look.
        _ = TcpStream::connect(self.address);
    }
}

/// Answers the requests of a connection until it ends or one cannot be read.
fn serve(connection: &TcpStream, requests: &Mutex<Vec<Value>>) {
    _ = connection.set_read_timeout(Some(SILENCE));
    let mut reader = BufReader::new(connection);
    while let Ok(Some(body)) = read_body(&mut reader) {
        match serde_json::from_slice(&body) {
            Ok(request) => lock(requests).push(request),
            Err(error) => eprintln!("xtask: agents: telemetry that is not JSON: {error}"),
        }
        let answer = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
        let mut writer = connection;
        if writer.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

/// Reads a request and returns its body, or `None` at the end of the connection.
fn read_body(reader: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let (mut length, mut is_chunked, mut lines) = (0, false, 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        lines += 1;
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        is_chunked |= line.starts_with("transfer-encoding:") && line.ends_with("chunked");
    }
    let mut body = Vec::new();
    if lines == 0 {
        return Ok(Some(body));
    }
    loop {
        if is_chunked {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            length = usize::from_str_radix(line.trim(), 16).unwrap_or(0);
        }
        if length > MAX_BODY || body.len() > MAX_BODY {
            return Err(io::ErrorKind::InvalidData.into());
        }
        reader.take(length as u64).read_to_end(&mut body)?;
        if !is_chunked {
            break;
        }
        // The end of the line after a chunk.
        reader.read_line(&mut String::new())?;
        if length == 0 {
            break;
        }
    }
    Ok(Some(body))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
