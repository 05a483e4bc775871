//! HTTP/1 on a connection, within limits of size and time.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio_util::sync::CancellationToken;

use super::answer_body::AnswerBody;
use super::bound_port::ConnectionServer;
use super::connection_security::ByteChannel;
use super::open_connections::ConnectionPlace;

/// Longest time between two requests of a connection.
const IDLE_TIME: Duration = Duration::from_secs(90);
/// Largest head of a request, in bytes.
const HEAD_BYTES: usize = 16 * 1024;

/// Answers requests. Clones share everything.
pub(crate) trait ConnectionGate: Clone + Send + Sync + 'static {
    /// Answers a request.
    fn answer(
        &self,
        request: Request<Incoming>,
        place: &Arc<ConnectionPlace>,
    ) -> impl Future<Output = Response<AnswerBody>> + Send;
}

impl<G: ConnectionGate> ConnectionServer for G {
    const HEAD_TIME: Duration = Duration::from_secs(10);

    async fn serve(self, stream: Box<dyn ByteChannel>, place: &Arc<ConnectionPlace>, end: CancellationToken) {
        let service = service_fn(|request| {
            let (gate, place) = (self.clone(), Arc::clone(place));
            async move { Ok::<_, Infallible>(gate.answer(request, &place).await) }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(IDLE_TIME)
            .max_buf_size(HEAD_BYTES)
            .serve_connection(TokioIo::new(stream), service);
        let mut connection = pin!(connection);
        tokio::select! {
            _ = connection.as_mut() => return,
            () = end.cancelled() => connection.as_mut().graceful_shutdown(),
        }
        let _ = connection.await;
    }
}
