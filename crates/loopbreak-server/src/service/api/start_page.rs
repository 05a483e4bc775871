//! The first page: the dashboard for those who may see it, and a page that says how to get in for everybody else.

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, Request, StatusCode, header};
use axum::response::Response;

use super::api_error::ApiError;
use super::caller_access::ApiCaller;
use super::service_api::{ServiceApi, typed};
use crate::service::dashboard::{DASHBOARD_PAGE, DASHBOARD_POLICY};

/// The page for those whose browser has not been let in.
const CLOSED_PAGE: &str = include_str!("closed_page.html");
/// The policy of that page: it may only show itself.
const CLOSED_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

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
        if let Ok(cookie) = HeaderValue::from_str(&api.access.cookie(&session)) {
            response.headers_mut().insert(header::SET_COOKIE, cookie);
        }
        return Ok(response);
    }
    let is_known = request.extensions().get::<ApiCaller>().is_some();
    let (page, policy) =
        if is_known { (DASHBOARD_PAGE, DASHBOARD_POLICY) } else { (CLOSED_PAGE, CLOSED_POLICY) };
    let mut response = typed("text/html; charset=utf-8", page.to_owned());
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    Ok(response)
}
