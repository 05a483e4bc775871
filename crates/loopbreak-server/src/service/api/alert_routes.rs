//! Alerts, with what became of the messages about them.

use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use axum::response::Response;
use loopbreak_store::service::{AlertQuery, TokenScope};
use schemars::JsonSchema;
use serde::Deserialize;

use super::alert_output::{AlertOutput, AlertPage};
use super::api_error::ApiError;
use super::project_choice::ProjectChoice;
use super::run_routes::{check_limit, invalid_cursor};
use super::service_api::{ApiRequest, ServiceApi, json};

/// Selects alerts.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct AlertsQuery {
    /// Largest number of alerts.
    #[schemars(range(min = 1, max = 500))]
    limit: Option<usize>,
    /// The place to continue at: `next` of the last page.
    #[schemars(regex(pattern = r"^[0-9]{1,18}$"))]
    cursor: Option<String>,
    /// `all` for those of all projects, and of all projects together. Only the owner gets them; others get those of their project.
    projects: Option<ProjectChoice>,
}

pub(super) async fn list_alerts(
    State(api): State<ServiceApi>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    let request = ApiRequest::new(request, TokenScope::Read)?;
    let query: AlertsQuery = request.query()?;
    let limit = check_limit(query.limit)?;
    let before = query.cursor.map(|cursor| cursor.parse().map_err(|_| invalid_cursor())).transpose()?;
    let project = ProjectChoice::project_of(query.projects, &request.caller);
    let alerts = api.ask(move |store| store.alerts(&AlertQuery { project, before, limit })).await?;
    let next = alerts.last().filter(|_| alerts.len() == limit).map(|alert| alert.id.to_string());
    json(&AlertPage { alerts: alerts.into_iter().map(AlertOutput::from).collect(), next })
}
