//! MCP over HTTP, for many clients: one address, a token, and a check of the origin that keeps out web pages.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::runtime::Builder;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::client_sessions::{ClientSessions, MAX_IDLE};
use super::http_gate::HttpGate;
use crate::http::{
    BearerToken, BodyBudget, BoundPort, ConnectionSecurity, OpenConnections, accept_connections,
    connection_limit, wait_for_shutdown,
};
use crate::mcp::protocol::input_limits::MESSAGE_BYTES;
use crate::mcp::protocol::{McpOptions, McpServer, OwnRun, ServeEnd, ServeError};
use crate::mcp::state::{CallQueue, ConnectionKind, ConnectionRuns, VisibleRuns};

/// Time that clients have to leave when the server ends.
const SHUTDOWN_TIME: Duration = Duration::from_secs(3);

/// Address and access rules of the server.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// Address to listen on.
    pub address: SocketAddr,
    /// Token that clients have to send. Without one, every user of the machine can read and change the runs of the server.
    /// Required if other machines can reach the address.
    pub token: Option<BearerToken>,
    /// Show all runs of the store. Otherwise clients see only those that were recorded over MCP, and not the sessions of
    /// hooks.
    pub all_runs: bool,
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
    let visible = if http.all_runs { VisibleRuns::All } else { VisibleRuns::OfServer };
    let (queue, worker) = CallQueue::open_with(options, visible)?;
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
    let port = BoundPort::bind(address, ConnectionSecurity::Plain).await.map_err(failed)?;
    let end = CancellationToken::new();
    let gate = gate(server, http, &end);
    let connections = OpenConnections::new(connection_limit());
    ready(port.address);
    let mut tasks = JoinSet::new();
    let why = tokio::select! {
        () = accept_connections(&port, &gate, &connections, &end, &mut tasks) => ServeEnd::Done,
        why = wait_for_shutdown() => why,
    };
    drop(port);
    stopping.store(true, Ordering::Relaxed);
    end.cancel();
    // A client that keeps a stream open for longer is cut off.
    let _ = tokio::time::timeout(SHUTDOWN_TIME, async { while tasks.join_next().await.is_some() {} }).await;
    Ok(why)
}

fn gate(server: McpServer, http: HttpOptions, end: &CancellationToken) -> HttpGate {
    let own = [http.address.ip().to_string()];
    let local = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
    let hosts = local.into_iter().chain(own).chain(http.hosts);
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts)
        .with_allowed_origins(http.origins)
        .enforce_origin_validation()
        .with_max_request_body_bytes(MESSAGE_BYTES)
        .with_cancellation_token(end.child_token());
    let sessions = ClientSessions::default();
    let service = StreamableHttpService::new(move || Ok(server.connect()), sessions.manager(), config);
    HttpGate { token: http.token, sessions, bodies: BodyBudget::default(), service }
}
