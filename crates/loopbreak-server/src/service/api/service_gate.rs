//! Checks every request before a route sees it: its host, its token, its origin, the rate of its token, and the limits of its
//! body. Nothing of a body is read before that.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use axum::Router;
use axum::body::{Body, Bytes};
use http_body_util::BodyExt as _;
use hyper::body::{Frame, Incoming};
use hyper::header::{
    ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderName, HeaderValue,
    ORIGIN, REFERRER_POLICY, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS,
};
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use tower_service::Service as _;

use super::api_error::ApiError;
use super::caller_access::{ApiCaller, CallerAccess, PROJECT_HEADER};
use super::rate_limit::RateLimits;
use crate::http::{
    AnswerBody, BodyBudget, BodyRefusal, ByteStream, ConnectionGate, ConnectionPhase, ConnectionPlace,
};
use crate::service::ProjectName;

/// Addresses that need no token. They say nothing about runs.
const OPEN_PATHS: [&str; 4] = ["/", "/healthz", "/readyz", "/openapi.json"];
/// Addresses that checkers of health ask for under any host name.
const HEALTH_PATHS: [&str; 2] = ["/healthz", "/readyz"];

/// Headers that decide what a request may do and what it means.
const SINGLE_HEADERS: [&str; 7] = [
    "authorization",
    "origin",
    "content-type",
    "content-encoding",
    "loopbreak-project",
    "idempotency-key",
    "last-event-id",
];

/// Hosts and origins that the server accepts.
#[derive(Clone, Debug, Default)]
pub(crate) struct GateOptions {
    /// Host names, in lower case and without a port.
    pub(crate) hosts: Vec<String>,
    /// Origins of web pages, such as `https://example.org`.
    pub(crate) origins: Vec<String>,
    /// True if the server speaks TLS itself, so that its own pages have the scheme `https`.
    pub(crate) has_tls: bool,
}

/// Handles requests. Clones share everything.
#[derive(Clone)]
pub(crate) struct ServiceGate {
    pub(crate) options: Arc<GateOptions>,
    pub(crate) access: CallerAccess,
    pub(crate) limits: RateLimits,
    pub(crate) bodies: BodyBudget,
    pub(crate) router: Router,
}

/// The body of an answer of the router, which does not fail: one that breaks off ends.
///
/// Streams have to be `Sync`, which a body of the router is not; nobody shares one.
struct RouterBody(Mutex<Body>);

impl ConnectionGate for ServiceGate {
    async fn answer(&self, request: Request<Incoming>, place: &Arc<ConnectionPlace>) -> Response<AnswerBody> {
        place.enter(ConnectionPhase::SendsBody);
        let mut response = match self.check(&request).await {
            Ok(caller) => self.route(request, caller, place).await,
            Err(error) => refuse(&error, place),
        };
        add_headers(response.headers_mut());
        response
    }
}

impl ServiceGate {
    /// Checks everything but the body. Returns who sends the request, if that is known.
    async fn check<B>(&self, request: &Request<B>) -> Result<Option<ApiCaller>, ApiError> {
        let (path, headers) = (request.uri().path(), request.headers());
        check_single(headers)?;
        if !HEALTH_PATHS.contains(&path) {
            self.check_host(request)?;
        }
        let is_open = OPEN_PATHS.contains(&path);
        if is_open && !matches!(*request.method(), Method::GET | Method::HEAD) {
            return Err(ApiError::new(
                StatusCode::METHOD_NOT_ALLOWED,
                "method_not_allowed",
                "This address can only be read",
                "Send GET",
            ));
        }
        let caller = match self.access.identify(headers).await {
            Ok(caller) => Some(caller),
            Err(_) if is_open => None,
            Err(error) => return Err(error),
        };
        // A page that was opened by a link from elsewhere sends no origin with GET; it cannot read the answer.
        if !is_open || headers.contains_key(ORIGIN) {
            self.check_origin(headers, caller.as_ref(), request.method())?;
        }
        if let Some(caller) = &caller {
            self.limits.take(&caller.id, 1)?;
        }
        Ok(caller)
    }

    /// Checks the name by which the server was reached, so that no web page can pretend to be the server.
    fn check_host<B>(&self, request: &Request<B>) -> Result<(), ApiError> {
        let mut hosts = request.headers().get_all(HOST).iter();
        let (host, second) = (hosts.next().and_then(|host| host.to_str().ok()), hosts.next());
        let name = host.filter(|_| second.is_none()).and_then(host_name);
        let is_known = |name: Option<String>| name.is_some_and(|name| self.options.hosts.contains(&name));
        // A request may name its host in its first line too, as those to a proxy do, and that name counts then.
        let target = request.uri().authority();
        if is_known(name) && target.is_none_or(|target| is_known(host_name(target.as_str()))) {
            return Ok(());
        }
        Err(ApiError::new(
            StatusCode::FORBIDDEN,
            "forbidden_host",
            "The server does not answer under this host name",
            "Use the address that it prints when it starts, or start it with --allow-host NAME",
        ))
    }

    /// Refuses requests of web pages of other origins.
    fn check_origin(
        &self,
        headers: &HeaderMap,
        caller: Option<&ApiCaller>,
        method: &Method,
    ) -> Result<(), ApiError> {
        let refused = || {
            ApiError::new(
                StatusCode::FORBIDDEN,
                "forbidden_origin",
                "Web pages of other origins may not use the server",
                "Start it with --allow-origin ORIGIN if the page may",
            )
        };
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let is_own = |origin: &str| {
            origin.split_once("://").is_some_and(|(scheme, authority)| {
                let is_possible = scheme == "https" || scheme == "http" && !self.options.has_tls;
                is_possible && authority.eq_ignore_ascii_case(host)
            })
        };
        match headers.get(ORIGIN) {
            Some(origin) => {
                let origin = origin.to_str().map_err(|_| refused())?;
                let is_allowed = self.options.origins.iter().any(|allowed| allowed == origin);
                if is_own(origin) || is_allowed { Ok(()) } else { Err(refused()) }
            }
            // Browsers send an origin with every request that changes something, and the cookie by themselves.
            None if caller.is_some_and(|caller| caller.by_cookie)
                && !matches!(*method, Method::GET | Method::HEAD) =>
            {
                Err(refused())
            }
            None => Ok(()),
        }
    }

    async fn route(
        &self,
        request: Request<Incoming>,
        caller: Option<ApiCaller>,
        place: &Arc<ConnectionPlace>,
    ) -> Response<AnswerBody> {
        let (mut parts, body) = request.into_parts();
        let body = match self.bodies.read(body).await {
            Ok(body) => body,
            Err(refusal) => return refuse(&body_error(refusal), place),
        };
        place.enter(ConnectionPhase::Waits);
        let project = caller.as_ref().and_then(|caller| HeaderValue::from_str(caller.project.as_str()).ok());
        if let Some(caller) = caller {
            // Routes of other modules need only the project.
            parts.extensions.insert::<ProjectName>(caller.project.clone());
            parts.extensions.insert(caller);
        }
        let (bytes, share) = body.into_parts();
        let mut router = self.router.clone();
        let answered = router.call(Request::from_parts(parts, Body::from(bytes))).await;
        drop(share);
        let (mut head, body) = answered.unwrap_or_else(|never| match never {}).into_parts();
        // Clients whose token belongs to a project learn which one it is.
        if let Some(project) = project {
            head.headers.insert(HeaderName::from_static(PROJECT_HEADER), project);
        }
        let is_stream = head
            .headers
            .get(CONTENT_TYPE)
            .is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
        let body: ByteStream = RouterBody(Mutex::new(body)).boxed();
        let body =
            if is_stream { AnswerBody::stream(body, place) } else { AnswerBody::gather(body, place).await };
        Response::from_parts(head, body)
    }
}

impl hyper::body::Body for RouterBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let body = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        Pin::new(body).poll_frame(context).map(|frame| frame.and_then(Result::ok).map(Ok))
    }
}

/// Refuses a request that has one of these headers twice: a proxy in front of the server may have looked at the other one.
fn check_single(headers: &HeaderMap) -> Result<(), ApiError> {
    let twice = SINGLE_HEADERS.iter().find(|name| headers.get_all(**name).iter().nth(1).is_some());
    match twice {
        None => Ok(()),
        Some(name) => {
            Err(ApiError::invalid(format!("The header {name} is there more than once"), "Send it once"))
        }
    }
}

/// Returns the name in a header `Host`, in lower case and without the port.
fn host_name(host: &str) -> Option<String> {
    let authority: hyper::http::uri::Authority = host.parse().ok()?;
    if authority.as_str().contains('@') {
        return None;
    }
    let name = authority.host().to_ascii_lowercase();
    Some(name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).map_or(name.clone(), str::to_owned))
}

/// Answers a request whose body is not read, and closes the connection after it.
fn refuse(error: &ApiError, place: &Arc<ConnectionPlace>) -> Response<AnswerBody> {
    let mut response = Response::new(AnswerBody::whole(error.json(), place));
    *response.status_mut() = error.status;
    let headers = response.headers_mut();
    error.add_headers(headers);
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    if error.status == StatusCode::METHOD_NOT_ALLOWED {
        headers.insert(ALLOW, HeaderValue::from_static("GET,HEAD"));
    }
    if error.status == StatusCode::UNAUTHORIZED {
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

pub(super) fn body_error(refusal: BodyRefusal) -> ApiError {
    let shorten = "Send fewer steps at once, and shorten long texts such as outcomes: their beginning and end are enough";
    match refusal {
        BodyRefusal::TooLarge => ApiError::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "too_large",
            format!("The body has more than {} bytes", crate::http::BODY_BYTES),
            shorten,
        ),
        BodyRefusal::TooSlow => ApiError::new(
            StatusCode::REQUEST_TIMEOUT,
            "too_slow",
            "The body did not arrive in time",
            "Send it at once",
        ),
        BodyRefusal::NoRoom => {
            ApiError::too_many("Too many large requests are under way", std::time::Duration::from_secs(1))
        }
        BodyRefusal::Broken => ApiError::invalid("The body could not be read", "Send it again"),
    }
}

/// Adds the headers that keep browsers from doing anything with an answer that was not asked for.
fn add_headers(headers: &mut HeaderMap) {
    let fixed: [(HeaderName, &'static str); 4] = [
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in fixed {
        // A page may have a policy of its own.
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_host_is_read_without_its_port() {
        for (host, name) in [
            ("localhost", Some("localhost")),
            ("LocalHost:8723", Some("localhost")),
            ("127.0.0.1:80", Some("127.0.0.1")),
            ("[::1]:8723", Some("::1")),
            ("evil@localhost", None),
            ("", None),
            ("a b", None),
        ] {
            assert_eq!(host_name(host).as_deref(), name, "{host}");
        }
    }
}
