//! One event of one run: from what happened to an answer. The engine decides; here its verdict is put into practice.

use loopbreak::config::OnLoop;
use loopbreak::text::{clip::clip, secret::mask};
use loopbreak::{
    Action, Audience, Config, DetectorName, EVIDENCE_BYTES, Guard, Intervention, Millis, Outcome, Proposal,
    Ruling, Step, Text, Verdict,
};
use loopbreak_store::Change;
use serde_json::{Map, Value, json};

use super::answer::Answer;
use super::dialect::Happening;
use super::event::Event;
use super::memory::Memory;
use super::{result, texts};

/// The detectors whose word is about the very call that is proposed. Others speak of what it is done to, and another
/// way to do it may be the right one.
const OF_THE_CALL: [DetectorName; 2] = [DetectorName::Cycle, DetectorName::Recurrence];

/// An event that is looked at.
#[derive(Debug)]
pub(crate) struct Session<'a> {
    pub(crate) config: &'a Config,
    pub(crate) event: &'a Event<'a>,
    pub(crate) happening: Happening,
    /// The name of the run in events.
    pub(crate) run: &'a str,
    /// In milliseconds since 1970.
    pub(crate) now: i64,
}

impl Session<'_> {
    /// Whether a proposal needs no more than a look: most do not go on with any loop.
    pub(crate) fn is_free(&self, kept: Option<&str>) -> Result<bool, String> {
        let (Some(_), Some(action)) = (kept, self.event.action()) else { return Ok(true) };
        let guard = Memory::read(kept).guard(texts::for_hooks(self.config, true), self.run)?;
        Ok(Self::objection(&guard, action).is_none())
    }

    /// Takes in the event, with what was kept of the run: what is to be kept now, and the answer.
    pub(crate) fn take(&self, kept: Option<&str>) -> Result<Option<(Change, Answer)>, String> {
        let mut memory = Memory::read(kept);
        let before = self.happening == Happening::Proposed;
        let guard = memory.guard(texts::for_hooks(self.config, before), self.run)?;
        match self.happening {
            Happening::Proposed => self.proposed(memory, guard),
            Happening::Done | Happening::Failed => self.done(memory, guard),
            Happening::Spoken if self.event.is_human() => self.spoken(memory, guard),
            Happening::Rests => Ok(Some((self.plain("stop"), Answer::Nothing))),
            Happening::Ends => Ok(Some((Change { ended: true, ..self.plain("end") }, Answer::Nothing))),
            Happening::Spoken | Happening::Other => Ok(None),
        }
    }

    /// What speaks against a proposal, if it is to be refused.
    fn objection(guard: &Guard, action: Action<'_>) -> Option<String> {
        let ruling: Ruling = guard.weigh(&Proposal { action, ..Proposal::default() });
        let rejects = ruling.intervention == Some(Intervention::Reject);
        let against = ruling.adjustments.into_iter().find(|adjustment| {
            rejects
                && adjustment.acted
                && adjustment.amount < 0.0
                && OF_THE_CALL.contains(&adjustment.detector)
        })?;
        Some(against.reason)
    }

    fn proposed(&self, mut memory: Memory, mut guard: Guard) -> Result<Option<(Change, Answer)>, String> {
        let Some(action) = self.event.action() else { return Ok(None) };
        let Some(reason) = Self::objection(&guard, action.clone()) else { return Ok(None) };
        let step = Step { refused: true, ..self.step(Some(action.clone())) };
        let verdict = guard.observe(&step);
        let refusals = memory.refused(&verdict);

        let line = quoted(&action.line());
        let seen = memory.loops.iter().rev().filter(|seen| seen.action == line);
        let outcome = seen.map(|seen| seen.outcome.trim()).find(|outcome| !outcome.is_empty());
        let outcome = outcome.map_or_else(String::new, |outcome| format!("\nThe outcome: {outcome}"));
        let tried = memory.tried(refusals - 1);
        let tried = tried.map_or_else(String::new, |tried| format!("\nTried so far: {tried}."));
        let facts = format!("{line}\nThis call {reason}.{outcome}{tried}");
        let answer = match self.config.policy.on_loop {
            _ if refusals < 2 => denied(&facts),
            OnLoop::Escalate if self.config.policy.ladder.escalate => {
                memory.asks(self.event.tool_use_id.as_deref().unwrap_or_default());
                Answer::Ask(format!("Loop guard: the agent insists on a call that was refused: {facts}"))
            }
            OnLoop::Stop if self.config.policy.ladder.stop => {
                Answer::Stop(format!("Loop guard: the agent insists on a call that was refused: {facts}"))
            }
            _ => denied(&facts),
        };
        // Whoever is asked about has not been refused yet.
        let kind = if matches!(answer, Answer::Ask(_)) { "asked" } else { "refused" };
        self.changed(kind, &mut memory, &guard, &verdict, answer)
    }

    fn done(&self, mut memory: Memory, mut guard: Guard) -> Result<Option<(Change, Answer)>, String> {
        let Some(action) = self.event.action() else { return Ok(None) };
        if self.event.tool_use_id.as_deref().is_some_and(|call| memory.was_asked(call)) {
            // A human was asked, and here it is done: that was a yes.
            memory.forgive();
            guard.observe(&Step { user: Some("allowed the call".into()), ..self.step(None) });
        }
        let interrupted = self.event.is_interrupt == Some(true);
        let step = Step {
            outcome: Some(self.outcome()),
            user: interrupted.then(|| "interrupted the call".into()),
            ..self.step(Some(action))
        };
        let verdict = guard.observe(&step);
        memory.note(&verdict, self.now);
        let answer = answer(&verdict);
        if matches!(answer, Answer::Advise { agent: Some(_), .. }) {
            memory.advised(verdict.turn);
        }
        self.changed("step", &mut memory, &guard, &verdict, answer)
    }

    fn spoken(&self, mut memory: Memory, mut guard: Guard) -> Result<Option<(Change, Answer)>, String> {
        memory.forgive();
        let words = self.event.prompt.as_deref().unwrap_or_default();
        let verdict = guard.observe(&Step { user: Some(Text::from(words)), ..self.step(None) });
        memory.note(&verdict, self.now);
        self.changed("user", &mut memory, &guard, &verdict, Answer::Nothing)
    }

    fn step<'s>(&self, action: Option<Action<'s>>) -> Step<'s> {
        Step { at: Some(Millis(self.now)), action, ..Step::default() }
    }

    fn outcome(&self) -> Outcome<'static> {
        let raw = self.event.tool_response.or(self.event.error).map(serde_json::value::RawValue::get);
        if self.happening == Happening::Failed {
            return result::failure(self.event.error.map(serde_json::value::RawValue::get).or(raw));
        }
        raw.map(result::outcome).unwrap_or_default()
    }

    /// What is kept of an event that does not touch the guard.
    fn plain(&self, kind: &str) -> Change {
        let detail = json!({"event": self.event.hook_event_name.as_deref()}).to_string();
        Change { kind: kind.to_owned(), detail, ..Change::default() }
    }

    fn changed(
        &self,
        kind: &str,
        memory: &mut Memory,
        guard: &Guard,
        verdict: &Verdict,
        answer: Answer,
    ) -> Result<Option<(Change, Answer)>, String> {
        let mut detail = Map::new();
        let mut tell = |key: &str, value: Value| _ = detail.insert(key.to_owned(), value);
        tell("event", self.event.hook_event_name.as_deref().into());
        tell("turn", verdict.turn.into());
        if let Some(action) = self.event.action() {
            tell("tool", quoted(&action.name).into());
            tell("action", quoted(&action.line()).into());
            if kind == "refused" {
                tell("refused", true.into());
            } else if kind == "step" {
                let outcome = self.outcome();
                tell("error", outcome.error.into());
                tell("outcome", quoted(outcome.text.as_deref().unwrap_or_default()).into());
            }
        } else if let Some(prompt) = &self.event.prompt {
            tell("user", quoted(prompt).into());
        }
        if !verdict.findings.is_empty() {
            tell("findings", serde_json::to_value(&verdict.findings).unwrap_or_default());
        }
        if let Some(text) = answer.text() {
            tell("answer", answer.name().into());
            tell("text", text.into());
        }
        let snapshot = Some(memory.write(guard)?);
        let detail = Value::Object(detail).to_string();
        Ok(Some((Change { snapshot, kind: kind.to_owned(), detail, ended: false }, answer)))
    }
}

fn denied(facts: &str) -> Answer {
    Answer::Deny(format!(
        "Loop guard: refused: {facts}\nOnly this call is refused. Any other call is free; an edit that takes effect or a \
         word of the user opens this one again."
    ))
}

/// What a verdict has to say, to whom.
fn answer(verdict: &Verdict) -> Answer {
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
        let acts = verdict.acts.iter().filter(|act| act.acted && act.intervention == intervention);
        let reasons: Vec<&str> = acts.map(|act| act.reason.as_str()).collect();
        (!reasons.is_empty()).then(|| reasons.join("; "))
    };
    if let Some(stop) = &verdict.stop {
        let reason = reasons(Intervention::Stop).unwrap_or_else(|| stop.reason.to_owned());
        return Answer::Stop(format!("Loop guard: stopped: {reason}"));
    }
    let calls = || reasons(Intervention::Escalate).map(|why| format!("Loop guard: a human is needed: {why}"));
    let (agent, user) = (said(Audience::Agent), said(Audience::User).or_else(calls));
    if agent.is_none() && user.is_none() { Answer::Nothing } else { Answer::Advise { agent, user } }
}

/// A text fit to be kept: secrets masked, then cut.
fn quoted(text: &str) -> String {
    // Masking looks at a little more than is kept, so that a secret that straddles the cut is seen whole.
    clip(&mask(clip(text, 4 * EVIDENCE_BYTES)), EVIDENCE_BYTES).to_owned()
}
