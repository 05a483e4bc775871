//! Tells the service about an event: the question before a call, and the steps after they were recorded.

use loopbreak::Mode;
use loopbreak_client::{SentSteps, ServerCall, ServerLink, ServerRuling, ServerVerdict, UnsentRun};
use loopbreak_store::{OutboxState, Store, StoreError};

use crate::event_recorder::{AnsweredEvent, EventRecorder};
use crate::hook_error::HookError;
use crate::hook_event::HookEvent;
use crate::hook_event_kind::HookEventKind;
use crate::hook_request::HookRequest;
use crate::hook_response::HookResponse;
use crate::hook_transaction::HookTransaction;
use crate::server_decision::decide;

/// The exchange with the service about one event. Without a service, or if the store fails, there is no call, and the local guard
/// decides.
pub(crate) struct ServerExchange<'x> {
    recorder: &'x EventRecorder<'x>,
    call: Option<ServerCall<'x>>,
}

impl<'x> ServerExchange<'x> {
    pub(crate) fn new(recorder: &'x EventRecorder<'x>) -> Self {
        ServerExchange { recorder, call: None }
    }

    /// Asks about the call that an event proposes. `None` if the local guard decides.
    pub(crate) fn weigh(
        &mut self,
        store: &mut dyn Store,
        event: &HookEvent<'_>,
        kind: HookEventKind,
    ) -> Option<ServerRuling> {
        let link = self.recorder.server?;
        if kind != HookEventKind::BeforeTool || self.recorder.settings.mode != Mode::Enforce {
            return None;
        }
        let action = event.action()?;
        let run = self.run();
        let unsent = UnsentRun::new(link.server(), &run).of_agent(self.recorder.agent.name());
        let proposal = unsent.proposal(&action)?;
        let ruling = self.with_call(store, link, |call, store| match store.outbox() {
            Some(outbox) => call.weigh(outbox, &run, &proposal),
            None => Ok(None),
        });
        self.tell_user();
        ruling.flatten()
    }

    /// Sends the steps of an event that was recorded, after those that wait. Returns the response to the event.
    pub(crate) fn send(
        &mut self,
        store: &mut dyn Store,
        request: &HookRequest<'_>,
        recorded: AnsweredEvent,
    ) -> HookResponse {
        let Some(link) = self.recorder.server else { return recorded.response };
        let (run, latest) = (self.run(), self.recorder.budget.server_deadline());
        let is_end = request.kind == HookEventKind::SessionEnd;
        let answers = self.with_call(store, link, |call, store| {
            let Some(outbox) = store.outbox() else { return Ok(None) };
            if is_end && let Some(latest) = latest {
                call.extend(latest);
            }
            let answers = call.send(outbox, Some(&run))?;
            call.send_rest(outbox)?;
            Ok(answers)
        });
        if is_end {
            self.tell_waiting(store, link);
        }
        self.tell_user();
        match answers.flatten() {
            Some(answers) => self.follow(store, request, recorded, &answers),
            None => recorded.response,
        }
    }

    /// Carries out what the service decided, and records it if it is not what the local guard decided.
    fn follow(
        &self,
        store: &mut dyn Store,
        request: &HookRequest<'_>,
        recorded: AnsweredEvent,
        answers: &SentSteps,
    ) -> HookResponse {
        let AnsweredEvent { response, keys, turn, was_stopped, acts } = recorded;
        let verdicts: Vec<&ServerVerdict> = keys.iter().filter_map(|key| answers.get(key)).collect();
        if keys.is_empty() || verdicts.len() != keys.len() || !acts {
            return response;
        }
        let (local, notice) = response.split_notice();
        let knows_as_much = verdicts.last().is_some_and(|verdict| verdict.turn() >= turn);
        let decided = decide(request.kind, &local, &verdicts, knows_as_much && !was_stopped);
        if decided != local
            && let Err(error) = self.recorder.change(store, |store| {
                let transaction = store.begin(self.recorder.key, self.recorder.folder, request.now)?;
                let run = HookTransaction::restore(request, transaction.state(), None);
                transaction.commit(run.follow_server(&local, &decided)?)?;
                Ok::<(), HookError>(())
            })
        {
            (self.recorder.warn)(&format!("cannot record what the service decided: {error}"));
        }
        decided.with_notice(notice.as_deref())
    }

    fn run(&self) -> String {
        UnsentRun::name(&self.recorder.key.session, &self.recorder.key.agent)
    }

    /// Lets the call do something. It begins with the first use, which is when its time begins.
    fn with_call<T>(
        &mut self,
        store: &mut dyn Store,
        link: &'x ServerLink,
        act: impl FnOnce(&mut ServerCall<'x>, &mut dyn Store) -> Result<T, StoreError>,
    ) -> Option<T> {
        let result = (|| {
            if self.call.is_none() {
                let Some(outbox) = store.outbox() else { return Ok(None) };
                let latest = self.recorder.budget.server_deadline();
                self.call = Some(link.begin(outbox, self.recorder.now, latest)?);
            }
            self.call.as_mut().map(|call| act(call, store)).transpose()
        })();
        result.unwrap_or_else(|error: StoreError| {
            // The steps stay where they are.
            if !matches!(error, StoreError::Busy) {
                (self.recorder.warn)(&format!("cannot send steps to the service: {error}"));
            }
            None
        })
    }

    /// Says at the end of a session what could not be sent.
    fn tell_waiting(&self, store: &mut dyn Store, link: &ServerLink) {
        let state = store.outbox().and_then(|outbox| outbox.state(link.server()).ok());
        for text in state.filter(|state| state.waiting > 0).iter().flat_map(OutboxState::describe) {
            (self.recorder.warn)(&format!("{text}; the next session sends them, or `loopbreak hook flush`"));
        }
    }

    /// Tells the user, once per session, about a failure that does not pass by itself.
    fn tell_user(&self) {
        let failure = self.call.as_ref().and_then(ServerCall::failure);
        if let (Some(failure), Some(link)) =
            (failure.filter(|failure| failure.needs_attention()), self.recorder.server)
        {
            let text = format!(
                "Loopbreak: the service {} does not help: {failure}. The local guard decides, and steps wait to be sent; \
                 `loopbreak hook doctor` checks the connection",
                link.server()
            );
            (self.recorder.notice)("server", text);
        }
    }
}
