//! The state that a guard keeps of a run.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::agent_state::AgentState;
use crate::detectors::RunDetectors;
use crate::event::RunId;
use crate::evidence::redact_and_truncate;
use crate::fingerprint::ChangeHistory;
use crate::memory::{LruMap, RingBuffer};
use crate::place::PlaceMap;
use crate::policy::LoopLedger;
use crate::snapshot::SNAPSHOT_BYTES;
use crate::step::Step;
use crate::text::clip::{clip, clip_escaped};

/// Number of agents of a run that are kept apart. The least recently active one is forgotten first.
const AGENTS: usize = 16;
/// Number of open objectives that a warning lists, and the length of each in bytes.
const OBJECTIVES: usize = 5;
const OBJECTIVE_BYTES: usize = 120;
/// Number of iterations that an escalation lists, and the length of each in bytes.
const ITERATIONS: usize = 5;
const ITERATION_BYTES: usize = 100;
/// Length of the run's id in bytes.
pub(super) const RUN_BYTES: usize = 200;
/// Part of the snapshot, in bytes, that agents leave to the map if it needs that much.
const PLACES_SHARE: usize = 16 * 1024;

/// The whole state of a guard. Its size is bounded, whatever the length of the run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct GuardState {
    pub(super) run: RunId,
    /// The number of the last turn.
    pub(super) turn: u64,
    /// Number of turns.
    pub(super) turns: u64,
    /// Number of steps, refused ones included.
    pub(super) steps: u64,
    /// The first and the latest time, in milliseconds.
    pub(super) started: Option<i64>,
    pub(super) now: Option<i64>,
    pub(super) map: PlaceMap,
    pub(super) agents: LruMap<AgentState>,
    pub(super) detectors: RunDetectors,
    pub(super) ledger: LoopLedger,
    pub(super) effects: ChangeHistory,
    pub(super) objectives: Vec<String>,
    pub(super) iterations: RingBuffer<String>,
}

impl Default for GuardState {
    fn default() -> Self {
        GuardState {
            run: Arc::from(""),
            turn: 0,
            turns: 0,
            steps: 0,
            started: None,
            now: None,
            map: PlaceMap::default(),
            agents: LruMap::default(),
            detectors: RunDetectors::default(),
            ledger: LoopLedger::default(),
            effects: ChangeHistory::default(),
            objectives: Vec::new(),
            iterations: RingBuffer::default(),
        }
    }
}

impl GuardState {
    /// Counts a step. Returns its turn, and whether that differs from the turn that the step names.
    pub(super) fn count(&mut self, step: &Step<'_>) -> (u64, bool) {
        if self.steps == 0
            && self.run.is_empty()
            && let Some(run) = &step.run
        {
            self.run = clip_escaped(&run.as_text(), RUN_BYTES).into();
        }
        self.steps += 1;
        if let Some(at) = step.at {
            self.started.get_or_insert(at.0);
            self.now = self.now.max(Some(at.0));
        }
        let next = self.turn.saturating_add(1);
        let turn = step.turn.filter(|turn| *turn >= next).unwrap_or(next);
        let renumbered = step.turn.is_some_and(|named| named != turn);
        if !step.refused {
            self.turn = turn;
            self.turns += 1;
        }
        (turn, renumbered)
    }

    /// Stores the open objectives and the outputs of whole iterations, which later texts show.
    pub(super) fn remember(&mut self, step: &Step<'_>) {
        if let Some(objectives) = &step.objectives {
            let open = || {
                let first = objectives.active.iter().take(OBJECTIVES);
                first.map(|objective| clip_escaped(objective, OBJECTIVE_BYTES))
            };
            // Most steps have the same objectives as the previous one.
            if !open().eq(self.objectives.iter().map(String::as_str)) {
                self.objectives = open().map(str::to_owned).collect();
            }
        }
        if step.action.is_none()
            && let Some(text) = step.outcome.as_ref().and_then(|outcome| outcome.text.as_deref())
        {
            let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            let line = redact_and_truncate(clip(line, 2 * ITERATION_BYTES));
            self.iterations.push(
                format!("Iteration {}: {}", self.turn, clip_escaped(&line, ITERATION_BYTES)),
                ITERATIONS,
            );
        }
    }

    /// Makes the guard fit into its snapshot. The least recently active agents are dropped first, then the
    /// places that were left longest ago.
    pub(super) fn fit_snapshot(&mut self) {
        let digits = self.turn.checked_ilog10().unwrap_or_default() as usize + 1;
        let room = SNAPSHOT_BYTES.saturating_sub(self.fixed_bytes(digits));
        let mut agents: usize = self.agents.iter().map(|(_, agent)| agent.bytes(digits)).sum();
        let places = self.map.bytes().min(PLACES_SHARE);
        while self.agents.len() > AGENTS || (self.agents.len() > 1 && agents + places > room) {
            let Some((_, gone)) = self.agents.pop_oldest() else { break };
            agents = agents.saturating_sub(gone.bytes(digits));
        }
        self.map.fit(room.saturating_sub(agents));
    }

    /// Returns an upper bound of the snapshot size in bytes, without the map and the agents.
    fn fixed_bytes(&self, digits: usize) -> usize {
        // Texts count with their maximum length. Measuring each of them at every step would cost more than
        // the step.
        const NAMES: usize = 320 + RUN_BYTES;
        const ITERATION: usize = ITERATION_BYTES + 3 + "Iteration 18446744073709551615: ".len();
        NAMES
            + 2 * digits
            + self.objectives.len() * (OBJECTIVE_BYTES + 3)
            + self.iterations.len() * ITERATION
            + self.detectors.bytes(digits)
            + self.ledger.bytes(digits)
            + self.effects.bytes(digits)
    }
}

#[cfg(test)]
mod tests {
    use crate::guard::Guard;
    use crate::settings::Config;
    use crate::step::Step;

    #[test]
    fn a_snapshot_is_never_larger_than_its_upper_bound() {
        let mut guard = Guard::new(Config::default());
        for number in 0..600_u64 {
            let odd = format!("\u{1}\"{}", number % 40);
            let line = serde_json::json!({
                "turn": 1_000_000 * number, "at": number, "run": odd, "agent": format!("a{}", number / 3 % 9),
                "action": if number % 2 == 0 { "north" } else { "south" }, "critic": {"score": 0.9},
                "place": {"name": format!("{}{odd}", number % 2), "exits": [odd]}, "score": 1,
                "objectives": {"active": [odd], "completed": [number.to_string()]},
                "task": {"id": odd, "status": "blocked", "blockers": [odd], "work": [odd], "session": odd},
            });
            let output =
                serde_json::json!({"outcome": {"text": odd, "error": true}, "usage": {"cost_usd": 0.1}});
            for line in [line.to_string(), output.to_string()] {
                guard.observe(&Step::from_json(&line).unwrap());
            }
            let state = guard.state();
            let digits = state.turn.checked_ilog10().unwrap_or_default() as usize + 1;
            let agents = state.agents.iter().map(|(_, agent)| agent.bytes(digits)).sum::<usize>();
            let bound = state.fixed_bytes(digits) + agents + state.map.bytes();
            let written = serde_json::to_string(&guard.snapshot()).unwrap().len();
            assert!(written <= bound, "{written} bytes, at most {bound} expected");
        }
    }
}
