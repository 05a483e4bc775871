//! Telemetry of agents: OTLP over HTTP beside the other routes, and over gRPC.

use axum::Router;
use axum::body::Body;
#[cfg(feature = "grpc")]
use axum::middleware::from_fn_with_state;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
#[cfg(feature = "grpc")]
use hyper::HeaderMap;
use hyper::Request;
use loopbreak_store::service::TokenScope;

use super::api_error::ApiError;
use super::caller_access::ApiCaller;
use super::service_api::ServiceApi;
#[cfg(feature = "grpc")]
use super::service_gate::body_error;
#[cfg(feature = "grpc")]
use crate::http::BodyBudget;
use crate::otlp::otlp_http_router;
#[cfg(feature = "grpc")]
use crate::otlp::{grpc_refusal, otlp_grpc_router};

/// Returns the routes of OTLP over HTTP. The gate has checked the token.
pub(super) fn telemetry_router(api: &ServiceApi) -> Router<ServiceApi> {
    otlp_http_router(api.telemetry.clone()).layer(from_fn(check_scope)).with_state(())
}

async fn check_scope(request: Request<Body>, next: Next) -> Response {
    let caller = request.extensions().get::<ApiCaller>();
    match caller.map_or_else(|| Err(no_caller()), |caller| caller.require(TokenScope::Ingest)) {
        Ok(()) => next.run(request).await,
        Err(error) => error.into_response(),
    }
}

fn no_caller() -> ApiError {
    ApiError::new(hyper::StatusCode::UNAUTHORIZED, "unauthorized", "The request has no token", "Send a token")
}

/// Returns the calls of OTLP over gRPC, with the checks that the gate makes for HTTP.
#[cfg(feature = "grpc")]
pub(crate) fn telemetry_grpc_router(api: &ServiceApi, bodies: BodyBudget) -> Router {
    otlp_grpc_router(api.telemetry.clone()).layer(from_fn_with_state((api.clone(), bodies), check_call))
}

#[cfg(feature = "grpc")]
async fn check_call(
    axum::extract::State((api, bodies)): axum::extract::State<(ServiceApi, BodyBudget)>,
    request: Request<Body>,
    next: Next,
) -> Response {
    let (mut parts, body) = request.into_parts();
    let checked = async {
        let caller = identify_exporter(&api, &parts.headers).await?;
        caller.require(TokenScope::Ingest)?;
        api.limits.take(&caller.id, 1)?;
        let body = bodies.read(body).await.map_err(body_error)?;
        Ok::<_, ApiError>((caller, body))
    };
    match checked.await {
        Ok((caller, body)) => {
            parts.extensions.insert::<crate::service::ProjectName>(caller.project);
            let (bytes, share) = body.into_parts();
            let answer = next.run(Request::from_parts(parts, Body::from(bytes))).await;
            drop(share);
            answer
        }
        Err(error) => grpc_refusal(error.status, error.message()),
    }
}

/// Returns who makes a call. Web pages make none: with TLS, a browser would send the cookie of the dashboard here too.
#[cfg(feature = "grpc")]
async fn identify_exporter(api: &ServiceApi, headers: &HeaderMap) -> Result<ApiCaller, ApiError> {
    let caller = api.access.identify(headers).await?;
    if caller.by_cookie || headers.contains_key(hyper::header::ORIGIN) {
        return Err(ApiError::new(
            hyper::StatusCode::FORBIDDEN,
            "forbidden_origin",
            "Web pages may not send telemetry over gRPC",
            "Send it over HTTP",
        ));
    }
    Ok(caller)
}
