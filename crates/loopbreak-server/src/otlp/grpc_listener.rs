//! Serves gRPC: HTTP/2 without TLS.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Largest number of connections.
const CONNECTIONS: usize = 512;
/// Largest number of calls of a connection at the same time.
const CALLS: u32 = 32;
/// Time after which a silent connection is asked for a sign of life, and closed without one.
const KEEP_ALIVE: Duration = Duration::from_secs(30);
/// Time that calls get to end when the server ends.
const GRACE: Duration = Duration::from_secs(5);

/// Serves calls until `end` is ready.
pub async fn serve_grpc(listener: TcpListener, router: Router, end: impl Future<Output = ()>) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let mut connections = JoinSet::new();
    tokio::pin!(end);
    loop {
        let accepted = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            () = &mut end => break,
            accepted = accepted => accepted,
        };
        // Without free files or memory, the next connection may be possible later.
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let service = TowerToHyperService::new(router.clone());
        connections.spawn(async move {
            let mut builder = http2::Builder::new(TokioExecutor::new());
            builder
                .timer(TokioTimer::new())
                .max_concurrent_streams(CALLS)
                .keep_alive_interval(KEEP_ALIVE)
                .keep_alive_timeout(KEEP_ALIVE);
            _ = builder.serve_connection(TokioIo::new(stream), service).await;
            drop(place);
        });
        while connections.try_join_next().is_some() {}
    }
    // Exporters keep their connections open: only calls that are under way are waited for.
    _ = tokio::time::timeout(GRACE, async { while connections.join_next().await.is_some() {} }).await;
    connections.abort_all();
}
