//! A connection between a server and its database that can be delayed, held and cut.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::chore_failure::ChoreFailure;

/// Time between two looks at what is asked for.
const LOOK: Duration = Duration::from_millis(5);

/// Listens on the loopback address, and passes everything on to a socket.
pub(super) struct TcpRelay {
    pub(super) address: SocketAddr,
    shared: Arc<RelayState>,
}

#[derive(Default)]
struct RelayState {
    upstream: PathBuf,
    /// Nothing is passed on, and nobody is told.
    is_held: AtomicBool,
    /// Connections are closed, and new ones too.
    is_cut: AtomicBool,
    has_ended: AtomicBool,
    /// Delay of each piece, in milliseconds.
    delay: AtomicU64,
    open: Mutex<Vec<(TcpStream, UnixStream)>>,
}

impl TcpRelay {
    /// Starts a relay to a socket.
    pub(super) fn start(upstream: &Path) -> Result<Self, ChoreFailure> {
        let failed = |error: std::io::Error| ChoreFailure::io("listen on the loopback address", &error);
        let listener = TcpListener::bind("127.0.0.1:0").map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let shared = Arc::new(RelayState { upstream: upstream.to_owned(), ..RelayState::default() });
        let state = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if state.has_ended.load(Ordering::Relaxed) {
                    return;
                }
                let state = Arc::clone(&state);
                thread::spawn(move || state.serve(&stream));
            }
        });
        Ok(TcpRelay { address, shared })
    }

    /// Passes nothing on until it is asked to: the other side seems to be there and does not answer.
    pub(super) fn hold(&self, is_held: bool) {
        self.shared.is_held.store(is_held, Ordering::Relaxed);
    }

    /// Closes all connections, and new ones until it is asked not to.
    pub(super) fn cut(&self, is_cut: bool) {
        self.shared.is_cut.store(is_cut, Ordering::Relaxed);
        if is_cut {
            self.shared.close_all();
        }
    }

    /// Delays each piece that is passed on.
    pub(super) fn delay(&self, time: Duration) {
        self.shared.delay.store(time.as_millis() as u64, Ordering::Relaxed);
    }
}

impl Drop for TcpRelay {
    fn drop(&mut self) {
        self.shared.has_ended.store(true, Ordering::Relaxed);
        self.shared.close_all();
        // Wakes the thread that accepts.
        let _ = TcpStream::connect(self.address);
    }
}

impl RelayState {
    fn close_all(&self) {
        for (client, server) in self.open.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = client.shutdown(Shutdown::Both);
            let _ = server.shutdown(Shutdown::Both);
        }
    }

    /// Waits while the relay is held. Returns whether the connection may go on.
    fn may_pass(&self) -> bool {
        loop {
            if self.is_cut.load(Ordering::Relaxed) || self.has_ended.load(Ordering::Relaxed) {
                return false;
            }
            if !self.is_held.load(Ordering::Relaxed) {
                return true;
            }
            thread::sleep(LOOK);
        }
    }

    fn serve(self: &Arc<Self>, client: &TcpStream) {
        if !self.may_pass() {
            return;
        }
        let Ok(server) = UnixStream::connect(&self.upstream) else { return };
        let _ = client.set_nodelay(true);
        let copies = (client.try_clone(), server.try_clone(), client.try_clone(), server.try_clone());
        let (Ok(kept_client), Ok(kept_server), Ok(client_back), Ok(server_back)) = copies else { return };
        {
            let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            open.retain(|(client, _)| client.peer_addr().is_ok());
            open.push((kept_client, kept_server));
        }
        let state = Arc::clone(self);
        let back = thread::spawn(move || {
            state.pass(&server_back, &client_back);
            let _ = client_back.shutdown(Shutdown::Both);
            let _ = server_back.shutdown(Shutdown::Both);
        });
        self.pass(client, &server);
        let _ = client.shutdown(Shutdown::Both);
        let _ = server.shutdown(Shutdown::Both);
        let _ = back.join();
    }

    /// Passes pieces on until one side ends.
    fn pass(&self, mut from: impl Read, mut to: impl Write) {
        let mut piece = vec![0; 64 * 1024];
        loop {
            let read = match from.read(&mut piece) {
                Ok(0) => return,
                Ok(read) => read,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => return,
            };
            let delay = self.delay.load(Ordering::Relaxed);
            if delay > 0 {
                thread::sleep(Duration::from_millis(delay));
            }
            if !self.may_pass() || to.write_all(&piece[..read]).is_err() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn a_relay_passes_on_holds_back_and_cuts() {
        let folder = std::env::temp_dir().join(format!("loopbreak-relay-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let socket = folder.join("socket");
        let listener = UnixListener::bind(&socket).unwrap();
        thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                thread::spawn(move || {
                    let mut byte = [0];
                    while stream.read_exact(&mut byte).is_ok() && stream.write_all(&byte).is_ok() {}
                });
            }
        });
        let relay = TcpRelay::start(&socket).unwrap();
        let mut client = TcpStream::connect(relay.address).unwrap();
        let ask = |client: &mut TcpStream, patience: u64| {
            client.set_read_timeout(Some(Duration::from_millis(patience))).unwrap();
            let mut byte = [0];
            client.write_all(b"x").and_then(|()| client.read_exact(&mut byte))
        };
        ask(&mut client, 20_000).unwrap();
        relay.hold(true);
        assert!(ask(&mut client, 100).is_err(), "nothing passes");
        relay.hold(false);
        client.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        client.read_exact(&mut [0]).unwrap();
        relay.cut(true);
        assert!(ask(&mut client, 20_000).is_err(), "the connection was closed");
        relay.cut(false);
        ask(&mut TcpStream::connect(relay.address).unwrap(), 20_000).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
