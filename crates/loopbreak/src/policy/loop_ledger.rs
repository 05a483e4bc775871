//! The ledger of loops and tasks that were already handled, so that nothing is done twice.

use crate::detectors::{CLOSING_STEPS, Detection, LoopFamily};
use crate::memory::{ClippedText, HashKey, RingBuffer, key_of, key_of_parts, snapshot_type};
use crate::verdict::Intervention;

/// Number of loops that are remembered, and number of steps after which one that stopped is forgotten.
const LOOPS: usize = 16;
const FORGOTTEN_AFTER: u64 = 50;
/// Number of permissions, and number of forced tasks, that are remembered.
const TASKS: usize = 48;
/// Length of a label in bytes.
const LABEL_BYTES: usize = 80;

snapshot_type! {
    /// The loops and tasks that were already handled.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(crate) struct LoopLedger {
        loops: RingBuffer<OpenLoop, LOOPS>,
        grants: RingBuffer<HashKey, TASKS>,
        forced: RingBuffer<HashKey, TASKS>,
    }
}

snapshot_type! {
    /// A loop that a decision was made about.
    #[derive(Clone, Debug)]
    struct OpenLoop {
        #[serde(rename = "i")]
        id: HashKey,
        #[serde(rename = "f")]
        family: LoopFamily,
        #[serde(rename = "g")]
        agent: HashKey,
        #[serde(rename = "a")]
        enforced: bool,
        #[serde(rename = "t")]
        turn: u64,
        #[serde(rename = "n")]
        step: u64,
        #[serde(rename = "r")]
        intervention: Option<Intervention>,
        #[serde(rename = "s")]
        stage: u8,
        #[serde(rename = "c")]
        count: u32,
        #[serde(rename = "l")]
        label: ClippedText<LABEL_BYTES>,
        #[serde(rename = "o")]
        state: LoopState,
    }
}

snapshot_type! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum LoopState {
        Open,
        /// The agent left the loop. One repeat is tolerated.
        HalfOpen,
        /// One repeat was tolerated. The next one opens the loop again.
        Tolerated,
    }
}

/// The agent and the time of a detection.
pub(crate) struct DetectionTime {
    pub(crate) agent: HashKey,
    pub(crate) turn: u64,
    /// The number of the step among those of the agent.
    pub(crate) step: u64,
}

impl LoopLedger {
    /// Records a detection. Returns the id of the loop that it belongs to, and the intervention if one is due.
    pub(crate) fn record(
        &mut self,
        detection: &Detection,
        enforced: bool,
        wanted: Option<Intervention>,
        time: &DetectionTime,
    ) -> (HashKey, Option<Intervention>) {
        let DetectionTime { agent, turn, step } = *time;
        let same = |known: &&mut OpenLoop| {
            (known.family, known.agent, known.enforced) == (detection.family, agent, enforced)
                && step <= known.step + FORGOTTEN_AFTER
                && (known.id == detection.identity
                    || (can_overlap(detection.family) && detection.since <= known.turn))
        };
        if let Some(known) = self.loops.iter_mut().rev().find(same) {
            return (known.id, known.repeat(detection, wanted, turn, step));
        }
        if wanted.is_some() {
            let known = OpenLoop {
                id: detection.identity,
                family: detection.family,
                agent,
                enforced,
                turn,
                step,
                intervention: wanted,
                stage: detection.stage,
                count: detection.count,
                label: ClippedText::default(),
                state: LoopState::Open,
            };
            self.loops.push(known);
        }
        (detection.identity, wanted)
    }

    /// Half-opens all loops of an agent. After a message from the user, one more repeat is tolerated.
    pub(crate) fn half_open(&mut self, agent: HashKey) {
        for known in self.loops.iter_mut().filter(|known| known.agent == agent && can_pause(known.family)) {
            known.state = LoopState::HalfOpen;
        }
    }

    /// Sets the text that later warnings show for a loop, unless the finding is milder than the loop.
    pub(crate) fn set_label(&mut self, id: HashKey, intervention: Option<Intervention>, label: &str) {
        let labelled = self.loops.iter_mut().rev().find(|known| known.id == id);
        if let Some(known) = labelled.filter(|known| intervention >= known.intervention) {
            known.label = label.into();
        }
    }

    /// Iterates over the labels of the loops that an agent was in during the last turns.
    pub(crate) fn labels(&self, agent: HashKey, turn: u64, turns: u64) -> impl Iterator<Item = &str> {
        let recent = move |known: &&OpenLoop| {
            known.agent == agent
                && matches!(known.family, LoopFamily::Place | LoopFamily::Output)
                && known.intervention.is_some_and(|intervention| intervention != Intervention::Hint)
                && known.turn.saturating_add(turns) >= turn
        };
        self.loops.iter().filter(recent).map(|known| &*known.label)
    }

    /// Returns whether authority over these blockers of this task was granted before.
    pub(crate) fn is_granted(&self, task: &str, blockers: HashKey) -> bool {
        let grant = key_of_parts(&[key_of(task), blockers]);
        self.grants.iter().any(|known| *known == grant)
    }

    /// Remembers that authority over these blockers was granted.
    pub(crate) fn grant(&mut self, task: &str, blockers: HashKey) {
        self.grants.push(key_of_parts(&[key_of(task), blockers]));
    }

    /// Remembers that the agent was moved away from a task.
    pub(crate) fn force(&mut self, task: &str) {
        if !self.is_forced(task) {
            self.forced.push(key_of(task));
        }
    }

    /// Returns whether the agent was moved away from a task.
    pub(crate) fn is_forced(&self, task: &str) -> bool {
        let task = key_of(task);
        self.forced.iter().any(|known| *known == task)
    }
}

impl OpenLoop {
    /// Records another detection of the loop. Returns the intervention if one is due.
    fn repeat(
        &mut self,
        detection: &Detection,
        wanted: Option<Intervention>,
        turn: u64,
        step: u64,
    ) -> Option<Intervention> {
        // Another detector counts in its own unit.
        let own = detection.identity == self.id;
        // A milder detection of something else neither extends the loop nor opens it again.
        if wanted < self.intervention && !own {
            return None;
        }
        // An output that began to repeat after the last detection had another output before it.
        let changed = self.family == LoopFamily::Output && detection.since > self.turn;
        let was_left = changed || step > self.step + CLOSING_STEPS;
        if can_pause(self.family) && self.state == LoopState::Open && was_left {
            self.state = LoopState::HalfOpen;
        }
        let same_step = step == self.step;
        (self.turn, self.step) = (turn, step);
        let due = match self.state {
            // One repeat is tolerated, unless it is worse than before.
            LoopState::HalfOpen if wanted > self.intervention => {
                self.state = LoopState::Open;
                wanted
            }
            LoopState::HalfOpen => {
                self.state = LoopState::Tolerated;
                None
            }
            // Other detections of the same step belong to the repeat that is tolerated.
            LoopState::Tolerated if same_step => None,
            LoopState::Tolerated => {
                self.state = LoopState::Open;
                self.intervention.max(wanted)
            }
            LoopState::Open => wanted.filter(|_| self.is_worse(detection, wanted, own)),
        };
        if due.is_some() {
            self.intervention = self.intervention.max(due);
            self.count = if own { detection.count } else { self.count };
        }
        self.stage = self.stage.max(detection.stage);
        due
    }

    /// Returns whether a detection is worse than the last decided one: a stronger intervention, a higher
    /// stage, or twice the count.
    fn is_worse(&self, detection: &Detection, wanted: Option<Intervention>, own: bool) -> bool {
        wanted > self.intervention
            || detection.stage > self.stage
            || (wanted == self.intervention && own && detection.count >= self.count.saturating_mul(2))
    }
}

/// Returns whether loops of a family can pause and return. The others start again after progress, or at the
/// next limit, error or attempt.
fn can_pause(family: LoopFamily) -> bool {
    can_overlap(family) || matches!(family, LoopFamily::Custom | LoopFamily::Effect)
}

/// Returns whether overlapping detections of a family belong to one loop. Detectors of the user have nothing in common
/// that would make their loops one.
fn can_overlap(family: LoopFamily) -> bool {
    matches!(family, LoopFamily::Place | LoopFamily::Proposal | LoopFamily::Action | LoopFamily::Output)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Intervention::{Escalate, Hint, Warn};

    const NINE: HashKey = HashKey(9);

    fn detection(identity: HashKey, since: u64, count: u32) -> Detection {
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

    fn record(
        ledger: &mut LoopLedger,
        identity: HashKey,
        count: u32,
        wanted: Intervention,
        step: u64,
    ) -> Option<Intervention> {
        let since = step.saturating_sub(u64::from(count));
        ledger
            .record(
                &detection(identity, since, count),
                true,
                Some(wanted),
                &DetectionTime { agent: HashKey(1), turn: step, step },
            )
            .1
    }

    #[test]
    fn a_loop_leads_to_each_intervention_once_and_again_when_it_gets_worse() {
        let mut ledger = LoopLedger::default();
        assert_eq!(record(&mut ledger, NINE, 2, Hint, 1), Some(Hint));
        assert_eq!(record(&mut ledger, NINE, 3, Hint, 2), None);
        assert_eq!(record(&mut ledger, NINE, 3, Warn, 3), Some(Warn));
        assert_eq!(record(&mut ledger, NINE, 5, Warn, 4), None);
        assert_eq!(record(&mut ledger, NINE, 6, Warn, 5), Some(Warn));
    }

    #[test]
    fn after_three_other_steps_one_repeat_is_tolerated_and_the_next_opens_the_loop_again() {
        let mut ledger = LoopLedger::default();
        assert_eq!(record(&mut ledger, NINE, 3, Escalate, 10), Some(Escalate));
        assert_eq!(record(&mut ledger, NINE, 2, Hint, 14), None, "tolerated");
        assert_eq!(
            record(&mut ledger, NINE, 3, Hint, 15),
            Some(Escalate),
            "open again with the intervention it had"
        );
    }

    #[test]
    fn a_message_from_the_user_half_opens_every_loop_of_the_agent() {
        let mut ledger = LoopLedger::default();
        assert_eq!(record(&mut ledger, NINE, 3, Escalate, 10), Some(Escalate));
        ledger.half_open(HashKey(1));
        assert_eq!(record(&mut ledger, NINE, 4, Escalate, 11), None);
        assert_eq!(record(&mut ledger, NINE, 5, Escalate, 12), Some(Escalate));
    }

    #[test]
    fn overlapping_detections_of_one_family_are_one_loop() {
        let mut ledger = LoopLedger::default();
        let time = |step| DetectionTime { agent: HashKey(1), turn: step, step };
        let (first, _) = ledger.record(&detection(NINE, 5, 3), true, Some(Warn), &time(8));
        let (second, due) = ledger.record(&detection(HashKey(77), 6, 3), true, Some(Warn), &time(9));
        assert_eq!((first, second, due), (NINE, NINE, None));
        let (other, due) = ledger.record(&detection(HashKey(78), 30, 3), true, Some(Warn), &time(33));
        assert_eq!((other, due), (HashKey(78), Some(Warn)));
    }

    #[test]
    fn a_loop_that_stopped_long_ago_is_forgotten() {
        let mut ledger = LoopLedger::default();
        assert_eq!(record(&mut ledger, NINE, 3, Escalate, 10), Some(Escalate));
        assert_eq!(record(&mut ledger, NINE, 2, Hint, 100), Some(Hint));
    }

    #[test]
    fn authority_is_granted_for_one_task_and_its_blockers() {
        let mut ledger = LoopLedger::default();
        ledger.grant("T1", HashKey(5));
        assert!(ledger.is_granted("T1", HashKey(5)));
        assert!(!ledger.is_granted("T1", HashKey(6)));
        assert!(!ledger.is_granted("T2", HashKey(5)));
    }
}
