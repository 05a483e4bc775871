//! A server on the loopback address that has the files of releases.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// The answer to a request for a file.
#[derive(Clone)]
enum ServedFile {
    Whole(Vec<u8>),
    /// Half of the file, then the connection is closed.
    CutOff(Vec<u8>),
    /// An error of the server.
    Failing,
}

type ServedFiles = Arc<Mutex<HashMap<String, ServedFile>>>;

/// A server with the files of releases. It ends when it is dropped.
pub(crate) struct ReleaseServer {
    address: SocketAddr,
    files: ServedFiles,
    is_ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl ReleaseServer {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (files, is_ended) = (ServedFiles::default(), Arc::new(AtomicBool::new(false)));
        let (served, ended) = (files.clone(), is_ended.clone());
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if ended.load(Ordering::SeqCst) {
                    return;
                }
                // A client that leaves early is its own problem.
                let _ = stream.and_then(|stream| answer(&stream, &served));
            }
        });
        ReleaseServer { address, files, is_ended, thread: Some(thread) }
    }

    /// Returns the address of a file.
    pub(crate) fn url(&self, name: &str) -> String {
        format!("http://{}/{name}", self.address)
    }

    pub(crate) fn add_file(&mut self, name: &str, content: Vec<u8>) {
        self.set(name, ServedFile::Whole(content));
    }

    /// Adds an archive to a folder, and to the list of sums there.
    pub(crate) fn add_archive(&mut self, folder: &str, name: &str, content: Vec<u8>) {
        let list = format!("{folder}SHA256SUMS");
        let mut sums = match self.get(&list) {
            Some(ServedFile::Whole(sums)) => sums,
            _ => Vec::new(),
        };
        sums.extend(format!("{}  {name}\n", sha256(&content)).bytes());
        self.add_file(&list, sums);
        self.add_file(&format!("{folder}{name}"), content);
    }

    /// Has the server fail when this file is asked for.
    pub(crate) fn fail(&mut self, name: &str) {
        self.set(name, ServedFile::Failing);
    }

    /// Has the server send half of a file.
    pub(crate) fn cut_off(&mut self, name: &str) {
        if let Some(ServedFile::Whole(content)) = self.get(name) {
            self.set(name, ServedFile::CutOff(content));
        }
    }

    fn get(&self, name: &str) -> Option<ServedFile> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    fn set(&mut self, name: &str, file: ServedFile) {
        self.files.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), file);
    }
}

impl Drop for ReleaseServer {
    fn drop(&mut self) {
        self.is_ended.store(true, Ordering::SeqCst);
        // Wakes the thread.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn answer(stream: &TcpStream, files: &ServedFiles) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    // Closing a connection with unread data would reset it.
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let name = request.split(' ').nth(1).unwrap_or_default().trim_start_matches('/');
    let file = files.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
    let (status, body, sent) = match file {
        Some(ServedFile::Whole(body)) => ("200 OK", body.clone(), body.len()),
        Some(ServedFile::CutOff(body)) => ("200 OK", body.clone(), body.len() / 2),
        Some(ServedFile::Failing) => ("500 Internal Server Error", b"failed".to_vec(), 6),
        None => ("404 Not Found", b"not found".to_vec(), 9),
    };
    let mut stream = stream;
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    stream.write_all(head.as_bytes())?;
    stream.write_all(&body[..sent])
}

/// Returns the SHA-256 sum of the bytes, as the program of the system computes it.
fn sha256(bytes: &[u8]) -> String {
    let start = |name: &str, args: &[&str]| {
        Command::new(name).args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
    };
    let mut child = start("sha256sum", &[]).or_else(|_| start("shasum", &["-a", "256"])).unwrap();
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    let output = child.wait_with_output().unwrap();
    String::from_utf8(output.stdout).unwrap().split(' ').next().unwrap().to_owned()
}
