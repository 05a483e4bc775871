//! Serves gRPC: HTTP/2, with TLS or without.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tower_service::Service as _;

use crate::http::{
    BoundPort, ByteChannel, ConnectionPhase, ConnectionPlace, ConnectionSecurity, ConnectionServer,
    OpenConnections, accept_connections,
};

/// Largest number of connections of a server that serves nothing else.
const CONNECTIONS: usize = 512;
/// Largest number of calls of a connection at the same time.
const CALLS: u32 = 32;
/// Largest number of calls of a connection that wait to be begun and were taken back already. With more, it is closed.
const TAKEN_BACK: usize = 20;
/// Largest number of calls of a connection that broke the rules of HTTP/2. With more, it is closed.
const BROKEN: usize = 100;
/// Largest head of a call, in bytes.
const HEAD_BYTES: u32 = 16 * 1024;
/// Time after which a silent connection is asked for a sign of life, and closed without one.
const KEEP_ALIVE: Duration = Duration::from_secs(30);
/// Time that calls get to end when the server ends.
const GRACE: Duration = Duration::from_secs(5);

/// Answers calls on connections.
#[derive(Clone)]
pub(crate) struct GrpcServer {
    router: Router,
}

/// A call that is under way. The last one to end makes its connection idle.
struct OpenCall {
    place: Arc<ConnectionPlace>,
    open: Arc<AtomicUsize>,
}

/// Serves calls without TLS until `end` is ready.
pub async fn serve_grpc(listener: TcpListener, router: Router, end: impl Future<Output = ()>) {
    // A port that has no address has no connections.
    let Ok(port) = BoundPort::new(listener, ConnectionSecurity::Plain) else { return };
    let (server, connections) = (GrpcServer::new(router), OpenConnections::new(CONNECTIONS));
    let (token, mut tasks) = (CancellationToken::new(), JoinSet::new());
    tokio::select! {
        () = accept_connections(&port, &server, &connections, &token, &mut tasks) => {}
        () = end => {}
    }
    token.cancel();
    // Exporters keep their connections open: only calls that are under way are waited for.
    _ = tokio::time::timeout(GRACE, async { while tasks.join_next().await.is_some() {} }).await;
}

impl GrpcServer {
    pub(crate) fn new(router: Router) -> Self {
        GrpcServer { router }
    }
}

impl ConnectionServer for GrpcServer {
    // An exporter may connect some time before it has something to send.
    const HEAD_TIME: Duration = Duration::from_secs(90);

    async fn serve(self, stream: Box<dyn ByteChannel>, place: &Arc<ConnectionPlace>, end: CancellationToken) {
        let open = Arc::new(AtomicUsize::new(0));
        let service = service_fn(|request: Request<Incoming>| {
            let call = OpenCall::begin(place, &open);
            let mut router = self.router.clone();
            async move {
                let answer = router.call(request).await.unwrap_or_else(|never| match never {});
                drop(call);
                Ok::<_, Infallible>(answer)
            }
        });
        let connection = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .max_concurrent_streams(CALLS)
            .max_pending_accept_reset_streams(TAKEN_BACK)
            .max_local_error_reset_streams(BROKEN)
            .max_header_list_size(HEAD_BYTES)
            .keep_alive_interval(KEEP_ALIVE)
            .keep_alive_timeout(KEEP_ALIVE)
            .serve_connection(TokioIo::new(stream), service);
        let mut connection = pin!(connection);
        tokio::select! {
            _ = connection.as_mut() => return,
            () = end.cancelled() => connection.as_mut().graceful_shutdown(),
        }
        _ = connection.await;
    }
}

impl OpenCall {
    fn begin(place: &Arc<ConnectionPlace>, open: &Arc<AtomicUsize>) -> Self {
        open.fetch_add(1, Ordering::Relaxed);
        place.enter(ConnectionPhase::SendsBody);
        OpenCall { place: Arc::clone(place), open: Arc::clone(open) }
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        if self.open.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.place.enter(ConnectionPhase::Idle);
        }
    }
}
