//! Records an event and the events that waited for it, and returns the response.

use std::path::Path;
use std::time::Duration;

use loopbreak::detectors::SharedSpending;
use loopbreak::{Mode, Settings};
use loopbreak_client::{ServerLink, ServerRuling};
use loopbreak_process::AgentSearch;
use loopbreak_store::{
    RunChange, RunKey, Store, StoreError, StoreHealing, StoreOptions, StoreUrl, change_with_healing,
    open_with,
};

use crate::error_log;
use crate::event_queue::EventQueue;
use crate::hook_agent::HookAgent;
use crate::hook_budget::{HookBudget, has_passed};
use crate::hook_error::HookError;
use crate::hook_event::HookEvent;
use crate::hook_event_kind::HookEventKind;
use crate::hook_request::HookRequest;
use crate::hook_response::HookResponse;
use crate::hook_transaction::HandledEvent;
use crate::hook_watch::HookWatch;
use crate::own_files::OwnFiles;
use crate::server_decision::AskedServer;
use crate::server_exchange::ServerExchange;
use crate::store_trouble::{forget_lock, was_locked};
use crate::transcript::TranscriptReader;

/// Records the events of one run.
pub(crate) struct EventRecorder<'r> {
    pub(crate) agent: &'r dyn HookAgent,
    pub(crate) settings: &'r Settings,
    /// A notice for the user about the settings.
    pub(crate) settings_notice: Option<&'r str>,
    /// The files of Loopbreak that the agent may not change.
    pub(crate) own_files: OwnFiles<'r>,
    pub(crate) key: &'r RunKey,
    pub(crate) folder: &'r str,
    pub(crate) store: &'r Path,
    pub(crate) queue: &'r EventQueue,
    pub(crate) budget: HookBudget,
    pub(crate) now: i64,
    pub(crate) find_agent: Option<AgentSearch>,
    /// The run of `loopbreak run` that has started the agent, empty for none.
    pub(crate) parent: &'r str,
    pub(crate) warn: &'r dyn Fn(&str),
    /// Tells the user about a kind of trouble, once per session.
    pub(crate) notice: &'r dyn Fn(&str, String),
    /// The service that is told about the steps.
    pub(crate) server: Option<&'r ServerLink>,
    pub(crate) watch: &'r HookWatch,
}

/// An event that was recorded.
pub(crate) struct AnsweredEvent {
    pub(crate) response: HookResponse,
    /// Keys of the steps that have to be sent to the service.
    pub(crate) keys: Vec<String>,
    /// The turn of the run.
    pub(crate) turn: u64,
    /// The session had to end before the event.
    pub(crate) was_stopped: bool,
    /// The guard acts on findings in this run.
    pub(crate) acts: bool,
}

impl EventRecorder<'_> {
    /// Returns the request to handle an event.
    pub(crate) fn request<'r>(
        &'r self,
        event: &'r HookEvent<'r>,
        kind: HookEventKind,
        id: u64,
    ) -> HookRequest<'r> {
        HookRequest {
            agent: self.agent,
            settings: self.settings,
            notice: self.settings_notice,
            own_files: self.own_files,
            event,
            kind,
            run: &self.key.session,
            now: self.now,
            warn: self.warn,
            id,
            find_agent: self.find_agent,
            parent: self.parent,
            server: self.asked_server(None),
            transcript: TranscriptReader::until(self.budget.transcript_deadline()),
        }
    }

    /// Records an event after those that waited. Returns the response to it.
    pub(crate) fn record(
        &self,
        event: &HookEvent<'_>,
        kind: HookEventKind,
        id: u64,
    ) -> Result<HookResponse, HookError> {
        // Hooks that wait one after the other without success would slow the agent down for as long as the store is locked.
        let was_locked = was_locked(self.store, self.now);
        let defaults = StoreOptions::default();
        let busy_timeout = if was_locked { Duration::ZERO } else { defaults.busy_timeout };
        let options = StoreOptions { busy_timeout, deadline: self.budget.store_deadline(), ..defaults };
        let mut store = open_with(&StoreUrl::from(self.store), options)?;
        if let Some(path) = store.quarantined() {
            self.report_healing(&StoreHealing::PutAside { path: path.to_owned() });
        }
        let earlier = match self.record_waiting(&mut *store) {
            // A call can be judged by what is known of the run.
            Err(HookError::Store(StoreError::Busy)) if kind == HookEventKind::BeforeTool => {
                HookResponse::Nothing
            }
            earlier => earlier?,
        };
        let mut exchange = ServerExchange::new(self);
        let ruling = exchange.weigh(&mut *store, event, kind);
        let request =
            HookRequest { server: self.asked_server(ruling.as_ref()), ..self.request(event, kind, id) };
        let (recorded, was_written) = self.change(&mut *store, |store| self.respond(store, &request))?;
        if was_written {
            self.watch.release();
        }
        if was_locked && was_written {
            forget_lock(self.store);
        }
        Ok(exchange.send(&mut *store, &request, recorded).after(earlier))
    }

    /// Returns the service with what it says about the call of an event.
    fn asked_server<'r>(&'r self, ruling: Option<&'r ServerRuling>) -> Option<AskedServer<'r>> {
        self.server.map(|link| AskedServer { link, ruling })
    }

    /// Records the events that waited, each in its own transaction. Returns what the agent has to be told about them. If the
    /// time is up before all are recorded, the present event has to wait as well.
    fn record_waiting(&self, store: &mut dyn Store) -> Result<HookResponse, HookError> {
        let mut response = HookResponse::Nothing;
        for file in self.queue.waiting() {
            if has_passed(self.budget.waiting_deadline()) {
                return Err(StoreError::Busy.into());
            }
            if let Some(earlier) = self.record_queued(store, &file)? {
                (self.notice)("queued", QUEUED_NOTICE.to_owned());
                // Decisions about a call or the end of a turn come too late.
                if matches!(earlier, HookResponse::Advise { .. } | HookResponse::Stop(_)) {
                    response = earlier.after(response);
                }
            }
            if !self.queue.remove(&file) {
                // What cannot be removed is remembered in the state, which holds only a few.
                break;
            }
        }
        Ok(response)
    }

    /// Records one event that waited. Returns `None` if there is nothing to record.
    fn record_queued(&self, store: &mut dyn Store, file: &Path) -> Result<Option<HookResponse>, HookError> {
        let Some(queued) = EventQueue::read(file) else { return Ok(None) };
        let Ok(event) = serde_json::from_str::<HookEvent<'_>>(&queued.event) else { return Ok(None) };
        let Some(kind) = self.agent.event_kind(event.name()) else { return Ok(None) };
        let request = HookRequest {
            agent: self.agent,
            settings: self.settings,
            notice: None,
            own_files: self.own_files,
            event: &event,
            kind,
            run: &self.key.session,
            now: queued.at,
            warn: self.warn,
            id: queued.id,
            find_agent: None,
            parent: self.parent,
            server: self.asked_server(None),
            transcript: TranscriptReader::for_late_event(),
        };
        let record = |store: &mut dyn Store| {
            // Read before the store is locked.
            request.outcome();
            let transaction = store.begin(self.key, self.folder, request.now)?;
            if !file.exists() {
                // Another hook has recorded it.
                return Ok(None);
            }
            let HandledEvent { change, response, .. } = request.handle(transaction.state(), None)?;
            if let Some(change) = change {
                transaction.commit(change)?;
            }
            Ok(Some(response))
        };
        self.change(store, record)
    }

    /// Handles an event and stores the change of its run. Returns the response, and whether there was a change.
    fn respond(
        &self,
        store: &mut dyn Store,
        request: &HookRequest<'_>,
    ) -> Result<(AnsweredEvent, bool), HookError> {
        // The event is handled before the store is locked, so that no other hook waits for it.
        let stored = store.state(self.key)?;
        let shared = self.shared_spending(store, request)?;
        let handled = request.handle(stored.as_deref(), shared)?;
        if handled.change.is_none() {
            return Ok((self.recorded(handled).0, false));
        }
        let transaction = store.begin(self.key, self.folder, request.now)?;
        let handled = if stored.as_deref() == transaction.state() {
            handled
        } else {
            // Another process has changed the run since.
            request.handle(transaction.state(), shared)?
        };
        // A response is given only if the change is stored. Otherwise it would be repeated, or never count.
        let (recorded, change) = self.recorded(handled);
        if let Some(change) = change {
            transaction.commit(change)?;
        }
        Ok((recorded, true))
    }

    fn recorded(&self, handled: HandledEvent) -> (AnsweredEvent, Option<RunChange>) {
        let HandledEvent { change, response, turn, was_stopped, is_held_out } = handled;
        let unsent = change.iter().flat_map(|change| &change.unsent);
        let keys = unsent.map(|step| step.key.clone()).collect();
        let acts = self.settings.mode == Mode::Enforce && !is_held_out;
        (AnsweredEvent { response, keys, turn, was_stopped, acts }, change)
    }

    /// Returns what all sessions have spent, if there is a budget for it and the event can use it up.
    fn shared_spending(
        &self,
        store: &dyn Store,
        request: &HookRequest<'_>,
    ) -> Result<Option<SharedSpending>, HookError> {
        if request.kind == HookEventKind::BeforeTool || !self.settings.budget.has_shared_limit() {
            return Ok(None);
        }
        Ok(Some(store.spending(&self.key.session, self.now)?))
    }

    pub(crate) fn change<T>(
        &self,
        store: &mut dyn Store,
        change: impl FnMut(&mut dyn Store) -> Result<T, HookError>,
    ) -> Result<T, HookError> {
        change_with_healing(store, self.key, change, HookError::store_error, |healing| {
            self.report_healing(healing);
        })
    }

    /// Reports what was done about damage.
    fn report_healing(&self, healing: &StoreHealing) {
        let (trouble, message) = match healing {
            StoreHealing::PutAside { path } => (
                "damaged",
                format!("the store was damaged and was moved to {}; a new one was created", path.display()),
            ),
            StoreHealing::RunRestarted { reason } => {
                ("restarted", format!("the record of this session was damaged and is started over: {reason}"))
            }
            _ => return,
        };
        (self.warn)(&message);
        error_log::append(self.store, self.now, self.agent.name(), &message);
        (self.notice)(trouble, format!("Loopbreak: {message}"));
    }
}

const QUEUED_NOTICE: &str = "Loopbreak could not record some steps in time. They are recorded now; the calls before them were not checked.";
