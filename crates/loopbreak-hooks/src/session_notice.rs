//! Notices for the user about the guard of a session. Each is given once, and is an event in the log of the run.

use loopbreak_store::{
    HookState, NoteEvent, RunChange, RunEvent, RunState, StoreOptions, StoreUrl, open_with,
};

use crate::event_recorder::EventRecorder;
use crate::hook_error::HookError;
use crate::hook_event::HookEvent;
use crate::hook_event_kind::HookEventKind;
use crate::hook_request::HookRequest;
use crate::hook_response::HookResponse;

impl<'a> HookRequest<'a> {
    /// Returns the notice of the session if it was not given before, and marks it as given. Subagents share the notice of
    /// their session.
    pub(crate) fn due_notice(&self, state: &mut HookState) -> Option<&'a str> {
        let is_shown = !matches!(self.kind, HookEventKind::Compaction | HookEventKind::SessionEnd);
        let is_main = self.event.agent_id.as_deref().is_none_or(str::is_empty);
        self.notice.filter(|notice| is_shown && is_main && state.add_notice(notice))
    }
}

/// Returns a message about this program, with its path and version.
pub(crate) fn with_program(message: &str) -> String {
    let program = std::env::current_exe().unwrap_or_else(|_| "loopbreak".into());
    format!("Loopbreak: {message} (this program: {} {})", program.display(), env!("CARGO_PKG_VERSION"))
}

/// Returns the event of a notice.
pub(crate) fn session_event(notice: &str) -> RunEvent {
    RunEvent::Notice(NoteEvent { action: notice.replace('\n', " ") })
}

impl EventRecorder<'_> {
    /// Gives the notice of a session whose guard is off, if it was not given before. Whatever fails, nothing is said.
    pub(crate) fn tell_while_off(&self, event: &HookEvent<'_>, kind: HookEventKind) -> HookResponse {
        let request = self.request(event, kind, 0);
        let is_told = self.settings_notice.is_some() && self.try_to_tell(&request).unwrap_or(false);
        HookResponse::Nothing.with_notice(self.settings_notice.filter(|_| is_told))
    }

    fn try_to_tell(&self, request: &HookRequest<'_>) -> Result<bool, HookError> {
        let options = StoreOptions { deadline: self.budget.store_deadline(), ..StoreOptions::default() };
        let mut store = open_with(&StoreUrl::from(self.store), options)?;
        let mut known = RunState::parse(store.state(self.key)?.as_deref(), request.warn);
        if request.due_notice(&mut known.hook).is_none() {
            return Ok(false);
        }
        let transaction = store.begin(self.key, self.folder, request.now)?;
        let mut state = RunState::parse(transaction.state(), request.warn);
        let Some(notice) = request.due_notice(&mut state.hook) else { return Ok(false) };
        transaction.commit(RunChange { state: Some(state.into_json()?), ..session_event(notice).into() })?;
        Ok(true)
    }
}
