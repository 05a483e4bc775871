//! Checks every request over HTTP before the protocol sees it: its token, its path, and the limits of its body. A refusal
//! says what to do instead.

use std::sync::Arc;

use http_body_util::{BodyExt as _, Collected, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONNECTION, CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use hyper::{Method, Request, Response, StatusCode};
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;

use super::client_sessions::ClientSessions;
use crate::http::{
    AnswerBody, BearerToken, BodyBudget, BodyRefusal, ByteStream, ConnectionGate, ConnectionPhase,
    ConnectionPlace,
};
use crate::mcp::protocol::McpServer;
use crate::mcp::protocol::input_limits::MESSAGE_BYTES;

/// Path of the endpoint.
pub(super) const PATH: &str = "/mcp";
/// Longest text of the protocol library that is repeated, in bytes.
const REASON_BYTES: usize = 2000;

/// Handles requests. Clones share everything.
#[derive(Clone)]
pub(super) struct HttpGate {
    pub(super) token: Option<BearerToken>,
    pub(super) sessions: ClientSessions,
    pub(super) bodies: BodyBudget,
    pub(super) service: StreamableHttpService<McpServer, LocalSessionManager>,
}

impl ConnectionGate for HttpGate {
    async fn answer(&self, request: Request<Incoming>, place: &Arc<ConnectionPlace>) -> Response<AnswerBody> {
        place.enter(ConnectionPhase::SendsBody);
        // Before anything else of the request is read.
        if self.token.as_ref().is_some_and(|token| !token.is_in(request.headers())) {
            let hint = "Send the token of this server: `Authorization: Bearer TOKEN`. `loopbreak mcp --print-token` prints \
                        it on the machine of the server, unless --token-file or LOOPBREAK_TOKEN set another one.";
            let mut response = refuse(StatusCode::UNAUTHORIZED, hint, place);
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            return response;
        }
        if request.uri().path() != PATH {
            let hint = format!(
                "Nothing is served at this path. The MCP endpoint is {PATH}: send POST requests there."
            );
            return refuse(StatusCode::NOT_FOUND, &hint, place);
        }
        let (parts, body) = request.into_parts();
        let body = match self.bodies.read(body).await {
            Ok(body) => body,
            Err(refusal) => return refuse_body(refusal, place),
        };
        place.enter(ConnectionPhase::Waits);
        let (bytes, share) = body.into_parts();
        let (method, session) = (parts.method.clone(), ClientSessions::id_in(&parts.headers));
        let response = self.service.handle(Request::from_parts(parts, Full::new(bytes))).await;
        let (mut head, stream) = response.into_parts();
        // Clients that leave expect this status.
        if method == Method::DELETE && head.status == StatusCode::ACCEPTED {
            head.status = StatusCode::NO_CONTENT;
        }
        if let Some(session) = session.clone().or_else(|| ClientSessions::id_in(&head.headers)) {
            self.sessions.touch(session).await;
        }
        let body = if head.status.is_client_error() && !is_json(&head.headers) {
            explain(head.status, &method, session.is_some(), stream, place).await
        } else if method == Method::GET {
            AnswerBody::stream(stream, place)
        } else {
            AnswerBody::gather(stream, place).await
        };
        drop(share);
        Response::from_parts(head, body)
    }
}

fn is_json(headers: &hyper::HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("application/json"))
}

/// Refuses a request whose body is not read, and closes the connection after it.
fn refuse(status: StatusCode, text: &str, place: &Arc<ConnectionPlace>) -> Response<AnswerBody> {
    let mut response = Response::new(AnswerBody::whole(format!("{text}\n"), place));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

fn refuse_body(refusal: BodyRefusal, place: &Arc<ConnectionPlace>) -> Response<AnswerBody> {
    let (status, text) = match refusal {
        BodyRefusal::TooLarge => (
            StatusCode::PAYLOAD_TOO_LARGE,
            format!(
                "The body has more than {MESSAGE_BYTES} bytes. Shorten long texts such as outcomes: their beginning and \
                 end are enough."
            ),
        ),
        BodyRefusal::TooSlow => {
            (StatusCode::REQUEST_TIMEOUT, "The body did not arrive in time. Send it at once.".to_owned())
        }
        BodyRefusal::NoRoom => (
            StatusCode::SERVICE_UNAVAILABLE,
            "Too many large requests are under way. Try again in a second.".to_owned(),
        ),
        BodyRefusal::Broken => (StatusCode::BAD_REQUEST, "The body could not be read.".to_owned()),
    };
    let mut response = refuse(status, &text, place);
    if refusal == BodyRefusal::NoRoom {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}

/// Adds to the words of the protocol library what a client has to do.
async fn explain(
    status: StatusCode,
    method: &Method,
    has_session: bool,
    stream: ByteStream,
    place: &Arc<ConnectionPlace>,
) -> AnswerBody {
    let reason = stream.collect().await.map_or_else(|never| match never {}, Collected::to_bytes);
    let hint = match status {
        StatusCode::NOT_ACCEPTABLE if method == Method::GET => {
            "Send the header `Accept: text/event-stream`, and the header `Mcp-Session-Id` that the answer to `initialize` \
             had. Calls are POST requests."
        }
        StatusCode::NOT_ACCEPTABLE => "Send the header `Accept: application/json, text/event-stream`.",
        StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            "Send one JSON-RPC message as JSON, with the header `Content-Type: application/json`. NaN and Infinity are \
             not JSON."
        }
        StatusCode::BAD_REQUEST if !has_session => {
            "Send `initialize` first, and then with every request the header `Mcp-Session-Id` that its answer has; or use \
             version 2026-07-28 of the protocol, which needs no session."
        }
        StatusCode::NOT_FOUND => {
            "The session has ended. Send `initialize` again, without the header `Mcp-Session-Id`."
        }
        StatusCode::FORBIDDEN => {
            "The server accepts only the host names and origins that it was started with: see --allow-host and \
             --allow-origin."
        }
        StatusCode::METHOD_NOT_ALLOWED => "Calls are POST requests.",
        _ => "",
    };
    let reason = &reason[..reason.len().min(REASON_BYTES)];
    let text = [String::from_utf8_lossy(reason).trim_end(), hint, ""].join("\n");
    AnswerBody::whole(Bytes::from(text), place)
}
