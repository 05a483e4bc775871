//! Takes a step through the stages of the guard.

use std::mem::replace;

use super::agent_state::AgentState;
use super::{Guard, GuardState};
use crate::detectors::custom::CustomSlots;
use crate::detectors::{
    DetectorReport, ObservationOutput, Pattern, SharedSpending, StepContext, WeighedProposal,
};
use crate::event::RunId;
use crate::evidence::EvidenceKey;
use crate::facts::{AttemptPart, PromptOrigin, canonical_action, is_marked, is_outage};
use crate::fingerprint::{ActionKind, ChangeHistory, StepFingerprints, VocabularyTables};
use crate::memory::key_of;
use crate::place::{PlaceMap, PlaceTrail};
use crate::policy::{PolicyInput, decide};
use crate::settings::{Config, Mode, Profile};
use crate::step::{Action, MAIN_AGENT, Step};
use crate::verdict::{StepProgress, Verdict};

/// The facts about a step that are gathered before the detectors read it.
pub(super) struct ObservedFacts<'s> {
    pub(super) step: &'s Step<'s>,
    /// The action in its canonical form.
    action: Option<&'s Action<'s>>,
    pub(super) origin: PromptOrigin,
    pub(super) attempt: AttemptPart,
    pub(super) agent: &'s str,
    turn: u64,
    /// Time since the previous step, if both steps have a time.
    passed: Option<i64>,
    /// The review of the action, if the critic scored it.
    weighed: Option<WeighedProposal>,
    pub(super) prints: Option<StepFingerprints<'s>>,
    /// True if the step got further than all steps before it.
    pub(super) further: bool,
    /// True if a rule of the user allows the action.
    pub(super) allowed: bool,
    /// True if the agent's previous step only waited.
    after_wait: bool,
    /// True if the agent's words name a new position.
    moves_on: bool,
    /// True if the step reports that a service was not available.
    unavailable: bool,
    /// True if the agent insists on refused calls so often that the run has to end.
    insists: bool,
    /// True if the agent is at another place than before.
    moved: bool,
    /// Money that this run and others had spent before the step.
    shared: Option<SharedSpending>,
}

/// Number of turns so far, the latest time and the first.
#[derive(Clone, Copy)]
struct RunTimes {
    turns: u64,
    now: Option<i64>,
    started: Option<i64>,
}

impl ObservedFacts<'_> {
    /// Builds the context for the detectors.
    fn context<'c>(
        &'c self,
        run: &'c RunId,
        times: RunTimes,
        effects: &ChangeHistory,
        trail: &'c PlaceTrail,
        map: &'c PlaceMap,
        tables: &'c VocabularyTables,
    ) -> StepContext<'c> {
        let RunTimes { turns, now, started } = times;
        StepContext {
            step: self.step,
            action: self.action,
            origin: self.origin,
            attempt: self.attempt,
            further: self.further,
            measured: effects.measures() || trail.here().is_some(),
            scored: effects.measures(),
            criticized: effects.criticized(),
            after_wait: self.after_wait,
            moves_on: self.moves_on,
            unavailable: self.unavailable,
            insists: self.insists,
            prints: self.prints.as_ref().filter(|_| !self.allowed),
            epoch: effects.epoch(),
            tables,
            run,
            turn: self.turn,
            turns,
            now,
            started,
            passed: self.passed,
            agent: self.agent,
            moved: self.moved,
            trail,
            map,
            weighed: self.weighed.as_ref(),
            shared: self.shared.as_ref(),
        }
    }
}

impl Guard {
    /// Observes a step and returns the verdict.
    ///
    /// A step with `critic.score` is weighed first, as a proposal made at the previous place, so that a
    /// replay of a log gives the same rulings as the live run.
    pub fn observe(&mut self, step: &Step<'_>) -> Verdict {
        let last_time = self.state.now;
        let (turn, renumbered) = self.state.count(step);
        self.hold_out();
        let config = self.active_config().clone();
        self.user_spoke = false;
        let mut verdict = Verdict { turn, renumbered, holdout: self.is_held_out(), ..Verdict::default() };
        if config.mode == Mode::Off {
            return verdict;
        }
        let weighed = self.weigh_scored_action(step, &mut verdict);
        let passed = last_time.zip(step.at).map(|(last, at)| at.0.saturating_sub(last).max(0));
        let canonical = step.action.as_ref().and_then(canonical_action);
        let action = canonical.as_ref().or(step.action.as_ref());
        let mut facts = self.state.gather_facts(step, action, turn, passed, weighed, &config);
        facts.shared = self.shared;
        self.shared = self.shared.map(|shared| shared.after(step));
        self.user_spoke = facts.origin.user;
        let reports = self.state.run_detectors(&facts, &mut self.custom, &config, &mut verdict);
        self.state.apply_policy(reports, &facts, &config, &mut verdict);
        self.state.keep_stop_due(&facts, &mut verdict);
        self.state.fit_snapshot(self.custom.bytes());
        verdict
    }
}

impl GuardState {
    /// Gathers the facts that the detectors need about a step, and stores them for later steps.
    pub(super) fn gather_facts<'s>(
        &mut self,
        step: &'s Step<'s>,
        action: Option<&'s Action<'s>>,
        turn: u64,
        passed: Option<i64>,
        weighed: Option<WeighedProposal>,
        config: &'s Config,
    ) -> ObservedFacts<'s> {
        self.remember(step);
        let origin = self.words.read(step, config.profile);
        let agent = step.agent.as_deref().unwrap_or(MAIN_AGENT);
        let moved = self.follow_agent(agent, step, action, turn, config);
        let prints = action.and_then(|action| self.take_fingerprints(step, action, config));
        self.marks_failures |= step.outcome.as_ref().is_some_and(is_marked);
        let further = self.effects.gets_further(step);
        let allows = |action| config.allow.iter().any(|rule| rule.covers(action));
        let allowed = step.action.as_ref().is_some_and(allows) || action.is_some_and(allows);
        let waits = prints.as_ref().is_some_and(|prints| prints.kind == ActionKind::Wait);
        let outage = || step.outcome.as_ref().is_some_and(is_outage);
        // The documents know no such errors.
        let unavailable = config.profile != Profile::Documents
            && prints.as_ref().map_or_else(outage, |prints| prints.unavailable);
        let (mut after_wait, mut moves_on, mut attempt) = (false, false, AttemptPart::default());
        if let Some(agent) = self.agents.newest_mut() {
            after_wait = replace(&mut agent.waits, waits);
            // Where results are logged, they show whether the agent moves on.
            if prints.as_ref().is_some_and(|prints| prints.outcome.is_none()) {
                moves_on = agent.positions.read(step.say.as_deref());
            }
            if let Some(prints) = &prints {
                attempt = agent.parallel.note(step, prints.call, prints.failed);
            }
            agent.count_refusals(step, origin.user, attempt.repeats_call || attempt.repeats_refusal);
        }
        let refused = self.agents.newest().map_or(0, |agent| agent.refused);
        let insists = config.policy.insist > 0 && refused >= config.policy.insist;
        ObservedFacts {
            step,
            action,
            origin,
            attempt,
            agent,
            turn,
            passed,
            weighed,
            prints,
            further,
            allowed,
            after_wait,
            moves_on,
            unavailable,
            insists,
            moved,
            shared: None,
        }
    }

    /// Counts a step of an agent and records its place. Returns whether the agent moved.
    fn follow_agent(
        &mut self,
        name: &str,
        step: &Step<'_>,
        action: Option<&Action<'_>>,
        turn: u64,
        config: &Config,
    ) -> bool {
        let agent = self.agents.touch_or_insert(key_of(name), AgentState::default);
        agent.steps += 1;
        let history = config.place_history() as usize;
        !step.refused && agent.walk(&mut self.map, step, action, turn, history)
    }

    /// Computes the fingerprints of a step, and records its change if it made one.
    fn take_fingerprints<'s>(
        &mut self,
        step: &'s Step<'s>,
        action: &'s Action<'s>,
        config: &'s Config,
    ) -> Option<StepFingerprints<'s>> {
        // Fingerprints cost more than everything else, so they are computed only if a detector reads them.
        if !config.reads_fingerprints() {
            return None;
        }
        let effects = &mut self.effects;
        let is_new = |edit| effects.is_new(edit);
        let (tables, epoch) = (config.tables(), effects.epoch());
        let agent = self.agents.newest_mut();
        let was_made = |call| agent.is_some_and(|agent| agent.note_call(call));
        let prints =
            StepFingerprints::from_step(step, action, tables, epoch, self.marks_failures, is_new, was_made);
        if prints.effect {
            effects.note(prints.call);
        }
        Some(prints)
    }

    /// Passes a step to every detector. Returns their reports.
    fn run_detectors(
        &mut self,
        facts: &ObservedFacts<'_>,
        custom: &mut CustomSlots,
        config: &Config,
        verdict: &mut Verdict,
    ) -> Vec<DetectorReport> {
        let GuardState { run, turns, steps, started, now, map, agents, detectors, effects, .. } = self;
        let Some(AgentState { trail, detectors: of_agent, steps: of_agent_steps, .. }) = agents.newest_mut()
        else {
            return Vec::new();
        };
        let times = RunTimes { turns: *turns, now: *now, started: *started };
        let context = facts.context(run, times, effects, trail, map, config.tables());
        let mut sink = ObservationOutput {
            reports: Vec::new(),
            events: &mut verdict.events,
            progress: StepProgress::default(),
        };
        detectors.observe(&context, *steps, config, &mut sink);
        of_agent.observe(&context, *of_agent_steps, config, &mut sink);
        custom.observe(&context, *steps, config, &mut sink);
        let ObservationOutput { reports, progress, .. } = sink;
        verdict.progress = progress;
        reports
    }

    /// Remembers an end that is due, until the user speaks or the run makes progress.
    fn keep_stop_due(&mut self, facts: &ObservedFacts<'_>, verdict: &mut Verdict) {
        if facts.origin.user || facts.further {
            self.stop_due = None;
        }
        self.stop_due = verdict.stop.or(self.stop_due);
        verdict.stop_due = self.stop_due;
    }

    /// Lets the policy decide about the reports.
    fn apply_policy(
        &mut self,
        reports: Vec<DetectorReport>,
        facts: &ObservedFacts<'_>,
        config: &Config,
        verdict: &mut Verdict,
    ) {
        let user_spoke = facts.origin.user;
        let Some(agent) = self.agents.newest().filter(|_| !reports.is_empty() || user_spoke) else { return };
        let input = PolicyInput {
            run: &self.run,
            agent: facts.agent,
            turn: facts.turn,
            now: self.now,
            step: agent.steps,
            user_spoke,
            objectives: self.objectives.iter().map(|objective| &**objective).collect(),
            exits: agent.trail.here().map_or_else(Vec::new, |here| self.map.unexplored(here)),
            repeated: facts.weighed.as_ref().and_then(repeated_action),
            iterations: self.iterations.iter().map(|iteration| &**iteration).collect(),
        };
        decide(reports, &input, &mut self.ledger, self.detectors.book(), config, verdict);
    }
}

/// Returns the action if `novelty` recognized it as a recent one.
fn repeated_action(weighed: &WeighedProposal) -> Option<String> {
    let evidence = weighed.review.hint_of(Pattern::RepeatedAction)?;
    evidence.text(EvidenceKey::ACTION).map(str::to_owned)
}
