//! Settings of the policy.

use serde::{Deserialize, Serialize};

use super::SettingsChecks;
use crate::name_enum::name_enum;

name_enum! {
    /// The reaction to a loop with a hard finding.
    #[derive(Default)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    "answer to a loop" pub enum OnLoop {
        /// A human is asked.
        #[default]
        Escalate = "escalate",
        /// The run is stopped.
        Stop = "stop",
        /// The agent is only warned.
        Advise = "advise",
    }
}

/// Interventions for findings, and the scores of proposals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PolicySettings {
    /// Smallest adjusted score of an accepted proposal.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0, max = 1.0)))]
    pub accept_at: f64,
    /// Lowest score of a ruling.
    pub score_min: f64,
    /// Highest score of a ruling.
    pub score_max: f64,
    /// Change of the score of a proposal that would continue a known loop of calls: the next call of a `cycle`, a call
    /// that keeps returning (`recurrence`), another attempt at a `failing_target`. It is applied once, even if several
    /// of them object. A proposal without a score stays at `accept_at` if the loop only has a warning, and gets the
    /// lowest score if it has a hard finding.
    #[cfg_attr(feature = "schema", schemars(range(min = -1.0, max = 0.0)))]
    pub repeat_penalty: f64,
    /// Do not penalize the only known way out of a place, such as the way back from a dead end. Applies only if the
    /// steps list the exits of a place.
    pub spare_only_way: bool,
    /// The reaction to a loop with a hard finding.
    pub on_loop: OnLoop,
    /// Repeat the advice on every turn instead of only when a finding gets worse.
    pub repeat_advice: bool,
    /// Number of refused calls in a row after which the run is stopped, because the agent insists and nobody can be asked.
    /// The calls of one message count once. 0 disables it.
    pub insist: u32,
    /// Share of the runs, from 0 to 1, that are only observed. The runs are chosen by a hash of their ids, so the choice
    /// does not depend on what happens in them, and the effect of Loopbreak can be measured.
    #[cfg_attr(feature = "schema", schemars(range(min = 0.0, max = 1.0)))]
    pub holdout: f64,
    /// Interventions that are enabled.
    pub ladder: InterventionLadder,
}

impl Default for PolicySettings {
    fn default() -> Self {
        PolicySettings {
            accept_at: 0.5,
            score_min: 0.0,
            score_max: 1.0,
            repeat_penalty: -0.6,
            spare_only_way: true,
            on_loop: OnLoop::Escalate,
            repeat_advice: false,
            insist: 5,
            holdout: 0.0,
            ladder: InterventionLadder::default(),
        }
    }
}

impl PolicySettings {
    pub(super) fn check(&self, checks: &mut SettingsChecks) {
        checks.within("accept_at", self.accept_at, &(0.0..=1.0));
        checks.penalty("repeat_penalty", self.repeat_penalty);
        checks.within("holdout", self.holdout, &(0.0..=1.0));
        checks.that(
            self.score_min.is_finite() && self.score_max.is_finite() && self.score_min < self.score_max,
            "score_min",
            || {
                (
                    format!("score_min ({}) must be below score_max ({})", self.score_min, self.score_max),
                    "lower the one or raise the other".into(),
                )
            },
        );
        checks.that(self.accept_at > self.score_min && self.accept_at <= self.score_max, "accept_at", || {
            (
                format!(
                    "accept_at ({}) must lie above score_min ({}) and not above score_max ({})",
                    self.accept_at, self.score_min, self.score_max
                ),
                "otherwise every proposal would be accepted, or none".into(),
            )
        });
    }
}

/// The interventions that are enabled. A disabled one is replaced by the next milder one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct InterventionLadder {
    /// A remark for the agent or the critic.
    pub hint: bool,
    /// A warning for the agent.
    pub warn: bool,
    /// Lower the score of proposals that continue a loop.
    pub penalize: bool,
    /// Refuse proposals that fall below `accept_at`.
    pub reject: bool,
    /// Move the agent to another task.
    pub force_next: bool,
    /// Allow the agent to remove the blockers of one task.
    pub unblock_authority: bool,
    /// Ask a human.
    pub escalate: bool,
    /// End the run.
    pub stop: bool,
}

impl Default for InterventionLadder {
    fn default() -> Self {
        InterventionLadder {
            hint: true,
            warn: true,
            penalize: true,
            reject: true,
            force_next: true,
            unblock_authority: true,
            escalate: true,
            stop: true,
        }
    }
}
