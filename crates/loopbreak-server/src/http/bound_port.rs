//! A port: accepts connections and serves each of them, within limits of number and time.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::connection_security::{ByteChannel, ConnectionSecurity};
use super::open_connections::{ConnectionPlace, OpenConnections};

/// Pause after a connection could not be accepted, for example because all files are in use.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// Answer to a connection for which there is no place, because all others have calls that are being carried out.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
/// Time in which a client has to complete the handshake of TLS.
const HANDSHAKE_TIME: Duration = Duration::from_secs(10);

/// Speaks a protocol on connections. Clones share everything.
pub(crate) trait ConnectionServer: Clone + Send + Sync + 'static {
    /// Time in which a new connection has to send the head of its first request.
    const HEAD_TIME: Duration;

    /// Serves a connection until its client leaves or `end` asks to end in order.
    fn serve(
        self,
        stream: Box<dyn ByteChannel>,
        place: &Arc<ConnectionPlace>,
        end: CancellationToken,
    ) -> impl Future<Output = ()> + Send;
}

/// A port that listens.
pub(crate) struct BoundPort {
    pub(crate) listener: TcpListener,
    /// Its address, with the actual port.
    pub(crate) address: SocketAddr,
    pub(crate) security: ConnectionSecurity,
}

impl BoundPort {
    /// Begins to listen.
    pub(crate) async fn bind(address: SocketAddr, security: ConnectionSecurity) -> io::Result<Self> {
        BoundPort::new(TcpListener::bind(address).await?, security)
    }

    /// Takes a port that listens already.
    pub(crate) fn new(listener: TcpListener, security: ConnectionSecurity) -> io::Result<Self> {
        Ok(BoundPort { address: listener.local_addr()?, listener, security })
    }
}

/// Accepts connections until it is dropped or asked to end, and adds a task for each.
pub(crate) async fn accept_connections(
    port: &BoundPort,
    server: &impl ConnectionServer,
    connections: &OpenConnections,
    end: &CancellationToken,
    tasks: &mut JoinSet<()>,
) {
    let BoundPort { listener, security, .. } = port;
    loop {
        while tasks.try_join_next().is_some() {}
        match listener.accept().await {
            Ok((stream, _)) => {
                // An answer is sent as a whole, so there is nothing to wait for.
                let _ = stream.set_nodelay(true);
                match connections.admit() {
                    Some(place) => {
                        let (server, security, end) = (server.clone(), security.clone(), end.clone());
                        tasks.spawn(serve_connection(stream, security, server, Arc::new(place), end));
                    }
                    None if security.is_encrypted() => drop(stream),
                    None => drop(tasks.spawn(refuse_connection(stream))),
                }
            }
            Err(error) if is_of_connection(&error) => {}
            Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
        }
    }
}

/// Returns whether an error is about a connection that is already gone.
fn is_of_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused | io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset
    )
}

async fn serve_connection<S: ConnectionServer>(
    stream: TcpStream,
    security: ConnectionSecurity,
    server: S,
    place: Arc<ConnectionPlace>,
    end: CancellationToken,
) {
    let conversation = async {
        let opened = tokio::select! {
            opened = tokio::time::timeout(HANDSHAKE_TIME, security.open(stream)) => opened,
            () = end.cancelled() => return,
        };
        // An error of a connection is the business of its client.
        if let Ok(Ok(stream)) = opened {
            server.serve(stream, &place, end.clone()).await;
        }
    };
    let first_head = async {
        tokio::time::sleep(S::HEAD_TIME).await;
        if place.has_sent_head() {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        () = conversation => {}
        () = first_head => {}
        () = place.lost() => {}
    }
}

async fn refuse_connection(mut stream: TcpStream) {
    let _ = tokio::time::timeout(ACCEPT_PAUSE, stream.write_all(FULL)).await;
}
