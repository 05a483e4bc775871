//! Weighs proposals.

use super::agent_state::AgentState;
use super::{Guard, GuardState};
use crate::detectors::custom::CustomSlots;
use crate::detectors::{ProposalContext, ProposalFingerprint, ProposalReview, WeighedProposal};
use crate::facts::canonical_action;
use crate::fingerprint::NormalizedCall;
use crate::memory::{HashKey, key_of, key_of_parts};
use crate::place::{action_direction, exit_direction, find_place};
use crate::policy::{Proposal, rule_on_proposal};
use crate::settings::{Config, Mode};
use crate::step::{Action, MAIN_AGENT, PlaceExit, PlaceRef, Step};
use crate::text::normalize::normalize_whitespace_case;
use crate::verdict::{Intervention, Ruling, Verdict};

/// A proposal, converted to the keys of the guard.
struct ProposedAction<'p> {
    /// The action in its canonical form, and as it was proposed.
    action: &'p Action<'p>,
    spelled: &'p Action<'p>,
    score: Option<f64>,
    turn: u64,
    agent: HashKey,
    /// The place of the agent, if the proposal names one.
    place: Option<HashKey>,
    /// The exits of that place, if the proposal lists them.
    exits: &'p [PlaceExit<'p>],
    /// The place that the action leads to, if the caller's map has it.
    destination: Option<&'p PlaceRef<'p>>,
}

impl Guard {
    /// Weighs a proposal and returns the ruling. Changes nothing, so it can be called any number of times.
    ///
    /// A proposal without a score is judged as if the call had been made: if the eighth identical call is too
    /// many, the eighth is refused and not the ninth.
    pub fn weigh(&self, proposal: &Proposal<'_>) -> Ruling {
        self.weigh_with(self.active_config(), proposal)
    }

    /// Weighs a proposal with other settings than those of the guard, and changes nothing. So an adapter can judge
    /// calls by stricter or more lenient rules than steps, without a second guard.
    ///
    /// A run that is held out is only observed, whatever these settings say.
    pub fn weigh_with(&self, config: &Config, proposal: &Proposal<'_>) -> Ruling {
        let config = &self.applied_config(config);
        let canonical = canonical_action(&proposal.action);
        let proposed = ProposedAction {
            action: canonical.as_ref().unwrap_or(&proposal.action),
            spelled: &proposal.action,
            score: finite_score(proposal),
            turn: self.state.turn.saturating_add(1),
            agent: key_of(proposal.agent.as_deref().unwrap_or(MAIN_AGENT)),
            place: proposal.place.as_ref().and_then(|place| self.state.map.key(place)),
            exits: proposal.place.as_ref().map_or(&[], |place| &place.exits),
            destination: proposal.destination.as_ref(),
        };
        self.state.weigh(&proposed, &self.custom, config).1
    }

    /// Weighs the action of a step that the critic scored, as a proposal made at the previous place. So a
    /// replay of a log gives the same rulings as the live run.
    pub(super) fn weigh_scored_action(
        &self,
        step: &Step<'_>,
        verdict: &mut Verdict,
    ) -> Option<WeighedProposal> {
        let (action, score) = step.action.as_ref().zip(step.critic_score())?;
        let agent = key_of(step.agent.as_deref().unwrap_or(MAIN_AGENT));
        let canonical = canonical_action(action);
        let proposed = ProposedAction {
            action: canonical.as_ref().unwrap_or(action),
            spelled: action,
            score: Some(score),
            turn: verdict.turn,
            agent,
            place: None,
            exits: &[],
            destination: step.destination.as_ref(),
        };
        let (weighed, ruling) = self.state.weigh(&proposed, &self.custom, self.active_config());
        verdict.events.extend(ruling.events.iter().cloned());
        verdict.ruling = Some(ruling);
        Some(weighed)
    }
}

/// Returns the critic's score, if it is a number.
fn finite_score(proposal: &Proposal<'_>) -> Option<f64> {
    proposal.score.filter(|score| score.is_finite())
}

impl GuardState {
    fn weigh(
        &self,
        proposed: &ProposedAction<'_>,
        custom: &CustomSlots,
        config: &Config,
    ) -> (WeighedProposal, Ruling) {
        let unknown = AgentState::default();
        let agent = self.agents.peek(proposed.agent).unwrap_or(&unknown);
        let context = self.proposal_context(proposed, agent, config);
        let mut review = ProposalReview::new(config.policy.repeat_penalty, config.advice.templates);
        if config.mode != Mode::Off {
            agent.detectors.weigh(&context, config, &mut review);
            self.detectors.weigh(&context, config, &mut review);
            custom.weigh(&context, config, &mut review);
        }
        let base = proposed.score.unwrap_or(config.policy.score_max);
        let ruling = rule_on_proposal(&self.run, &context, base, &review, config);
        let line = key_of(&normalize_whitespace_case(&proposed.action.line()));
        let weighed = WeighedProposal {
            proposal: key_of_parts(&[line, context.from.unwrap_or_default()]),
            base,
            accept_at: config.policy.accept_at,
            rejected: ruling.intervention == Some(Intervention::Reject),
            review,
        };
        (weighed, ruling)
    }

    /// Returns the place that a proposed action leads to: as the caller says, or else as the steps showed. An action that
    /// leads to the current place is not a move.
    fn destination(
        &self,
        proposed: &ProposedAction<'_>,
        from: Option<HashKey>,
        agent: &AgentState,
    ) -> Option<HashKey> {
        let find = |place: &PlaceRef<'_>| find_place(place, from, &agent.trail, &self.map);
        let by_exits = || {
            let way = action_direction(proposed.action)?;
            let exit = proposed.exits.iter().find(|exit| exit_direction(&exit.name) == way);
            let given = exit.and_then(|exit| exit.to.as_ref()).and_then(find);
            given.or_else(|| self.map.leads_to(from?, &way))
        };
        proposed.destination.and_then(find).or_else(by_exits).filter(|to| Some(*to) != from)
    }

    /// Returns whether the only known exit leads to this place.
    fn is_only_way(
        &self,
        proposed: &ProposedAction<'_>,
        from: Option<HashKey>,
        to: HashKey,
        agent: &AgentState,
    ) -> bool {
        let leads_there = |exit: &PlaceExit<'_>| {
            let place = exit.to.as_ref();
            place.and_then(|place| find_place(place, from, &agent.trail, &self.map)) == Some(to)
        };
        let is_listed = !proposed.exits.is_empty() && proposed.exits.iter().all(leads_there);
        is_listed || from.is_some_and(|from| self.map.is_only_way(from, to))
    }

    /// Gathers the facts about a proposal.
    fn proposal_context<'p>(
        &'p self,
        proposed: &ProposedAction<'p>,
        agent: &'p AgentState,
        config: &'p Config,
    ) -> ProposalContext<'p> {
        let action = proposed.action;
        let from = proposed.place.or_else(|| agent.trail.here());
        let destination = self.destination(proposed, from, agent);
        // An agent that has only one way to go does not loop by going there.
        let only_way = config.policy.spare_only_way
            && destination.is_some_and(|to| self.is_only_way(proposed, from, to, agent));
        let allowed =
            only_way || config.allow.iter().any(|rule| rule.covers(action) || rule.covers(proposed.spelled));
        let class = (!allowed && config.reads_fingerprints()).then(|| config.tables().classify(action));
        let prints = class.map(|class| ProposalFingerprint {
            agent: proposed.agent,
            kind: class.kind,
            mutates: class.mutates,
            call: NormalizedCall::from_action(action, config.tables().volatile_names(action)).key,
            epoch: self.effects.epoch(),
            measured: self.effects.measures() || agent.trail.here().is_some(),
            scored: self.effects.measures(),
        });
        ProposalContext {
            action,
            spelled: proposed.spelled,
            turn: proposed.turn,
            from,
            destination: destination.filter(|_| !only_way),
            scored: proposed.score.is_some(),
            prints,
            tables: config.tables(),
            allowed,
            trail: &agent.trail,
            map: &self.map,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    #[test]
    fn other_settings_apply_to_one_proposal_only() {
        let mut guard = Guard::new(Config::default());
        for _ in 0..7 {
            guard.observe(&Step::from_json(r#"{"action":"make","outcome":"1 failed"}"#).unwrap());
        }
        let proposal = Proposal { action: Action::new("make"), ..Proposal::default() };
        let lenient = Settings { mode: Mode::Off, ..Settings::default() };
        assert!(guard.weigh_with(&Config::new(lenient).unwrap(), &proposal).accepted);
        assert!(!guard.weigh(&proposal).accepted);
        assert!(!guard.weigh_with(guard.config(), &proposal).accepted);
    }
}
