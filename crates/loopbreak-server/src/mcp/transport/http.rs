//! MCP over HTTP, for many clients: one address, a token if other machines can reach it, and a check of the origin that
//! keeps out web pages.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::WWW_AUTHENTICATE;
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tokio_util::sync::CancellationToken;

use super::bearer_token::BearerToken;
use super::client_sessions::{ClientSessions, MAX_IDLE};
use super::shutdown_signal::wait_for_shutdown;
use crate::mcp::protocol::input_limits::MESSAGE_BYTES;
use crate::mcp::protocol::{McpOptions, McpServer, OwnRun, ServeEnd, ServeError};
use crate::mcp::state::{CallQueue, ConnectionKind, ConnectionRuns};

/// Path of the endpoint.
const PATH: &str = "/mcp";
/// Time that clients have to leave when the server ends.
const SHUTDOWN_TIME: Duration = Duration::from_secs(3);

/// Address and access rules of the server.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// Address to listen on.
    pub address: SocketAddr,
    /// Token that clients have to send. Required if other machines can reach the address.
    pub token: Option<BearerToken>,
    /// Further host names that clients may use.
    pub hosts: Vec<String>,
    /// Origins of web pages that may call the server, such as `http://localhost:6274`. All others are refused.
    pub origins: Vec<String>,
}

/// Serves until the program is asked to end. Calls `ready` with the address, which has the actual port.
pub fn serve_http(
    options: McpOptions,
    http: HttpOptions,
    ready: impl FnOnce(SocketAddr),
) -> Result<ServeEnd, ServeError> {
    if !http.address.ip().is_loopback() && http.token.is_none() {
        return Err(ServeError::NeedsToken(http.address));
    }
    // One thread for the protocol keeps the calls in order.
    let runtime = Builder::new_current_thread().enable_all().build().map_err(ServeError::Runtime)?;
    let own = options.run.clone().map_or(OwnRun::OfSession, OwnRun::Named);
    let (queue, worker) = CallQueue::open(options)?;
    let kind = ConnectionKind::HttpSession(MAX_IDLE);
    let connection = ConnectionRuns::new(queue.clone(), kind, Arc::default());
    let stopping = connection.stopping();
    let served = runtime.block_on(listen(McpServer::new(queue, connection, own), http, &stopping, ready));
    runtime.shutdown_background();
    let _ = worker.join();
    served
}

async fn listen(
    server: McpServer,
    http: HttpOptions,
    stopping: &AtomicBool,
    ready: impl FnOnce(SocketAddr),
) -> Result<ServeEnd, ServeError> {
    let address = http.address;
    let failed = |error| ServeError::Listen { address, error };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let end = CancellationToken::new();
    let app = app(server, &http, &end);
    ready(listener.local_addr().map_err(failed)?);
    let leaving = end.clone();
    let serving = axum::serve(listener, app).with_graceful_shutdown(leaving.cancelled_owned());
    let serving = serving.into_future();
    tokio::pin!(serving);
    tokio::select! {
        over = &mut serving => over.map(|()| ServeEnd::Done).map_err(failed),
        why = wait_for_shutdown() => {
            stopping.store(true, Ordering::Relaxed);
            end.cancel();
            // A client that keeps a stream open for longer is cut off.
            let _ = tokio::time::timeout(SHUTDOWN_TIME, serving).await;
            Ok(why)
        }
    }
}

fn app(server: McpServer, http: &HttpOptions, end: &CancellationToken) -> Router {
    let own = [http.address.ip().to_string()];
    let local = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
    let hosts = local.into_iter().chain(own).chain(http.hosts.iter().cloned());
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts)
        .with_allowed_origins(http.origins.iter().cloned())
        .enforce_origin_validation()
        .with_max_request_body_bytes(MESSAGE_BYTES)
        .with_cancellation_token(end.child_token());
    let sessions = ClientSessions::default();
    let service = StreamableHttpService::new(move || Ok(server.connect()), sessions.manager(), config);
    let gate = HttpGate { token: http.token.clone(), sessions };
    Router::new().route_service(PATH, service).layer(from_fn_with_state(gate, check_request))
}

/// Check of the token, and the open sessions.
#[derive(Clone, Debug)]
struct HttpGate {
    token: Option<BearerToken>,
    sessions: ClientSessions,
}

/// Refuses requests without the token, if there is one, and tracks sessions.
async fn check_request(State(gate): State<HttpGate>, request: Request, next: Next) -> Response {
    let leaves = request.method() == Method::DELETE;
    match gate.token {
        Some(token) if !token.is_in(request.headers()) => {
            let hint = "send the token of this server: Authorization: Bearer TOKEN\n";
            (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer")], hint).into_response()
        }
        _ => {
            let session = ClientSessions::id_in(request.headers());
            let mut response = next.run(request).await;
            // Clients that leave expect this status.
            if leaves && response.status() == StatusCode::ACCEPTED {
                *response.status_mut() = StatusCode::NO_CONTENT;
            }
            if let Some(session) = session.or_else(|| ClientSessions::id_in(response.headers())) {
                gate.sessions.touch(session).await;
            }
            response
        }
    }
}
