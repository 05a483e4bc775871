//! The service that a server on standard input and output asks. The local store has everything as well, so that the local guard can
//! take over at any moment.

use loopbreak::{Mode, Proposal, Step};
use loopbreak_client::{ServerCall, ServerLink, ServerVerdict, UnsentRun};
use loopbreak_store::{NewUnsentStep, StepOutbox, StoreError, now};
use serde_json::{Value, json};

use super::ServerState;
use crate::mcp::tools::output::{LoopOutput, RecordStepOutput, RulingOutput};

/// A step as it is recorded and sent.
pub(crate) struct PreparedStep {
    /// The step, with its time.
    pub(crate) step: Step<'static>,
    /// The step for the outbox. Empty without a service.
    pub(crate) unsent: Vec<NewUnsentStep>,
}

impl ServerState {
    /// Has the calls answered by a service.
    pub(crate) fn ask_service(&mut self, link: Option<ServerLink>) {
        self.link = link;
    }

    /// Prepares a step, so that the local guard and the service see the same.
    pub(crate) fn prepare_step(&self, run: &str, step: &Step<'static>) -> PreparedStep {
        let Some(link) = &self.link else { return PreparedStep { step: step.clone(), unsent: Vec::new() } };
        let mut step = step.clone();
        step.at.get_or_insert(loopbreak::step::EpochMillis(now()));
        let mut unsent = UnsentRun::new(link.server(), &UnsentRun::name(run, ""));
        unsent.add(random_key(), &step);
        PreparedStep { step, unsent: unsent.into_steps() }
    }

    /// Sends a step that was recorded, after those that wait. Returns the answer of the service if it decides, otherwise that of the
    /// local guard.
    pub(crate) fn send_step(
        &mut self,
        run: &str,
        unsent: &[NewUnsentStep],
        local: RecordStepOutput,
    ) -> RecordStepOutput {
        let Some(key) = unsent.first().map(|step| step.key.clone()) else { return local };
        let name = UnsentRun::name(run, "");
        let answers = self.with_service(|call, outbox| {
            let answers = call.send(outbox, Some(&name))?;
            call.send_rest(outbox)?;
            Ok(answers)
        });
        let verdict = answers.and_then(|mut answers| answers.remove(&key));
        match verdict {
            Some(verdict) if self.follows_service() => follow(run, &verdict, local),
            _ => local,
        }
    }

    /// Asks the service whether to take an action. `None` if the local guard decides.
    pub(crate) fn ask_about_action(&mut self, run: &str, proposal: &Proposal<'_>) -> Option<RulingOutput> {
        let link = self.link.as_ref().filter(|_| self.follows_service())?;
        let name = UnsentRun::name(run, "");
        let mut body = serde_json::to_value(proposal).ok()?;
        let masked = UnsentRun::new(link.server(), &name).proposal(&proposal.action)?;
        (body["run"], body["action"]) = (masked["run"].clone(), masked["action"].clone());
        let ruling = self.with_service(|call, outbox| call.weigh(outbox, &name, &body))?;
        // A service that has not seen the beginning of the run knows less than the local guard.
        let knows_as_much = self.guard(run).is_ok_and(|guard| ruling.turn() >= guard.turn());
        if !knows_as_much && ruling.accepted {
            return None;
        }
        let output: RulingOutput = serde_json::from_value(ruling.body).ok()?;
        Some(RulingOutput { run: run.to_owned(), ..output })
    }

    /// Asks the service whether a run is looping. `None` if the local guard decides.
    pub(crate) fn ask_about_loop(&mut self, run: &str) -> Option<LoopOutput> {
        if !self.follows_service() {
            return None;
        }
        let name = UnsentRun::name(run, "");
        let body = json!({"run": name});
        let answer = self.with_service(|call, outbox| call.ask(outbox, &name, "/v1/detect_loop", &body))?;
        let output: LoopOutput = serde_json::from_value(answer).ok()?;
        // The attempts at tasks of this run are only in the local store.
        output.is_looping.then(|| LoopOutput { run: run.to_owned(), ..output })
    }

    fn follows_service(&self) -> bool {
        self.settings().mode == Mode::Enforce
    }

    /// Lets a call to the service do something. `None` without a service, without an answer, and if the store fails: the steps stay
    /// where they are.
    fn with_service<T>(
        &mut self,
        act: impl FnOnce(&mut ServerCall<'_>, &mut dyn StepOutbox) -> Result<Option<T>, StoreError>,
    ) -> Option<T> {
        let ServerState { link, store, .. } = self;
        let (link, outbox) = (link.as_ref()?, store.outbox()?);
        let mut call = link.begin(outbox, now(), None).ok()?;
        act(&mut call, outbox).ok().flatten()
    }
}

/// Returns the answer of the service in the form of the local one.
fn follow(run: &str, verdict: &ServerVerdict, local: RecordStepOutput) -> RecordStepOutput {
    let word = match verdict.verdict.as_str() {
        "stop" => "stop",
        "warn" => "warn",
        _ => "clear",
    };
    // A service that has not seen the beginning of the run knows less than the local guard.
    if verdict.turn() < local.turn && word == "clear" {
        return local;
    }
    let body = &verdict.body;
    RecordStepOutput {
        run: run.to_owned(),
        turn: verdict.turn(),
        verdict: word,
        findings: list(&body["findings"]),
        interventions: list(&body["interventions"]),
        advice: verdict.advice.clone(),
        for_user: verdict.for_user.clone(),
        for_critic: list(&body["forCritic"]),
        events: list(&body["events"]),
        stop: verdict.stop.clone(),
        task: serde_json::from_value(body["task"].clone()).ok().flatten().or(local.task),
    }
}

/// Returns the items of a list that can be read.
fn list<T: serde::de::DeserializeOwned>(value: &Value) -> Vec<T> {
    let items = value.as_array().into_iter().flatten();
    items.filter_map(|item| serde_json::from_value(item.clone()).ok()).collect()
}

/// Returns a key that no other step has.
fn random_key() -> String {
    use std::hash::{BuildHasher as _, RandomState};
    // The keys of the standard hasher are random numbers of the system.
    let random = || RandomState::new().hash_one(std::process::id());
    format!("{:016x}{:016x}", random(), random())
}
