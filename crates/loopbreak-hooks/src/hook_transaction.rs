//! One event of one run: from what happened to an answer. The engine decides; here its verdict is put into practice.

use loopbreak::{Audience, EpochMillis, Guard, Intervention, Outcome, Settings, Step, StepText, Verdict};
use loopbreak_store::{
    RejectedEvent, RunChange, RunEndEvent, RunEvent, RunRecords, RunState, StepEvent, TranscriptOffset,
    VerdictSummary,
};
use serde_json::value::RawValue;

use crate::handlers::before_tool;
use crate::hook_agent::{HookAgent, HookEventKind};
use crate::hook_event::HookEvent;
use crate::hook_response::HookResponse;
use crate::{guard_config, tool_outcome, transcript};

/// An event that is looked at.
pub(crate) struct HookRequest<'a> {
    pub(crate) config: &'a Settings,
    pub(crate) dialect: HookAgent,
    pub(crate) event: &'a HookEvent<'a>,
    pub(crate) happening: HookEventKind,
    /// The name of the run in events.
    pub(crate) run: &'a str,
    /// In milliseconds since 1970.
    pub(crate) now: i64,
    /// Receives what whoever looks ought to know.
    pub(crate) warn: &'a dyn Fn(&str),
}

/// A run while an event is taken in.
pub(crate) struct HookTransaction<'s> {
    pub(crate) session: &'s HookRequest<'s>,
    pub(crate) state: RunState,
    pub(crate) guard: Guard,
    pub(crate) records: RunRecords,
    events: Vec<RunEvent>,
}

impl HookRequest<'_> {
    /// Whether a proposal needs no more than a look: most do not go on with any loop.
    pub(crate) fn is_free(&self, kept: Option<&str>) -> Result<bool, String> {
        let (Some(_), Some(action)) = (kept, self.event.action()) else { return Ok(true) };
        let mut state = RunState::parse(kept, self.warn);
        if !self.rejected(&state).0.is_empty() {
            return Ok(false);
        }
        let config = guard_config::for_proposals(self.config, &state.hook.allowed);
        let guard = state.guard.restore(config, self.run).map_err(|error| error.to_string())?;
        Ok(before_tool::objection(&guard, &state.guard, action).is_none())
    }

    /// Takes in the event, with what was kept of the run: what is to be kept now, and the answer.
    pub(crate) fn take(&self, kept: Option<&str>) -> Result<Option<(RunChange, HookResponse)>, String> {
        let mut state = RunState::parse(kept, self.warn);
        let config = guard_config::for_steps(self.config, &state.hook.allowed);
        let guard = state.guard.restore(config, self.run).map_err(|error| error.to_string())?;
        let mut course = HookTransaction {
            session: self,
            state,
            guard,
            records: RunRecords::default(),
            events: Vec::new(),
        };
        let earlier = course.catch_up();
        let answer = match self.happening {
            HookEventKind::Proposed => course.proposed()?,
            HookEventKind::Done | HookEventKind::Failed => course.done(),
            HookEventKind::UserPrompt if self.event.is_human() => course.spoken(),
            HookEventKind::TurnEnd => course.rests(),
            HookEventKind::SessionEnd => {
                let event = self.event.hook_event_name.as_deref().map(str::to_owned);
                course.write(RunEvent::End(RunEndEvent { event, ..RunEndEvent::default() }));
                HookResponse::Nothing
            }
            HookEventKind::UserPrompt | HookEventKind::Other => HookResponse::Nothing,
        };
        if course.events.is_empty() {
            return Ok(None);
        }
        let answer = answer.after(earlier);
        if answer.advises() {
            course.state.hook.add_advice(course.guard.turn());
        }
        Ok(Some((course.change(self.happening == HookEventKind::SessionEnd)?, answer)))
    }

    /// The calls that the agent rejected by itself since the last look.
    fn rejected(&self, state: &RunState) -> (Vec<transcript::RejectedCall>, Option<TranscriptOffset>) {
        // Subagents are told of with the conversation of the main one.
        let path = self.event.transcript_path.as_deref().filter(|_| self.event.agent_id.is_none());
        // A conversation that is missing, or cannot be read, is as good as none.
        let known = &state.hook.transcript;
        let read = path.and_then(|path| transcript::read_on(self.dialect, path, known.as_ref()).ok());
        let Some((mut rejected, mark)) = read else { return (Vec::new(), known.clone()) };
        rejected.retain(|call| !state.hook.has_call(&call.id));
        (rejected, Some(mark))
    }

    pub(crate) fn step<'s>(&self, action: Option<loopbreak::Action<'s>>) -> Step<'s> {
        Step { at: Some(EpochMillis(self.now)), action, ..Step::default() }
    }

    fn outcome(&self) -> Outcome<'static> {
        let raw = self.event.tool_response.or(self.event.error).map(RawValue::get);
        if self.happening == HookEventKind::Failed {
            return tool_outcome::failure(self.event.error.map(RawValue::get).or(raw));
        }
        raw.map(tool_outcome::outcome).unwrap_or_default()
    }
}

impl HookTransaction<'_> {
    /// Shows the guard the calls that no hook was told of.
    fn catch_up(&mut self) -> HookResponse {
        let (rejected, mark) = self.session.rejected(&self.state);
        self.state.hook.transcript = mark;
        let mut said = HookResponse::Nothing;
        for call in rejected {
            let outcome = Outcome { text: Some(call.why.into()), error: true };
            let step = Step { outcome: Some(outcome), ..self.session.step(Some(call.action)) };
            let verdict = self.observe(&step);
            let answer = answer(&verdict);
            if let (Some(action), Some(outcome)) = (&step.action, &step.outcome) {
                let summary = summary(&verdict, &answer);
                self.write(RunEvent::Rejected(RejectedEvent::new(action, outcome, summary)));
            }
            self.state.hook.add_call(&call.id);
            said = answer.after(said);
        }
        said
    }

    fn done(&mut self) -> HookResponse {
        let event = self.session.event;
        let Some(action) = event.action() else { return HookResponse::Nothing };
        let call = event.tool_use_id.as_deref().unwrap_or_default();
        self.state.hook.add_call(call);
        if self.state.hook.take_question(call) {
            // A human was asked, and here it is done: that was a yes.
            self.state.hook.reset();
            self.guard.observe(&Step { user: Some("allowed the call".into()), ..self.session.step(None) });
        }
        let outcome = self.session.outcome();
        let line = StepEvent::from_hook(event.hook_event_name.as_deref())
            .with_action(&action)
            .with_outcome(&outcome);
        let interrupted = event.is_interrupt == Some(true);
        let step = Step {
            outcome: Some(outcome),
            user: interrupted.then(|| "interrupted the call".into()),
            ..self.session.step(Some(action))
        };
        let verdict = self.observe(&step);
        let answer = answer(&verdict);
        self.write(RunEvent::Step(line.with_verdict(summary(&verdict, &answer))));
        answer
    }

    fn spoken(&mut self) -> HookResponse {
        let event = self.session.event;
        self.state.hook.reset();
        let words = event.prompt.as_deref().unwrap_or_default();
        let verdict = self.observe(&Step { user: Some(StepText::from(words)), ..self.session.step(None) });
        let line = StepEvent::from_hook(event.hook_event_name.as_deref()).with_user(words);
        self.write(RunEvent::User(line.with_verdict((&verdict).into())));
        HookResponse::Nothing
    }

    /// Adds an event to the log.
    pub(crate) fn write(&mut self, event: RunEvent) {
        self.events.push(event);
    }

    fn change(mut self, ended: bool) -> Result<RunChange, String> {
        self.state.guard.save(&self.guard);
        let state = self.state.into_json().map_err(|error| error.to_string())?;
        Ok(RunChange { state: Some(state), events: self.events, records: self.records, ended })
    }
}

/// The verdict and the answer, as they are logged.
pub(crate) fn summary(verdict: &Verdict, answer: &HookResponse) -> VerdictSummary {
    let summary = VerdictSummary::from(verdict);
    match answer.text() {
        Some(text) => summary.with_answer(answer.name(), text),
        None => summary,
    }
}

/// What a verdict has to say, to whom.
pub(crate) fn answer(verdict: &Verdict) -> HookResponse {
    let said = |audience: Audience| {
        let texts: Vec<&str> = verdict
            .advice
            .iter()
            .filter(|advice| advice.audience == audience)
            .map(|advice| advice.text.as_str())
            .collect();
        (!texts.is_empty()).then(|| texts.join("\n\n"))
    };
    let reasons = |intervention: Intervention| {
        let acts = verdict.decisions.iter().filter(|act| act.enforced && act.intervention == intervention);
        let reasons: Vec<&str> = acts.map(|act| act.reason.as_str()).collect();
        (!reasons.is_empty()).then(|| reasons.join("; "))
    };
    if let Some(stop) = &verdict.stop {
        let reason = reasons(Intervention::Stop).unwrap_or_else(|| stop.reason.to_string());
        return HookResponse::Stop(format!("Loop guard: stopped: {reason}"));
    }
    let calls = || reasons(Intervention::Escalate).map(|why| format!("Loop guard: a human is needed: {why}"));
    let (agent, user) = (said(Audience::Agent), said(Audience::User).or_else(calls));
    if agent.is_none() && user.is_none() {
        HookResponse::Nothing
    } else {
        HookResponse::Advise { agent, user }
    }
}
