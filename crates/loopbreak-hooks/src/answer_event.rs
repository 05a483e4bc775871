//! Answers one event. The agent continues whatever happens.

use std::borrow::Cow;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use loopbreak::Mode;
use loopbreak_store::{RunKey, Store, StoreError, StoreUrl, open, repair};

use crate::detect_agent::detect_agent;
use crate::error_log;
use crate::hook_agent::HookAgent;
use crate::hook_environment::HookEnvironment;
use crate::hook_error::HookError;
use crate::hook_event::{HookEvent, read_event};
use crate::hook_event_kind::HookEventKind;
use crate::hook_request::HookRequest;
use crate::hook_response::HookResponse;

/// Reads one event and returns the response for the agent, if there is one. An error is passed to `warn` and written to
/// the error log, and there is no response, so the agent continues.
///
/// Without an agent, it is found from the event. The event of an unknown agent has no response.
pub fn answer(
    agent: Option<&dyn HookAgent>,
    input: impl Read,
    environment: &HookEnvironment<'_>,
) -> Option<String> {
    let answered = catch_unwind(AssertUnwindSafe(|| try_answer(agent, input, environment)));
    let error = match answered.unwrap_or(Err(HookError::Panic)) {
        Ok(response) => return response,
        Err(error) => error.to_string(),
    };
    (environment.warn)(&format!("{error}; the agent continues without the guard"));
    if let Some(store) = &environment.store {
        error_log::append(store, (environment.clock)(), agent.map_or("hook", HookAgent::name), &error);
    }
    None
}

fn try_answer(
    agent: Option<&dyn HookAgent>,
    input: impl Read,
    environment: &HookEnvironment<'_>,
) -> Result<Option<String>, HookError> {
    let text = read_event(input)?;
    // First of all, so that nothing else can fail if a user has to get rid of the guard.
    if environment.disabled {
        return Ok(None);
    }
    let text = agent.map_or(Cow::Borrowed(text.as_str()), |agent| agent.normalize_event(&text));
    let event: HookEvent<'_> = serde_json::from_str(&text)?;
    let Some(agent) = agent.or_else(|| detect_agent(&event)) else { return Ok(None) };
    let Some(kind) = agent.event_kind(event.name()) else { return Ok(None) };
    let session = event.session_id.as_deref().filter(|id| !id.is_empty()).ok_or(HookError::NoSession)?;
    let folder = event.cwd.as_deref().unwrap_or_default();
    let settings_folder = if Path::new(folder).is_dir() { folder } else { "." };
    let settings = (environment.load_settings)(Path::new(settings_folder)).map_err(HookError::Settings)?;
    if settings.mode == Mode::Off {
        return Ok(None);
    }
    let key = RunKey {
        source: agent.name().to_owned(),
        session: session.to_owned(),
        agent: event.agent_id.as_deref().unwrap_or_default().to_owned(),
    };
    let (warn, now) = (environment.warn, (environment.clock)());
    let request = HookRequest { agent, settings: &settings, event: &event, kind, run: session, now, warn };
    let url = StoreUrl::from(environment.store.clone().ok_or(HookError::NoStore)?);
    let mut store = open(&url)?;
    report_quarantine(&request, &url, &*store);
    let response = match respond(&mut *store, &key, folder, &request) {
        Err(HookError::Store(StoreError::Damaged(_))) => {
            drop(store);
            let mut store = repair(&url)?;
            report_quarantine(&request, &url, &*store);
            respond(&mut *store, &key, folder, &request)
        }
        response => response,
    }?;
    Ok(agent.render(&event, &response).map(|json| json.to_string()))
}

/// Handles an event and stores the change of its run.
fn respond(
    store: &mut dyn Store,
    key: &RunKey,
    folder: &str,
    request: &HookRequest<'_>,
) -> Result<HookResponse, HookError> {
    // Most calls continue no loop. They are allowed without a write lock, which all hooks would wait for.
    let mut handled = None;
    if matches!(request.kind, HookEventKind::BeforeTool | HookEventKind::ToolBatch) {
        let stored = store.state(key)?;
        let (change, response) = request.handle(stored.as_deref())?;
        let Some(change) = change else { return Ok(response) };
        handled = Some((stored, (Some(change), response)));
    }
    let transaction = store.begin(key, folder, request.now)?;
    let (change, response) = match handled {
        Some((stored, handled)) if stored.as_deref() == transaction.state() => handled,
        // There was no look at the run before, or another process has changed it since.
        _ => request.handle(transaction.state())?,
    };
    // A response is given only if the change is stored. Otherwise it would be repeated, or never count.
    if let Some(change) = change {
        transaction.commit(change)?;
    }
    Ok(response)
}

/// Reports that a damaged store was moved away.
fn report_quarantine(request: &HookRequest<'_>, url: &StoreUrl, store: &dyn Store) {
    if let Some(path) = store.quarantined() {
        let message =
            format!("the store was damaged and was moved to {}; a new one was created", path.display());
        (request.warn)(&message);
        error_log::append(url.as_path(), request.now, request.agent.name(), &message);
    }
}
