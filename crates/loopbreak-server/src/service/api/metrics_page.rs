//! Health, and metrics for Prometheus.

use std::fmt::Write as _;
use std::sync::atomic::Ordering;

use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use axum::response::Response;
use loopbreak_store::service::{RunVerdict, TokenScope};
use loopbreak_store::{LIVE_MS, now};

use super::api_error::ApiError;
use super::run_output::HealthOutput;
use super::service_api::{ApiRequest, ServiceApi, json, typed};
use crate::service::guards::LATENCY_BUCKETS;

pub(super) async fn health() -> Result<Response, ApiError> {
    json(&HealthOutput { status: "ok".to_owned() })
}

pub(super) async fn readiness(State(api): State<ServiceApi>) -> Result<Response, ApiError> {
    api.ask(|store| store.check()).await?;
    json(&HealthOutput { status: "ok".to_owned() })
}

pub(super) async fn metrics(
    State(api): State<ServiceApi>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    ApiRequest::new(request, TokenScope::Read)?;
    let since = now().saturating_sub(LIVE_MS);
    let runs = api.ask(move |store| store.count_runs(since)).await?;
    Ok(typed("text/plain; version=0.0.4; charset=utf-8", render(&api, &runs)))
}

fn render(api: &ServiceApi, runs: &[(RunVerdict, u64)]) -> String {
    let counters = api.pool.counters();
    let mut text = String::new();
    let mut family = |name: &str, kind: &str, help: &str, lines: Vec<String>| {
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        for line in lines {
            let _ = writeln!(text, "{line}");
        }
    };
    let findings = counters.findings().into_iter().map(|((detector, severity, acted), count)| {
        format!(
            "loopbreak_findings_total{{detector=\"{detector}\",severity=\"{severity}\",acted=\"{acted}\"}} {count}"
        )
    });
    family("loopbreak_findings_total", "counter", "Findings since the server started.", findings.collect());
    let by_verdict = RunVerdict::ALL.map(|verdict| {
        let count = runs.iter().find(|(known, _)| *known == verdict).map_or(0, |(_, count)| *count);
        format!("loopbreak_runs{{verdict=\"{}\"}} {count}", verdict.as_str())
    });
    family(
        "loopbreak_runs",
        "gauge",
        "Runs seen in the last hour, by their last verdict.",
        by_verdict.into(),
    );
    let (tokens, cost) = counters.waste();
    family(
        "loopbreak_wasted_tokens_total",
        "counter",
        "Tokens of steps in loops.",
        vec![format!("loopbreak_wasted_tokens_total {tokens}")],
    );
    family(
        "loopbreak_wasted_usd_total",
        "counter",
        "Cost of steps in loops, in US dollars.",
        vec![format!("loopbreak_wasted_usd_total {cost}")],
    );
    let (buckets, sum, count) = counters.latency();
    let mut below = 0;
    let mut lines = Vec::new();
    for (bucket, bound) in buckets.iter().zip(LATENCY_BUCKETS) {
        below += bucket;
        lines.push(format!("loopbreak_step_seconds_bucket{{le=\"{bound}\"}} {below}"));
    }
    lines.push(format!("loopbreak_step_seconds_bucket{{le=\"+Inf\"}} {count}"));
    lines.push(format!("loopbreak_step_seconds_sum {sum}"));
    lines.push(format!("loopbreak_step_seconds_count {count}"));
    family(
        "loopbreak_step_seconds",
        "histogram",
        "Time from the arrival of steps to their stored answers.",
        lines,
    );
    let gauges = [
        ("loopbreak_guards", "Runs in memory.", counters.live_runs.load(Ordering::Relaxed)),
        ("loopbreak_queued_steps", "Steps that wait.", api.pool.queued() as u64),
    ];
    for (name, help, value) in gauges {
        family(name, "gauge", help, vec![format!("{name} {value}")]);
    }
    family(
        "loopbreak_shed_steps_total",
        "counter",
        "Steps that were refused because there was too much to do.",
        vec![format!("loopbreak_shed_steps_total {}", counters.shed())],
    );
    text
}
