//! One event of one run: from what happened to an answer. The engine decides; here its verdict is put into practice.

use loopbreak::{Audience, EpochMillis, Guard, Intervention, Outcome, Settings, Step, StepText, Verdict};
use loopbreak_store::{Change, Mark, Memory, Records};
use serde_json::value::RawValue;

use super::answer::Answer;
use super::dialect::{Dialect, Happening};
use super::event::Event;
use super::record::Line;
use super::respond::tell;
use super::{refuse, result, texts, transcript};

/// An event that is looked at.
#[derive(Debug)]
pub(crate) struct Session<'a> {
    pub(crate) config: &'a Settings,
    pub(crate) dialect: Dialect,
    pub(crate) event: &'a Event<'a>,
    pub(crate) happening: Happening,
    /// The name of the run in events.
    pub(crate) run: &'a str,
    /// In milliseconds since 1970.
    pub(crate) now: i64,
}

/// A run while an event is taken in.
#[derive(Debug)]
pub(crate) struct Course<'s> {
    pub(crate) session: &'s Session<'s>,
    pub(crate) memory: Memory,
    pub(crate) guard: Guard,
    pub(crate) records: Records,
    lines: Vec<(String, String)>,
}

impl Session<'_> {
    /// Whether a proposal needs no more than a look: most do not go on with any loop.
    pub(crate) fn is_free(&self, kept: Option<&str>) -> Result<bool, String> {
        let (Some(_), Some(action)) = (kept, self.event.action()) else { return Ok(true) };
        let mut memory = Memory::read(kept, tell);
        if !self.rejected(&memory).0.is_empty() {
            return Ok(false);
        }
        let config = texts::for_proposals(self.config, &memory.allowed);
        let guard = memory.guard(config, self.run)?;
        Ok(refuse::objection(&guard, &memory, action).is_none())
    }

    /// Takes in the event, with what was kept of the run: what is to be kept now, and the answer.
    pub(crate) fn take(&self, kept: Option<&str>) -> Result<Option<(Change, Answer)>, String> {
        let mut memory = Memory::read(kept, tell);
        let guard = memory.guard(texts::for_steps(self.config, &memory.allowed), self.run)?;
        let mut course =
            Course { session: self, memory, guard, records: Records::default(), lines: Vec::new() };
        let earlier = course.catch_up();
        let answer = match self.happening {
            Happening::Proposed => course.proposed()?,
            Happening::Done | Happening::Failed => course.done(),
            Happening::Spoken if self.event.is_human() => course.spoken(),
            Happening::Rests => course.rests(),
            Happening::Ends => {
                course.write("end", Line::of(self.event.hook_event_name.as_deref()));
                Answer::Nothing
            }
            Happening::Spoken | Happening::Other => Answer::Nothing,
        };
        if course.lines.is_empty() {
            return Ok(None);
        }
        let answer = answer.after(earlier);
        if answer.advises() {
            course.memory.advised(course.guard.turn());
        }
        Ok(Some((course.change(self.happening == Happening::Ends)?, answer)))
    }

    /// The calls that the agent rejected by itself since the last look.
    fn rejected(&self, memory: &Memory) -> (Vec<transcript::Rejected>, Option<Mark>) {
        // Subagents are told of with the conversation of the main one.
        let path = self.event.transcript_path.as_deref().filter(|_| self.event.agent_id.is_none());
        // A conversation that is missing, or cannot be read, is as good as none.
        let read = path.and_then(|path| transcript::read_on(self.dialect, path, memory.mark.as_ref()).ok());
        let Some((mut rejected, mark)) = read else { return (Vec::new(), memory.mark.clone()) };
        rejected.retain(|call| !memory.is_known(&call.id));
        (rejected, Some(mark))
    }

    pub(crate) fn step<'s>(&self, action: Option<loopbreak::Action<'s>>) -> Step<'s> {
        Step { at: Some(EpochMillis(self.now)), action, ..Step::default() }
    }

    fn outcome(&self) -> Outcome<'static> {
        let raw = self.event.tool_response.or(self.event.error).map(RawValue::get);
        if self.happening == Happening::Failed {
            return result::failure(self.event.error.map(RawValue::get).or(raw));
        }
        raw.map(result::outcome).unwrap_or_default()
    }
}

impl Course<'_> {
    /// Shows the guard the calls that no hook was told of.
    fn catch_up(&mut self) -> Answer {
        let (rejected, mark) = self.session.rejected(&self.memory);
        self.memory.mark = mark;
        let mut said = Answer::Nothing;
        for call in rejected {
            let outcome = Outcome { text: Some(call.why.into()), error: true };
            let line = Line::of(None).action(&call.action).outcome(&outcome);
            let verdict =
                self.observe(&Step { outcome: Some(outcome), ..self.session.step(Some(call.action)) });
            let answer = answer(&verdict);
            self.write("rejected", line.verdict(&verdict, &answer));
            self.memory.knows(&call.id);
            said = answer.after(said);
        }
        said
    }

    fn done(&mut self) -> Answer {
        let event = self.session.event;
        let Some(action) = event.action() else { return Answer::Nothing };
        let call = event.tool_use_id.as_deref().unwrap_or_default();
        self.memory.knows(call);
        if self.memory.was_asked(call) {
            // A human was asked, and here it is done: that was a yes.
            self.memory.forgive();
            self.guard.observe(&Step { user: Some("allowed the call".into()), ..self.session.step(None) });
        }
        let outcome = self.session.outcome();
        let line = Line::of(event.hook_event_name.as_deref()).action(&action).outcome(&outcome);
        let interrupted = event.is_interrupt == Some(true);
        let step = Step {
            outcome: Some(outcome),
            user: interrupted.then(|| "interrupted the call".into()),
            ..self.session.step(Some(action))
        };
        let verdict = self.observe(&step);
        let answer = answer(&verdict);
        self.write("step", line.verdict(&verdict, &answer));
        answer
    }

    fn spoken(&mut self) -> Answer {
        let event = self.session.event;
        self.memory.forgive();
        let words = event.prompt.as_deref().unwrap_or_default();
        let verdict = self.observe(&Step { user: Some(StepText::from(words)), ..self.session.step(None) });
        let line = Line::of(event.hook_event_name.as_deref()).quote("user", words);
        self.write("user", line.verdict(&verdict, &Answer::Nothing));
        Answer::Nothing
    }

    /// Adds a line to the log.
    pub(crate) fn write(&mut self, kind: &str, line: Line) {
        self.lines.push((kind.to_owned(), line.written()));
    }

    fn change(mut self, ended: bool) -> Result<Change, String> {
        let snapshot = Some(self.memory.write(&self.guard)?);
        Ok(Change { snapshot, events: self.lines, records: self.records, ended })
    }
}

/// What a verdict has to say, to whom.
pub(crate) fn answer(verdict: &Verdict) -> Answer {
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
        return Answer::Stop(format!("Loop guard: stopped: {reason}"));
    }
    let calls = || reasons(Intervention::Escalate).map(|why| format!("Loop guard: a human is needed: {why}"));
    let (agent, user) = (said(Audience::Agent), said(Audience::User).or_else(calls));
    if agent.is_none() && user.is_none() { Answer::Nothing } else { Answer::Advise { agent, user } }
}
