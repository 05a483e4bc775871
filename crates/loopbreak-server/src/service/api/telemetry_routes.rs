//! Telemetry of agents: OTLP over HTTP beside the other routes, and over gRPC.

use axum::Router;
use axum::body::Body;
#[cfg(feature = "grpc")]
use axum::middleware::from_fn_with_state;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use hyper::Request;
use loopbreak_store::service::TokenScope;

use super::api_error::ApiError;
use super::caller_access::ApiCaller;
use super::service_api::ServiceApi;
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
pub(crate) fn telemetry_grpc_router(api: &ServiceApi) -> Router {
    otlp_grpc_router(api.telemetry.clone()).layer(from_fn_with_state(api.clone(), check_call))
}

#[cfg(feature = "grpc")]
async fn check_call(
    axum::extract::State(api): axum::extract::State<ServiceApi>,
    mut request: Request<Body>,
    next: Next,
) -> Response {
    // A request cannot be shared with the lookup of its token, because its body cannot.
    let headers = request.headers().clone();
    let checked = async {
        let caller = api.access.identify(&headers).await?;
        caller.require(TokenScope::Ingest)?;
        api.limits.take(&caller.id, 1)?;
        Ok::<ApiCaller, ApiError>(caller)
    };
    match checked.await {
        Ok(caller) => {
            request.extensions_mut().insert::<crate::service::ProjectName>(caller.project);
            next.run(request).await
        }
        Err(error) => grpc_refusal(error.status, error.message()),
    }
}
