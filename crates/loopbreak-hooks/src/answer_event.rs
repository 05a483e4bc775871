//! Answers one event. The agent continues whatever happens, and it never waits for long.

use std::borrow::Cow;
use std::cell::RefCell;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use loopbreak::Mode;
use loopbreak_store::{RunKey, StoreError};

use crate::detect_agent::detect_agent;
use crate::error_log;
use crate::event_queue::{EventQueue, MAX_EVENT_BYTES, QueuedEvent, random_id, run_name};
use crate::event_recorder::EventRecorder;
use crate::hook_agent::HookAgent;
use crate::hook_budget::HookBudget;
use crate::hook_environment::{HookEnvironment, HookSettings};
use crate::hook_error::HookError;
use crate::hook_event::{HookEvent, read_event};
use crate::hook_event_kind::HookEventKind;
use crate::hook_response::HookResponse;
use crate::hook_watch::{HookWatch, UnfinishedStep};
use crate::own_files::OwnFiles;
use crate::store_trouble::{is_news, note_locked};

/// Reads one event and returns the response for the agent, if there is one. An error is passed to `warn` and written to
/// the error log, and there is no decision, so the agent continues. The user is told once per session.
///
/// Without an agent, it is found from the event. The event of an unknown agent has no response.
pub fn answer(
    agent: Option<&dyn HookAgent>,
    input: impl Read,
    environment: &HookEnvironment<'_>,
) -> Option<String> {
    let watch = HookWatch::start(environment.limit.as_ref());
    let answered = catch_unwind(AssertUnwindSafe(|| try_answer(agent, input, environment, &watch)));
    let response = answered.unwrap_or(Err(HookError::Panic)).unwrap_or_else(|error| {
        report(environment, agent.map_or("hook", HookAgent::name), &error);
        None
    });
    watch.finish();
    response
}

/// Reports an error to people. The agent continues.
fn report(environment: &HookEnvironment<'_>, agent: &str, error: &HookError) {
    let error = error.to_string();
    (environment.warn)(&format!("{error}; the agent continues without the guard"));
    if let Some(store) = &environment.store {
        error_log::append(store, (environment.clock)(), agent, &error);
    }
}

fn try_answer(
    agent: Option<&dyn HookAgent>,
    input: impl Read,
    environment: &HookEnvironment<'_>,
    watch: &HookWatch,
) -> Result<Option<String>, HookError> {
    let mut budget = HookBudget::default();
    let text = read_event(input, || {
        budget = HookBudget::start(environment.limit.as_ref());
        watch.begin();
    })?;
    // First of all, so that nothing else can fail if a user has to get rid of the guard.
    if environment.disabled {
        return Ok(None);
    }
    let text = agent.map_or(Cow::Borrowed(text.as_str()), |agent| agent.normalize_event(&text));
    let event: HookEvent<'_> = serde_json::from_str(&text)?;
    let Some(agent) = agent.or_else(|| detect_agent(&event)) else { return Ok(None) };
    let Some(kind) = agent.event_kind(event.name()) else { return Ok(None) };
    let session = event.session_id.as_deref().filter(|id| !id.is_empty()).ok_or(HookError::NoSession)?;
    let key = RunKey {
        source: agent.name().to_owned(),
        session: session.to_owned(),
        agent: event.agent_id.as_deref().unwrap_or_default().to_owned(),
    };
    let store = environment.store.as_deref().ok_or(HookError::NoStore)?;
    let call = EventCall { agent, kind, event: &event, text: &text, key, store, environment, budget, watch };
    let (response, notice) = call.respond();
    let response = response.with_notice(notice.as_deref());
    Ok(agent.render(&event, &response).map(|json| json.to_string()))
}

/// One event of a known agent, with the surroundings of the hook.
struct EventCall<'c> {
    agent: &'c dyn HookAgent,
    kind: HookEventKind,
    event: &'c HookEvent<'c>,
    text: &'c str,
    key: RunKey,
    store: &'c Path,
    environment: &'c HookEnvironment<'c>,
    budget: HookBudget,
    watch: &'c HookWatch,
}

impl EventCall<'_> {
    /// Handles the event. Returns the response, and what the user has to be told about the guard.
    fn respond(&self) -> (HookResponse, Option<String>) {
        let notices = RefCell::new(Vec::new());
        let notice = |trouble: &str, text: String| {
            // If nothing can be remembered, a message with each call would be too much.
            let is_prompt = self.kind == HookEventKind::UserPrompt;
            if is_news(self.store, &run_name(&self.key), trouble).unwrap_or(is_prompt) {
                notices.borrow_mut().push(text);
            }
        };
        let response = self.record(&notice).unwrap_or_else(|error| {
            report(self.environment, self.agent.name(), &error);
            if !matches!(error, HookError::Queued(_)) {
                notice("off", format!("Loopbreak is off: {error}"));
            }
            HookResponse::Nothing
        });
        let notices = notices.into_inner();
        (response, (!notices.is_empty()).then(|| notices.join("\n")))
    }

    fn record(&self, notice: &dyn Fn(&str, String)) -> Result<HookResponse, HookError> {
        let (warn, now) = (self.environment.warn, (self.environment.clock)());
        let folder = self.event.cwd.as_deref().unwrap_or_default();
        let settings_folder = if Path::new(folder).is_dir() { folder } else { "." };
        let HookSettings { settings, notice: settings_notice } =
            (self.environment.load_settings)(Path::new(settings_folder)).map_err(HookError::Settings)?;
        let queue = EventQueue::new(self.store, &self.key);
        let server = match self.environment.connect {
            Some(connect) if settings.mode != Mode::Off => connect(&settings),
            _ => Ok(None),
        };
        let (server, server_error) = match server {
            Ok(server) => (server, None),
            Err(error) => (None, Some(error)),
        };
        let recorder = EventRecorder {
            agent: self.agent,
            settings: &settings,
            settings_notice: settings_notice.as_deref(),
            own_files: OwnFiles {
                user_config: self.environment.user_config.as_deref(),
                store: Some(self.store),
            },
            key: &self.key,
            folder,
            store: self.store,
            queue: &queue,
            budget: self.budget,
            now,
            find_agent: self.environment.find_agent,
            parent: self.environment.parent_run.as_deref().unwrap_or_default(),
            warn,
            notice,
            server: server.as_ref(),
            watch: self.watch,
        };
        if settings.mode == Mode::Off {
            // The user has switched the guard off, so it does not matter whether this fails.
            return Ok(recorder.tell_while_off(self.event, self.kind));
        }
        let id = random_id();
        let queued = self.queued_event(id, now);
        self.watch.hold(UnfinishedStep {
            store: self.store.to_owned(),
            agent: self.agent.name(),
            queue: queue.clone(),
            event: queued.clone(),
            at: now,
        });
        let response = recorder.record(self.event, self.kind, id);
        // Now there is a store beside which it is remembered that this was said.
        if let Some(error) = server_error {
            notice("server", format!("Loopbreak asks no service: {error}. The local guard decides"));
        }
        match response {
            Err(HookError::Store(StoreError::Busy)) => {
                note_locked(self.store, now);
                notice("queued", LOCKED_NOTICE.to_owned());
                Err(HookError::Queued(match queued.map(|event| queue.push(&event)) {
                    Some(Ok(())) => "the step is queued",
                    Some(Err(_)) => "the step is lost",
                    None => "the call was not checked",
                }))
            }
            result => result,
        }
    }

    /// Returns the event as it waits in the queue. A question about a call does not wait: nobody needs the answer later.
    fn queued_event(&self, id: u64, at: i64) -> Option<QueuedEvent> {
        if self.kind == HookEventKind::BeforeTool || self.text.len() > MAX_EVENT_BYTES {
            return None;
        }
        let (agent, event) = (self.agent.name().to_owned(), self.text.to_owned());
        Some(QueuedEvent { id, agent, at, event })
    }
}

const LOCKED_NOTICE: &str = "Loopbreak cannot use its store, because another process keeps it locked. Until it is free, calls are \
                             not checked, and steps are queued.";
