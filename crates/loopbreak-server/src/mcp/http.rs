//! MCP over HTTP, for many clients: one address, a token where others could reach it, and no browser that was lured here.

use std::net::SocketAddr;
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

use super::desk::Desk;
use super::limits::MESSAGE_BYTES;
use super::server::{End, Options, OwnRun, ServeError, Server};
use super::sessions::Sessions;
use super::signal::asked_to_end;
use super::token::Token;

/// The path of the endpoint.
const PATH: &str = "/mcp";
/// How long clients have to leave when the server ends.
const FAREWELL: Duration = Duration::from_secs(3);

/// Where and for whom to serve.
#[derive(Clone, Debug)]
pub struct Http {
    /// The address to listen on.
    pub address: SocketAddr,
    /// What clients have to know. Needed where the address is not of this machine alone.
    pub token: Option<Token>,
    /// Further names under which clients may ask for this server.
    pub hosts: Vec<String>,
    /// The origins of pages that may ask, such as `http://localhost:6274`. Browsers on all others are refused.
    pub origins: Vec<String>,
}

/// Serves until the program is asked to end. `ready` is told the address with the port that was given.
pub fn serve(options: Options, http: Http, ready: impl FnOnce(SocketAddr)) -> Result<End, ServeError> {
    if !http.address.ip().is_loopback() && http.token.is_none() {
        return Err(ServeError::NeedsToken(http.address));
    }
    // One thread for the protocol: so calls are handed in in the order in which they came.
    let runtime = Builder::new_current_thread().enable_all().build().map_err(ServeError::Runtime)?;
    let own = options.run.clone().map_or(OwnRun::OfSession, OwnRun::Named);
    let (desk, worker) = Desk::open(options)?;
    let served = runtime.block_on(listen(Server::new(desk, own), http, ready));
    runtime.shutdown_background();
    let _ = worker.join();
    served
}

async fn listen(server: Server, http: Http, ready: impl FnOnce(SocketAddr)) -> Result<End, ServeError> {
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
        over = &mut serving => over.map(|()| End::Done).map_err(failed),
        why = asked_to_end() => {
            end.cancel();
            // Who holds a stream open for longer is cut off.
            let _ = tokio::time::timeout(FAREWELL, serving).await;
            Ok(why)
        }
    }
}

fn app(server: Server, http: &Http, end: &CancellationToken) -> Router {
    let own = [http.address.ip().to_string()];
    let local = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
    let hosts = local.into_iter().chain(own).chain(http.hosts.iter().cloned());
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts)
        .with_allowed_origins(http.origins.iter().cloned())
        .enforce_origin_validation()
        .with_max_request_body_bytes(MESSAGE_BYTES)
        .with_cancellation_token(end.child_token());
    let sessions = Sessions::default();
    let service = StreamableHttpService::new(move || Ok(server.clone()), sessions.manager(), config);
    let door = Door { token: http.token.clone(), sessions };
    Router::new().route_service(PATH, service).layer(from_fn_with_state(door, known))
}

/// Who is let in, and who is in.
#[derive(Clone, Debug)]
struct Door {
    token: Option<Token>,
    sessions: Sessions,
}

/// Lets only those in who know the token, where there is one.
async fn known(State(door): State<Door>, request: Request, next: Next) -> Response {
    let leaves = request.method() == Method::DELETE;
    match door.token {
        Some(token) if !token.is_in(request.headers()) => {
            let told = "give the token of this server: Authorization: Bearer TOKEN\n";
            (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer")], told).into_response()
        }
        _ => {
            let session = Sessions::named(request.headers());
            let mut response = next.run(request).await;
            // To a client that leaves, only these two words mean that it may go.
            if leaves && response.status() == StatusCode::ACCEPTED {
                *response.status_mut() = StatusCode::NO_CONTENT;
            }
            if let Some(session) = session.or_else(|| Sessions::named(response.headers())) {
                door.sessions.note(session).await;
            }
            response
        }
    }
}
