//! An event with everything that is needed to handle it.

use std::fs;
use std::path::Path;

use loopbreak::detectors::SharedSpending;
use loopbreak::{Action, Outcome, Settings, Step, step::EpochMillis};
use loopbreak_process::AgentSearch;
use serde_json::value::RawValue;

use crate::hook_agent::HookAgent;
use crate::hook_error::HookError;
use crate::hook_event::HookEvent;
use crate::hook_event_kind::HookEventKind;
use crate::hook_transaction::{HandledEvent, HookTransaction};
use crate::own_files::OwnFiles;
use crate::server_decision::AskedServer;
use crate::transcript::TranscriptReader;

/// An event with everything that is needed to handle it.
pub(crate) struct HookRequest<'a> {
    pub(crate) agent: &'a dyn HookAgent,
    pub(crate) settings: &'a Settings,
    /// A notice for the user about the settings.
    pub(crate) notice: Option<&'a str>,
    /// The files of Loopbreak that the agent may not change.
    pub(crate) own_files: OwnFiles<'a>,
    pub(crate) event: &'a HookEvent<'a>,
    pub(crate) kind: HookEventKind,
    /// Id of the run in events.
    pub(crate) run: &'a str,
    /// Time in milliseconds since 1970.
    pub(crate) now: i64,
    /// Receives messages for people.
    pub(crate) warn: &'a dyn Fn(&str),
    /// Id of the event, which the state of the run keeps after the event was recorded. 0 for none.
    pub(crate) id: u64,
    /// Finds the process of the agent. `None` for an event that is recorded late: its agent may be another process now.
    pub(crate) find_agent: Option<AgentSearch>,
    /// The run of `loopbreak run` that has started the agent, empty for none.
    pub(crate) parent: &'a str,
    /// The service that is told about the steps.
    pub(crate) server: Option<AskedServer<'a>>,
    /// The transcript, which is read at most once per event.
    pub(crate) transcript: TranscriptReader,
}

impl HookRequest<'_> {
    /// Handles the event, given the stored state of the run.
    pub(crate) fn handle(
        &self,
        stored: Option<&str>,
        shared: Option<SharedSpending>,
    ) -> Result<HandledEvent, HookError> {
        HookTransaction::restore(self, stored, shared).handle()
    }

    /// Creates a step at the time of the event.
    pub(crate) fn step<'s>(&self, action: Option<Action<'s>>) -> Step<'s> {
        Step { at: Some(EpochMillis(self.now)), action, ..Step::default() }
    }

    /// Returns what a call would change of the guard itself, or `None` if it changes nothing of it.
    pub(crate) fn change_of_guard(&self, action: &Action<'_>) -> Option<String> {
        let folder = self.event.cwd.as_deref().filter(|folder| !folder.is_empty()).unwrap_or(".");
        self.own_files.objection(Path::new(folder), action)
    }

    /// Returns the length of the transcript, if the event names one.
    pub(crate) fn transcript_length(&self) -> Option<u64> {
        let path = self.event.transcript_path.as_deref()?;
        fs::metadata(path).ok().map(|file| file.len())
    }

    /// Returns the outcome of the tool call.
    pub(crate) fn outcome(&self) -> Outcome<'static> {
        let HookEvent { tool_response, error, .. } = self.event;
        let failed = self.kind == HookEventKind::ToolFailure;
        let raw = if failed { error.or(*tool_response) } else { tool_response.or(*error) };
        let outcome = raw.map(|raw| self.agent.parse_outcome(RawValue::get(raw))).unwrap_or_default();
        let exit = if self.agent.hides_exit_codes() {
            outcome.exit.or_else(|| self.transcript.exit_code(self))
        } else {
            outcome.exit
        };
        Outcome { error: (outcome.is_error() || failed).then_some(true), exit, ..outcome }
    }
}
