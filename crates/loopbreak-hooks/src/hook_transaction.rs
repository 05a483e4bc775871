//! A run while one of its events is handled.

use loopbreak::detectors::SharedSpending;
use loopbreak::step::Label;
use loopbreak::{Action, Guard, Mode, Outcome, Step, Usage, Verdict};
use loopbreak_client::UnsentRun;
use loopbreak_process::is_stopped;
use loopbreak_store::{
    ProposedCall, RejectedEvent, RunChange, RunEvent, RunRecords, RunState, SessionCost, redact_and_truncate,
};
use serde_json::value::RawValue;

use crate::guard_config;
use crate::handlers::{
    after_tool, before_tool, compaction, refuse_rejected_call, session_end, tool_batch, turn_end, user_prompt,
};
use crate::hook_error::HookError;
use crate::hook_event_kind::HookEventKind;
use crate::hook_request::HookRequest;
use crate::hook_response::HookResponse;
use crate::part_reader::UnreportedCall;
use crate::server_decision::AskedServer;
use crate::session_notice;
use crate::transcript::TranscriptUpdate;
use crate::transcript_costs::{CostUpdate, missing_costs, unpriced_notice};

/// The effect of an event on its run.
pub(crate) struct HandledEvent {
    /// The change of the run, if there is one.
    pub(crate) change: Option<RunChange>,
    pub(crate) response: HookResponse,
    /// The turn of the run.
    pub(crate) turn: u64,
    /// The session had to end before the event.
    pub(crate) was_stopped: bool,
    /// The run is only observed.
    pub(crate) is_held_out: bool,
}

/// A run while one of its events is handled.
pub(crate) struct HookTransaction<'r> {
    pub(crate) request: &'r HookRequest<'r>,
    pub(crate) state: RunState,
    pub(crate) guard: Guard,
    pub(crate) records: RunRecords,
    events: Vec<RunEvent>,
    /// A notice that the session starts over, because this program cannot read its state.
    restart_notice: Option<String>,
    /// Cost of the run so far, if that has changed.
    cost: Option<SessionCost>,
    /// The steps that have to be sent to a service.
    unsent: Option<UnsentRun>,
    /// True if the state of the hooks changed without an event for the log.
    changed: bool,
}

impl<'r> HookTransaction<'r> {
    /// Restores the run from its stored state. A run without a state is new.
    pub(crate) fn restore(
        request: &'r HookRequest<'r>,
        stored: Option<&str>,
        shared: Option<SharedSpending>,
    ) -> Self {
        let mut state = RunState::parse(stored, request.warn);
        let config = guard_config::for_steps(request.settings, &state.hook.allowed);
        let (mut guard, restart_notice) = match state.guard.restore(config.clone(), request.run) {
            Ok(guard) => (guard, None),
            Err(error) => {
                // Another version of Loopbreak may have written it. The other runs are not concerned.
                let message = format!("cannot read the state of this session, so it starts over: {error}");
                (request.warn)(&message);
                state = RunState::default();
                (Guard::new(config).for_run(request.run), Some(session_notice::with_program(&message)))
            }
        };
        if let Some(shared) = shared {
            guard.share_spending(shared);
        }
        HookTransaction {
            request,
            state,
            guard,
            records: RunRecords::default(),
            events: Vec::new(),
            restart_notice,
            cost: None,
            unsent: request.server.map(|server| unsent_run(request, server)),
            changed: false,
        }
    }

    /// Handles the event.
    pub(crate) fn handle(mut self) -> Result<HandledEvent, HookError> {
        let was_stopped = self.state.hook.events.stop.is_some();
        let is_held_out = self.guard.is_held_out();
        let handled =
            |change, response, turn| HandledEvent { change, response, turn, was_stopped, is_held_out };
        if self.state.hook.has_recorded(self.request.id) {
            return Ok(handled(None, HookResponse::Nothing, self.guard.turn()));
        }
        let cost_notice = self.read_costs();
        let earlier = self.observe_rejected_calls();
        let response = match self.request.kind {
            HookEventKind::BeforeTool => before_tool(&mut self),
            HookEventKind::AfterTool | HookEventKind::ToolFailure => after_tool(&mut self),
            HookEventKind::ToolBatch => tool_batch(&mut self),
            HookEventKind::Compaction => compaction(&mut self),
            HookEventKind::UserPrompt => user_prompt(&mut self),
            HookEventKind::TurnEnd => turn_end(&mut self),
            HookEventKind::SessionEnd => session_end(&mut self),
        };
        let response = response.after(earlier);
        let is_held = self.hold_advice(&response);
        let notice = self.take_notice();
        if self.events.is_empty() && !self.changed {
            return Ok(handled(None, response, self.guard.turn()));
        }
        if response.is_advice() && !is_held {
            self.state.hook.add_advice(self.guard.turn());
        }
        if let HookResponse::Stop(reason) = &response {
            self.state.hook.events.stop = Some(reason.clone());
        }
        // Once per session: the change replaces the state that cannot be read.
        let restart_notice = self.restart_notice.take();
        self.events.extend(restart_notice.as_deref().map(session_notice::session_event));
        let notices: Vec<&str> =
            restart_notice.as_deref().into_iter().chain(notice).chain(cost_notice.as_deref()).collect();
        let response = response.with_notice((!notices.is_empty()).then(|| notices.join("\n")).as_deref());
        let turn = self.guard.turn();
        Ok(handled(Some(self.into_change()?), response, turn))
    }

    /// Returns what the user should know about the guard, if it was not said before in this session, and records it.
    fn take_notice(&mut self) -> Option<&'r str> {
        let notice = self.request.due_notice(&mut self.state.hook)?;
        self.events.push(session_notice::session_event(notice));
        Some(notice)
    }

    /// Keeps advice about a call for the next time that the call is proposed, if the agent takes no advice now. Returns whether
    /// it was kept.
    fn hold_advice(&mut self, response: &HookResponse) -> bool {
        let HookRequest { agent, event, kind, .. } = self.request;
        let is_result = matches!(kind, HookEventKind::AfterTool | HookEventKind::ToolFailure);
        let HookResponse::Advise { agent: Some(text), .. } = response else { return false };
        if !is_result || agent.takes_advice(*kind) {
            return false;
        }
        let Some(action) = event.action() else { return false };
        let line = redact_and_truncate(&action.line());
        self.state.hook.events.hold_advice(line, text, self.guard.turn());
        true
    }

    /// Returns the end of the session that is due: a stop that the agent did not carry out, or could not yet. A guard that only
    /// observes ends nothing.
    pub(crate) fn stop_due(&self) -> Option<HookResponse> {
        let enforces = self.request.settings.mode == Mode::Enforce;
        self.state.hook.events.stop.clone().filter(|_| enforces).map(HookResponse::Stop)
    }

    /// Has the state of the hooks stored, although there is no event for the log.
    pub(crate) fn keep(&mut self) {
        self.changed = true;
    }

    /// Reads what the run has cost since the last event. Returns what the user should know about costs that are not counted.
    fn read_costs(&mut self) -> Option<String> {
        let known = self.state.hook.costs.as_ref();
        let before = known.map_or(0.0, |known| known.usd);
        let mut notice = missing_costs(self.request);
        if let Some(CostUpdate { cost, unpriced }) = CostUpdate::read(self.request, known) {
            if cost.usd > before {
                let (parent, usd, at) = (self.request.parent.to_owned(), cost.usd, self.request.now);
                self.cost = Some(SessionCost { parent, usd, at, ..SessionCost::default() });
                self.changed = true;
            }
            notice = unpriced.map(|model| unpriced_notice(&model)).or(notice);
            self.state.hook.costs = Some(cost);
        }
        let is_shown = !matches!(
            self.request.kind,
            HookEventKind::BeforeTool | HookEventKind::Compaction | HookEventKind::SessionEnd
        );
        let notice = notice.filter(|notice| is_shown && self.state.hook.add_notice(notice))?;
        self.events.push(session_notice::session_event(&notice));
        Some(notice)
    }

    /// Shows a step to the guard and records its verdict. The step gets the cost that was read since the last one.
    pub(crate) fn observe(&mut self, step: &Step<'_>) -> Verdict {
        let unseen = self.state.hook.costs.as_mut().map_or(0.0, |costs| std::mem::take(&mut costs.unseen));
        let priced = (unseen > 0.0 && step.usage.is_none()).then(|| {
            let usage = Usage { cost_usd: Some(unseen), ..Usage::default() };
            Step { usage: Some(usage), ..step.clone() }
        });
        let verdict = self.show(priced.as_ref().unwrap_or(step));
        self.state.guard.note_findings(&verdict, self.request.now);
        self.records.add_verdict(&verdict, self.request.now);
        verdict
    }

    /// Shows a step to the guard, and has it sent to the service.
    pub(crate) fn show(&mut self, step: &Step<'_>) -> Verdict {
        if let Some(unsent) = &mut self.unsent {
            if let Some(costs) = self.state.hook.costs.as_ref().filter(|costs| !costs.model.is_empty()) {
                unsent.set_model(&costs.model);
            }
            // The event has the same id if it is recorded again.
            unsent.add(format!("{:016x}-{}", self.request.id, unsent.len()), step);
        }
        self.guard.observe(step)
    }

    /// Does what a service has decided about an event that was recorded with the response of the local guard. Returns the change
    /// of the run.
    pub(crate) fn follow_server(
        mut self,
        local: &HookResponse,
        decided: &HookResponse,
    ) -> Result<RunChange, HookError> {
        let stop = &mut self.state.hook.events.stop;
        match decided {
            HookResponse::Stop(reason) => *stop = Some(reason.clone()),
            _ if *stop == local.text() => *stop = None,
            _ => {}
        }
        let is_held = self.hold_advice(decided);
        if decided.is_advice() && !local.is_advice() && !is_held {
            self.state.hook.add_advice(self.guard.turn());
        }
        let (before, text) =
            (local.name(), decided.text().map(|text| format!(": {text}")).unwrap_or_default());
        let said = format!("the service decided {} instead of {before}{text}", decided.name());
        self.state.guard.save(&self.guard);
        let state = Some(self.state.into_json()?);
        Ok(RunChange { state, ..session_notice::session_event(&redact_and_truncate(&said)).into() })
    }

    /// Adds an event to the log of the run.
    pub(crate) fn record(&mut self, event: RunEvent) {
        self.events.push(event);
    }

    /// Shows the guard the calls that the agent rejected by itself since the last event. No hook reports them.
    fn observe_rejected_calls(&mut self) -> HookResponse {
        let update = TranscriptUpdate::read(self.request, &self.state.hook);
        self.state.hook.transcript = update.offset;
        update.rejected.into_iter().fold(HookResponse::Nothing, |response, mut call| {
            // The transcript may spell the call in another way than the event before it.
            if let Some(action) =
                self.state.hook.events.take_pending().and_then(|call| proposed_action(&call))
            {
                call.action = action;
            }
            self.observe_rejected_call(&call).after(response)
        })
    }

    /// Shows the guard a call that the agent rejected by itself, as the log of the session will. No hook could refuse it, so if
    /// the guard objects to it, the agent is told, and an agent that insists is stopped.
    pub(crate) fn observe_rejected_call(&mut self, call: &UnreportedCall) -> HookResponse {
        let refusal = refuse_rejected_call(self, &call.action);
        let batch = self.state.hook.events.end_call().map(|message| Label::Number(message.cast_signed()));
        let outcome = Outcome::new(call.reason.as_str()).with_error(true);
        let step =
            Step { outcome: Some(outcome.clone()), batch, ..self.request.step(Some(call.action.clone())) };
        let verdict = self.observe(&step);
        let response = match (refusal, HookResponse::from(&verdict)) {
            (Some(end @ HookResponse::Stop(_)), _) | (_, end @ HookResponse::Stop(_)) => end,
            (Some(refusal), HookResponse::Advise { user, .. }) => {
                HookResponse::Advise { agent: refusal.text(), user }
            }
            (Some(refusal), _) => HookResponse::Advise { agent: refusal.text(), user: None },
            (None, response) => response,
        };
        let summary = response.summarize(&verdict);
        self.record(RunEvent::Rejected(RejectedEvent::new(&call.action, &outcome, summary)));
        self.state.hook.add_call(&call.id);
        response
    }

    /// Notes the process of the agent, and that an agent that was paused runs again. Both are only stored with something else: a call
    /// that needs no change is not to wait for the store.
    fn note_process(&mut self) {
        let Some(find_agent) = self.request.find_agent else { return };
        // A session that is continued in another process begins with a prompt there.
        let is_prompt = self.request.kind == HookEventKind::UserPrompt;
        if let Some(process) = find_agent(self.state.process.as_ref(), is_prompt) {
            self.state.process = Some(process);
        }
        let process = self.state.process.as_ref();
        let is_paused = || process.is_some_and(|process| is_stopped(process.pid));
        self.state.pause = self.state.pause.take().filter(|_| is_paused());
    }

    fn into_change(mut self) -> Result<RunChange, HookError> {
        self.note_process();
        self.state.guard.save(&self.guard);
        self.state.hook.add_recorded(self.request.id);
        let ended = self.request.kind == HookEventKind::SessionEnd;
        let unsent = self.unsent.map(UnsentRun::into_steps).unwrap_or_default();
        let state = Some(self.state.into_json()?);
        Ok(RunChange { state, events: self.events, records: self.records, ended, cost: self.cost, unsent })
    }
}

/// Returns the list of steps for the service, without a step.
fn unsent_run(request: &HookRequest<'_>, server: AskedServer<'_>) -> UnsentRun {
    let subagent = request.event.agent_id.as_deref().unwrap_or_default();
    let name = UnsentRun::name(request.run, subagent);
    let mut unsent = UnsentRun::new(server.link.server(), &name).of_agent(request.agent.name());
    let model = request.event.model.and_then(|model| serde_json::from_str::<String>(model.get()).ok());
    unsent.set_model(&model.unwrap_or_default());
    unsent
}

/// Returns the action of a call as it was proposed.
fn proposed_action(call: &ProposedCall) -> Option<Action<'static>> {
    let args = RawValue::from_string(call.args.clone()).ok()?;
    let mut action = Action::new(call.tool.clone());
    action.args = (args.get() != "null").then(|| args.into());
    Some(action)
}
