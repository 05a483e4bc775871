//! What was already tried on this run: which loops were acted on, which tasks were given authority or moved on from.

use serde::{Deserialize, Serialize};

use crate::detectors::{CLOSING_STEPS, Detection, LoopFamily};
use crate::memory::{KEY_BYTES, Key, Ring, key_of, key_of_parts};
use crate::text::clip::clip_escaped;
use crate::verdict::Intervention;

/// How many loops are kept, and after how many steps one that stopped is forgotten.
const LOOPS: usize = 16;
const FORGOTTEN_AFTER: u64 = 50;
/// How many grants and forced tasks are remembered.
const TASKS: usize = 48;
const LABEL_BYTES: usize = 80;

/// The memory of the policy.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Ledger {
    loops: Ring<OpenLoop>,
    grants: Ring<Key>,
    forced: Ring<Key>,
}

/// A loop that was acted on.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct OpenLoop {
    #[serde(rename = "i")]
    id: Key,
    #[serde(rename = "f")]
    family: LoopFamily,
    #[serde(rename = "g")]
    agent: Key,
    #[serde(rename = "a")]
    acted: bool,
    #[serde(rename = "t")]
    turn: u64,
    #[serde(rename = "n")]
    step: u64,
    #[serde(rename = "r")]
    rung: Option<Intervention>,
    #[serde(rename = "s")]
    stage: u8,
    #[serde(rename = "c")]
    count: u32,
    #[serde(rename = "l")]
    label: String,
    #[serde(rename = "o")]
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum State {
    Open,
    /// The agent had turned away: one repeat is tolerated.
    HalfOpen,
    /// It was; the next one opens the loop again.
    Tolerated,
}

/// Where and when a sighting was made.
pub(crate) struct Moment {
    pub(crate) agent: Key,
    pub(crate) turn: u64,
    /// The number of the step among those of the agent.
    pub(crate) step: u64,
}

impl Ledger {
    /// Takes in a sighting. Gives the id of the loop it belongs to and, where something is to be done, the rung.
    pub(crate) fn sight(
        &mut self,
        sighting: &Detection,
        acted: bool,
        rung: Option<Intervention>,
        moment: &Moment,
    ) -> (Key, Option<Intervention>) {
        let Moment { agent, turn, step } = *moment;
        let same = |known: &&mut OpenLoop| {
            (known.family, known.agent, known.acted) == (sighting.family, agent, acted)
                && step <= known.step + FORGOTTEN_AFTER
                && (known.id == sighting.identity
                    || (repeats(sighting.family) && sighting.since <= known.turn))
        };
        let Some(known) = self.loops.iter_mut().rev().find(same) else {
            if rung.is_some() {
                let known = OpenLoop {
                    id: sighting.identity,
                    family: sighting.family,
                    agent,
                    acted,
                    turn,
                    step,
                    rung,
                    stage: sighting.stage,
                    count: sighting.count,
                    label: String::new(),
                    state: State::Open,
                };
                self.loops.push(known, LOOPS);
            }
            return (sighting.identity, rung);
        };
        // Counts of another detector are another measure.
        let own = sighting.identity == known.id;
        // Something milder beside a loop neither prolongs it nor opens it again.
        if rung < known.rung && !own {
            return (known.id, None);
        }
        // An output that began to repeat only after the last sighting had another output before it.
        let changed = known.family == LoopFamily::Output && sighting.since > known.turn;
        let turned_away = changed || step > known.step + CLOSING_STEPS;
        if repeats(known.family) && known.state == State::Open && turned_away {
            known.state = State::HalfOpen;
        }
        let again = step != known.step;
        (known.turn, known.step) = (turn, step);
        let act = match known.state {
            // One repeat is tolerated, but nothing that is worse than before.
            State::HalfOpen if rung > known.rung => {
                known.state = State::Open;
                rung
            }
            State::HalfOpen => {
                known.state = State::Tolerated;
                None
            }
            // Other findings of the same step belong to the repeat that is tolerated.
            State::Tolerated if !again => None,
            State::Tolerated => {
                known.state = State::Open;
                known.rung.max(rung)
            }
            State::Open => rung.filter(|_| {
                rung > known.rung
                    || sighting.stage > known.stage
                    || (rung == known.rung && own && sighting.count >= known.count.saturating_mul(2))
            }),
        };
        if act.is_some() {
            known.rung = known.rung.max(act);
            known.count = if own { sighting.count } else { known.count };
        }
        known.stage = known.stage.max(sighting.stage);
        (known.id, act)
    }

    /// A human spoke: whatever the agent was in, it gets one more try.
    pub(crate) fn half_open(&mut self, agent: Key) {
        for known in self.loops.iter_mut().filter(|known| known.agent == agent && repeats(known.family)) {
            known.state = State::HalfOpen;
        }
    }

    /// Gives a loop a name to be shown. A milder finding beside it does not rename it.
    pub(crate) fn label(&mut self, id: Key, rung: Option<Intervention>, label: &str) {
        let named = self.loops.iter_mut().rev().find(|known| known.id == id);
        if let Some(known) = named.filter(|known| rung >= known.rung) {
            clip_escaped(label, LABEL_BYTES).clone_into(&mut known.label);
        }
    }

    /// The loops an agent was seen in during the last turns.
    pub(crate) fn seen(&self, agent: Key, turn: u64, turns: u64) -> impl Iterator<Item = &str> {
        let lately = move |known: &&OpenLoop| {
            known.agent == agent
                && matches!(known.family, LoopFamily::Place | LoopFamily::Output)
                && known.rung.is_some_and(|rung| rung != Intervention::Hint)
                && known.turn.saturating_add(turns) >= turn
        };
        self.loops.iter().filter(lately).map(|known| known.label.as_str())
    }

    /// What it takes in a snapshot, at most, where a turn takes so many digits.
    pub(crate) fn bytes(&self, digits: usize) -> usize {
        // The labels were cut to their bytes: to measure each of them at every step would cost more than the step.
        40 + self.loops.len() * (170 + digits + LABEL_BYTES)
            + (self.grants.len() + self.forced.len()) * KEY_BYTES
    }

    /// Whether authority over these blockers of this task was granted before.
    pub(crate) fn granted(&self, task: &str, blockers: Key) -> bool {
        let grant = key_of_parts(&[key_of(task), blockers]);
        self.grants.iter().any(|known| *known == grant)
    }

    /// Notes a grant: it is not given twice.
    pub(crate) fn grant(&mut self, task: &str, blockers: Key) {
        self.grants.push(key_of_parts(&[key_of(task), blockers]), TASKS);
    }

    /// Notes that the agent was moved on from a task.
    pub(crate) fn force(&mut self, task: &str) {
        if !self.is_forced(task) {
            self.forced.push(key_of(task), TASKS);
        }
    }

    /// Whether the agent was moved on from a task.
    pub(crate) fn is_forced(&self, task: &str) -> bool {
        let task = key_of(task);
        self.forced.iter().any(|known| *known == task)
    }
}

/// Families whose loops can pause and come back. The others begin anew with every progress, limit, error or attempt.
fn repeats(family: LoopFamily) -> bool {
    matches!(family, LoopFamily::Place | LoopFamily::Proposal | LoopFamily::Action | LoopFamily::Output)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Intervention::{Escalate, Hint, Warn};

    fn sighting(identity: Key, since: u64, count: u32) -> Detection {
        Detection {
            pattern: crate::detectors::Pattern::Cycle,
            family: LoopFamily::Output,
            identity,
            since,
            severity: None,
            stage: 0,
            count,
            requested_intervention: None,
        }
    }

    fn sight(
        ledger: &mut Ledger,
        identity: Key,
        count: u32,
        rung: Intervention,
        step: u64,
    ) -> Option<Intervention> {
        let since = step.saturating_sub(u64::from(count));
        ledger
            .sight(
                &sighting(identity, since, count),
                true,
                Some(rung),
                &Moment { agent: 1, turn: step, step },
            )
            .1
    }

    #[test]
    fn a_loop_is_acted_on_once_a_rung_and_again_when_it_worsens() {
        let mut ledger = Ledger::default();
        assert_eq!(sight(&mut ledger, 9, 2, Hint, 1), Some(Hint));
        assert_eq!(sight(&mut ledger, 9, 3, Hint, 2), None);
        assert_eq!(sight(&mut ledger, 9, 3, Warn, 3), Some(Warn));
        assert_eq!(sight(&mut ledger, 9, 5, Warn, 4), None);
        assert_eq!(sight(&mut ledger, 9, 6, Warn, 5), Some(Warn));
    }

    #[test]
    fn after_three_other_steps_one_repeat_is_tolerated_and_the_next_opens_the_loop_at_its_rung() {
        let mut ledger = Ledger::default();
        assert_eq!(sight(&mut ledger, 9, 3, Escalate, 10), Some(Escalate));
        assert_eq!(sight(&mut ledger, 9, 2, Hint, 14), None, "tolerated");
        assert_eq!(sight(&mut ledger, 9, 3, Hint, 15), Some(Escalate), "open again at the rung it had");
    }

    #[test]
    fn a_user_turn_half_opens_every_loop_of_the_agent() {
        let mut ledger = Ledger::default();
        assert_eq!(sight(&mut ledger, 9, 3, Escalate, 10), Some(Escalate));
        ledger.half_open(1);
        assert_eq!(sight(&mut ledger, 9, 4, Escalate, 11), None);
        assert_eq!(sight(&mut ledger, 9, 5, Escalate, 12), Some(Escalate));
    }

    #[test]
    fn overlapping_findings_of_one_family_are_one_loop() {
        let mut ledger = Ledger::default();
        let moment = |step| Moment { agent: 1, turn: step, step };
        let (first, _) = ledger.sight(&sighting(9, 5, 3), true, Some(Warn), &moment(8));
        let (second, act) = ledger.sight(&sighting(77, 6, 3), true, Some(Warn), &moment(9));
        assert_eq!((first, second, act), (9, 9, None));
        let (other, act) = ledger.sight(&sighting(78, 30, 3), true, Some(Warn), &moment(33));
        assert_eq!((other, act), (78, Some(Warn)));
    }

    #[test]
    fn a_loop_that_stopped_long_ago_is_forgotten() {
        let mut ledger = Ledger::default();
        assert_eq!(sight(&mut ledger, 9, 3, Escalate, 10), Some(Escalate));
        assert_eq!(sight(&mut ledger, 9, 2, Hint, 100), Some(Hint));
    }

    #[test]
    fn a_grant_is_for_one_task_and_its_blockers() {
        let mut ledger = Ledger::default();
        ledger.grant("T1", 5);
        assert!(ledger.granted("T1", 5));
        assert!(!ledger.granted("T1", 6));
        assert!(!ledger.granted("T2", 5));
    }
}
