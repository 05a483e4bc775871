//! The first page. It says how to send the first run.

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, Request, StatusCode, header};
use axum::response::Response;

use super::api_error::ApiError;
use super::caller::{Caller, SESSION_COOKIE};
use super::service_api::{ServiceApi, typed};

/// The page for the owner.
const PAGE: &str = include_str!("start_page.html");
/// The host in its examples.
const EXAMPLE_HOST: &str = "127.0.0.1:8723";
/// The page for everybody else.
const CLOSED_PAGE: &str = include_str!("closed_page.html");

pub(super) async fn start_page(
    State(api): State<ServiceApi>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    let query = request.uri().query().unwrap_or_default();
    let code = query.split('&').find_map(|pair| pair.strip_prefix("code="));
    if let Some(session) = code.and_then(|code| api.access.redeem_code(code)) {
        let mut response = typed("text/html; charset=utf-8", String::new());
        *response.status_mut() = StatusCode::SEE_OTHER;
        // Without the code, which would otherwise stay in the history of the browser.
        response.headers_mut().insert(header::LOCATION, HeaderValue::from_static("/"));
        let cookie = format!("{SESSION_COOKIE}={session}; HttpOnly; SameSite=Strict; Path=/; Max-Age=604800");
        if let Ok(cookie) = HeaderValue::from_str(&cookie) {
            response.headers_mut().insert(header::SET_COOKIE, cookie);
        }
        return Ok(response);
    }
    let is_known = request.extensions().get::<Caller>().is_some();
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let page =
        if is_known && is_plain(host) { PAGE.replace(EXAMPLE_HOST, host) } else { CLOSED_PAGE.to_owned() };
    let mut response = typed("text/html; charset=utf-8", page);
    let policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    Ok(response)
}

/// Returns whether a host may stand in a page as it is.
fn is_plain(host: &str) -> bool {
    !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte))
}
