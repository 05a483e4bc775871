//! The stream of events: every entry as it is stored, for pages that show it live. A client that lost its connection continues
//! with the id of the last event it got.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderValue, Request, header};
use axum::response::Response;
use hyper::body::Frame;
use loopbreak_store::service::{EntryQuery, LogEntry, TokenScope};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};

use super::api_error::ApiError;
use super::run_output::EntryOutput;
use super::service_api::{ApiRequest, ServiceApi};

/// Number of entries that are read at once.
const PAGE: usize = 200;
/// Time after which the store is read even if this server stored nothing: another server may have.
const POLL_TIME: Duration = Duration::from_secs(2);
/// Time after which a comment keeps the connection open.
const COMMENT_TIME: Duration = Duration::from_secs(15);
/// Shortest time between two reads, so that a busy server is not asked for every entry.
const PAUSE: Duration = Duration::from_millis(50);
/// Number of parts that wait for a slow reader.
const WAITING_PARTS: usize = 4;

/// Selects events.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct EventsQuery {
    /// Continue after the event with this id, as the header `Last-Event-ID` does. 0 for all that are stored. Default: only new
    /// events.
    #[schemars(range(min = 0))]
    after: Option<i64>,
    /// Only events in which something was found, and those that are no steps.
    notable: Option<bool>,
    /// End after this number of events.
    #[schemars(range(min = 1, max = 100_000))]
    limit: Option<usize>,
    /// End after this number of seconds. 0 returns what is there. Default: without end.
    #[schemars(range(min = 0, max = 86_400))]
    wait: Option<u64>,
}

/// A body whose parts come from a channel.
struct ChannelBody(mpsc::Receiver<Bytes>);

impl hyper::body::Body for ChannelBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|part| part.map(|part| Ok(Frame::data(part))))
    }
}

/// Follows the entries of a project.
struct EntryFollower {
    api: ServiceApi,
    query: EntryQuery,
    left: usize,
    until: Option<Instant>,
    parts: mpsc::Sender<Bytes>,
}

pub(super) async fn events(
    State(api): State<ServiceApi>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    let request = ApiRequest::new(request, TokenScope::Read)?;
    let query: EventsQuery = request.query()?;
    let invalid = |name: &str, hint: &str| ApiError::invalid(format!("Invalid parameter `{name}`"), hint);
    if query.limit.is_some_and(|limit| !(1..=100_000).contains(&limit)) {
        return Err(invalid("limit", "Use 1 to 100000"));
    }
    if query.wait.is_some_and(|wait| wait > 86_400) {
        return Err(invalid("wait", "Use 0 to 86400 seconds"));
    }
    if query.after.is_some_and(|after| after < 0) {
        return Err(invalid("after", "Use the id of an event, or 0"));
    }
    let last_id = request.headers.get("last-event-id").map(|id| {
        let id = id.to_str().ok().and_then(|id| id.trim().parse().ok()).filter(|id: &i64| *id >= 0);
        id.ok_or_else(|| ApiError::invalid("Invalid header Last-Event-ID", "Send the id of an event"))
    });
    let last_id = last_id.transpose()?;
    let after = match last_id.or(query.after) {
        Some(after) => after,
        None => api.ask(|store| store.last_entry()).await?,
    };
    let (parts, receiver) = mpsc::channel(WAITING_PARTS);
    let reader = EntryFollower {
        query: EntryQuery {
            project: Some(request.caller.project.to_string()),
            notable: query.notable.unwrap_or(false),
            after: Some(after),
            limit: PAGE,
            ..EntryQuery::default()
        },
        left: query.limit.unwrap_or(usize::MAX),
        until: query.wait.map(|wait| Instant::now() + Duration::from_secs(wait)),
        parts,
        api,
    };
    tokio::spawn(reader.run());
    let mut response = Response::new(Body::new(ChannelBody(receiver)));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    Ok(response)
}

impl EntryFollower {
    async fn run(mut self) {
        let mut stored = self.api.pool.entries();
        // Tells the browser how long to wait before it connects again, and sends the head at once.
        if self.parts.send(Bytes::from_static(b"retry: 2000\n\n")).await.is_err() {
            return;
        }
        let mut sent = Instant::now();
        loop {
            stored.borrow_and_update();
            let (query, most) = (self.query.clone(), self.left.min(PAGE));
            let query = EntryQuery { limit: most, ..query };
            // If the store fails, the client connects again and continues where it was.
            let Ok(entries) = self.api.ask(move |store| store.entries(&query)).await else { return };
            let is_full = entries.len() == most;
            if let Some(last) = entries.last() {
                self.query.after = Some(last.id);
                self.left -= entries.len();
                if self.parts.send(render(entries)).await.is_err() || self.left == 0 {
                    return;
                }
                sent = Instant::now();
            }
            if is_full {
                continue;
            }
            let wait = match self.until {
                Some(until) if until <= Instant::now() => return,
                Some(until) => POLL_TIME.min(until - Instant::now()),
                None => POLL_TIME,
            };
            tokio::select! {
                _ = timeout(wait, stored.changed()) => {}
                () = self.parts.closed() => return,
            }
            if sent.elapsed() >= COMMENT_TIME {
                if self.parts.send(Bytes::from_static(b": still here\n\n")).await.is_err() {
                    return;
                }
                sent = Instant::now();
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
}

fn render(entries: Vec<LogEntry>) -> Bytes {
    let mut text = String::new();
    for entry in entries {
        let kind = entry.kind.as_str();
        let output = EntryOutput::new(entry, false);
        let data = serde_json::to_string(&output).unwrap_or_default();
        let _ = write!(text, "id: {}\nevent: {kind}\ndata: {data}\n\n", output.id);
    }
    text.into()
}
