//! Accepts connections and serves each of them, within limits of number and time.

use std::convert::Infallible;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::answer_body::AnswerBody;
use super::open_connections::{ConnectionPlace, OpenConnections};

/// Time in which a new connection has to send the head of its first request.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// Longest time between two requests of a connection.
const IDLE_TIME: Duration = Duration::from_secs(90);
/// Largest head of a request, in bytes.
const HEAD_BYTES: usize = 16 * 1024;
/// Pause after a connection could not be accepted, for example because all files are in use.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// Answer to a connection for which there is no place, because all others have calls that are being carried out.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/// Answers requests. Clones share everything.
pub(crate) trait ConnectionGate: Clone + Send + Sync + 'static {
    /// Answers a request.
    fn answer(
        &self,
        request: Request<Incoming>,
        place: &Arc<ConnectionPlace>,
    ) -> impl Future<Output = Response<AnswerBody>> + Send;
}

/// Accepts connections until it is dropped or asked to end, and adds a task for each.
pub(crate) async fn accept_connections(
    listener: &TcpListener,
    gate: &impl ConnectionGate,
    connections: &OpenConnections,
    end: &CancellationToken,
    tasks: &mut JoinSet<()>,
) {
    loop {
        while tasks.try_join_next().is_some() {}
        match listener.accept().await {
            Ok((stream, _)) => {
                // An answer is sent as a whole, so there is nothing to wait for.
                let _ = stream.set_nodelay(true);
                match connections.admit() {
                    Some(place) => {
                        tasks.spawn(serve_connection(stream, gate.clone(), Arc::new(place), end.clone()));
                    }
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

async fn serve_connection(
    stream: TcpStream,
    gate: impl ConnectionGate,
    place: Arc<ConnectionPlace>,
    end: CancellationToken,
) {
    let service = service_fn(|request| {
        let (gate, place) = (gate.clone(), Arc::clone(&place));
        async move { Ok::<_, Infallible>(gate.answer(request, &place).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(IDLE_TIME)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    let mut first_head = pin!(async {
        tokio::time::sleep(HEAD_TIME).await;
        if place.has_sent_head() {
            std::future::pending::<()>().await;
        }
    });
    let mut ending = pin!(end.cancelled());
    let mut is_ending = false;
    loop {
        tokio::select! {
            // An error of a connection is the business of its client.
            _ = connection.as_mut() => return,
            () = &mut first_head => return,
            () = place.lost() => return,
            () = &mut ending, if !is_ending => {
                is_ending = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}

async fn refuse_connection(mut stream: TcpStream) {
    let _ = tokio::time::timeout(ACCEPT_PAUSE, stream.write_all(FULL)).await;
}
