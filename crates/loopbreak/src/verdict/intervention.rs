//! Interventions: the possible reactions to a finding.

use crate::name_enum::name_enum;

name_enum! {
    /// A reaction to a finding, ordered from the mildest to the strongest.
    ///
    /// Use the order only to compare strength. For the meaning of an intervention, use
    /// [`Intervention::is_advice`], [`Intervention::is_recovery`], [`Intervention::overrides_agent`] and
    /// [`Intervention::ends_run`].
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    "intervention" pub enum Intervention {
        /// A remark for the agent or the critic.
        Hint = "hint",
        /// A warning for the agent.
        Warn = "warn",
        /// The score of a proposal is lowered.
        Penalize = "penalize",
        /// A proposal is refused.
        Reject = "reject",
        /// The agent is moved to another task.
        ForceNext = "force_next",
        /// The agent is allowed to remove the blockers of one task.
        UnblockAuthority = "unblock_authority",
        /// A human is asked to decide.
        Escalate = "escalate",
        /// The run is ended.
        Stop = "stop",
    }
}

impl Intervention {
    /// Returns whether it only sends a text to the agent: a hint or a warning.
    pub const fn is_advice(self) -> bool {
        matches!(self, Intervention::Hint | Intervention::Warn)
    }

    /// Returns whether it changes what the agent may do with a task, so that the run can continue.
    pub const fn is_recovery(self) -> bool {
        matches!(self, Intervention::ForceNext | Intervention::UnblockAuthority)
    }

    /// Returns whether the run ends with it or waits for a human.
    pub const fn ends_run(self) -> bool {
        matches!(self, Intervention::Escalate | Intervention::Stop)
    }

    /// Returns whether it overrides the agent's own choice: a refused proposal, a recovery, or the end of the run.
    pub const fn overrides_agent(self) -> bool {
        matches!(self, Intervention::Reject) || self.is_recovery() || self.ends_run()
    }
}

#[cfg(test)]
mod tests {
    use super::Intervention::{self, *};

    #[test]
    fn stronger_interventions_come_later() {
        let mut sorted = Intervention::ALL.to_vec();
        sorted.sort();
        assert_eq!(sorted, [Hint, Warn, Penalize, Reject, ForceNext, UnblockAuthority, Escalate, Stop]);
    }

    #[test]
    fn every_intervention_is_advice_a_penalty_or_an_override() {
        for intervention in Intervention::ALL {
            let kinds = [
                intervention.is_advice(),
                *intervention == Penalize,
                *intervention == Reject,
                intervention.is_recovery(),
                intervention.ends_run(),
            ];
            assert_eq!(kinds.iter().filter(|kind| **kind).count(), 1, "{intervention}");
            assert_eq!(intervention.overrides_agent(), *intervention > Penalize, "{intervention}");
        }
    }
}
