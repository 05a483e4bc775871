//! The state that a guard keeps of a run.

use std::sync::Arc;

use super::agent_state::AgentState;
use crate::detectors::RunDetectors;
use crate::event::RunId;
use crate::evidence::redact_and_truncate;
use crate::facts::UserWords;
use crate::fingerprint::ChangeHistory;
use crate::memory::{BoundedList, ClippedText, LruMap, RingBuffer, SnapshotSize, snapshot_type};
use crate::place::PlaceMap;
use crate::policy::LoopLedger;
use crate::snapshot::STATE_BYTES;
use crate::step::Step;
use crate::text::clip::clip_escaped;
use crate::text::{clip_masked, quoted};
use crate::verdict::RunStop;

/// Largest gap in the numbers of turns.
const MAX_GAP: u64 = 100_000;
/// Number of agents of a run that are kept apart. The least recently active one is forgotten first.
const AGENTS: usize = 16;
/// Number of open objectives that a warning lists, and the length of each in bytes.
const OBJECTIVES: usize = 5;
const OBJECTIVE_BYTES: usize = 120;
/// Number of iterations that an escalation lists, and the length of each in bytes.
const ITERATIONS: usize = 5;
const ITERATION_BYTES: usize = 100;
const ITERATION_LINE: usize = "Iteration 18446744073709551615: ".len() + ITERATION_BYTES;
/// Length of the run's id in bytes.
pub(super) const RUN_BYTES: usize = 200;
/// Upper bound of a stop in a snapshot, in bytes.
const STOP_BYTES: usize = 256;
/// Part of the snapshot, in bytes, that agents leave to the map if it needs that much.
const PLACES_SHARE: usize = 16 * 1024;

snapshot_type! {
    /// The whole state of a guard. Its size is bounded, whatever the length of the run.
    #[derive(Clone, Debug)]
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
        pub(super) agents: LruMap<AgentState, AGENTS>,
        pub(super) detectors: RunDetectors,
        pub(super) ledger: LoopLedger,
        pub(super) effects: ChangeHistory,
        /// The end of the run that is due.
        pub(super) stop_due: Option<RunStop>,
        /// True if the log marks failures, so that words decide nothing.
        pub(super) marks_failures: bool,
        pub(super) words: UserWords,
        pub(super) objectives: BoundedList<ClippedText<OBJECTIVE_BYTES>, OBJECTIVES>,
        pub(super) iterations: RingBuffer<ClippedText<ITERATION_LINE>, ITERATIONS>,
    }
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
            stop_due: None,
            marks_failures: false,
            words: UserWords::default(),
            objectives: BoundedList::default(),
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
        // A number far ahead is a mistake in the log, and sentences would count the turns up to it.
        let may_follow = |turn: &u64| (next..=next.saturating_add(MAX_GAP)).contains(turn);
        let turn = step.turn.filter(may_follow).unwrap_or(next);
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
            if !open().eq(self.objectives.iter().map(|known| &**known)) {
                let first = objectives.active.iter().take(OBJECTIVES);
                self.objectives =
                    first.map(|text| ClippedText::from(&*clip_masked(text, OBJECTIVE_BYTES))).collect();
            }
        }
        if step.action.is_none()
            && let Some(text) = step.outcome.as_ref().and_then(|outcome| outcome.text.as_deref())
        {
            let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            let line = quoted(clip_escaped(&redact_and_truncate(line), ITERATION_BYTES - r#"\"\""#.len()));
            let line = format!("Iteration {}: {line}", self.turn);
            self.iterations.push(ClippedText::from(line));
        }
    }

    /// Makes the guard fit into its snapshot, of which the user's detectors need `custom_bytes`. The least recently active agents are dropped first, then the
    /// places that were left longest ago.
    pub(super) fn fit_snapshot(&mut self, custom_bytes: usize) {
        let digits = self.count_digits();
        let all = self.snapshot_bytes(digits);
        let limit = STATE_BYTES.saturating_sub(custom_bytes);
        if all <= limit {
            return;
        }
        let (mut agents, places) = (self.agents.snapshot_bytes(digits), self.map.snapshot_bytes(digits));
        let room = limit.saturating_sub(all - agents - places);
        while self.agents.len() > 1 && agents + places.min(PLACES_SHARE) > room {
            let Some((_, gone)) = self.agents.pop_oldest() else { break };
            agents -= LruMap::<_, AGENTS>::entry_bytes(&gone, digits);
        }
        self.map.fit(room.saturating_sub(agents));
    }

    /// Returns the number of digits of the largest number that counts turns, steps or changes.
    fn count_digits(&self) -> usize {
        self.turn.max(self.steps).checked_ilog10().unwrap_or_default() as usize + 1
    }
}

/// A stop consists of names. Those of the user's detectors are short.
impl SnapshotSize for RunStop {
    fn max_bytes(_: usize) -> usize {
        STOP_BYTES
    }
}

/// The id of a run is clipped when it is set.
impl SnapshotSize for RunId {
    fn max_bytes(_: usize) -> usize {
        RUN_BYTES + "\"\"".len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use crate::guard::Guard;
    use crate::memory::SnapshotSize;
    use crate::settings::Config;
    use crate::step::Step;

    /// Returns the size of the state as JSON, and its upper bound.
    fn size_and_bound(guard: &Guard) -> (usize, usize) {
        let state = guard.state();
        (serde_json::to_string(state).unwrap().len(), state.snapshot_bytes(state.count_digits()))
    }

    /// Returns two steps with texts that grow in JSON, and with as many fields as possible.
    fn hostile(number: u64, turn: u64, odd: &str) -> [Value; 2] {
        let step = json!({
            "turn": turn, "at": number, "run": odd, "agent": format!("a{}", number / 3 % 9),
            "action": if number.is_multiple_of(2) { "north" } else { "south" }, "critic": {"score": 0.9},
            "place": {"name": format!("{}{odd}", number % 2), "exits": [odd]}, "score": 1,
            "objectives": {"active": [odd], "completed": [number.to_string()]},
            "task": {"id": odd, "status": "blocked", "blockers": [odd], "work": [odd], "session": odd},
        });
        [step, json!({"outcome": {"text": odd, "error": true}, "usage": {"cost_usd": 0.1}})]
    }

    #[test]
    fn a_snapshot_is_never_larger_than_its_upper_bound() {
        let mut guard = Guard::new(Config::default());
        for number in 0..600 {
            for line in hostile(number, 1_000_000 * number, &format!("\u{1}\"{}", number % 40)) {
                guard.observe(&Step::from_json(&line.to_string()).unwrap());
            }
            let (size, bound) = size_and_bound(&guard);
            assert!(size <= bound, "{size} bytes, at most {bound} expected");
        }
    }

    /// A number far ahead is a mistake in the log: nobody waits for 18446744073709551616 turns.
    #[test]
    fn a_turn_far_ahead_counts_as_the_next_one() {
        let mut guard = Guard::new(Config::default());
        let mut see = |turn: u64| {
            guard.observe(&Step::from_json(&json!({"turn": turn, "score": 0}).to_string()).unwrap()).turn
        };
        assert_eq!([1, 5, 90_000, u64::MAX, 90_003].map(&mut see), [1, 5, 90_000, 90_001, 90_003]);
        let mut longest = 0;
        for turn in 0..60 {
            let step = json!({"turn": if turn == 30 { u64::MAX } else { turn }, "score": 0}).to_string();
            for finding in guard.observe(&Step::from_json(&step).unwrap()).findings {
                longest = longest.max(finding.evidence.number("turns_stuck").unwrap_or_default());
            }
        }
        assert!(longest < 100_000, "{longest}");
    }

    /// A store and a replay keep snapshots, so a secret in one would be kept in the clear.
    #[test]
    fn a_snapshot_contains_no_secret() {
        let secret = "Zq9Xsecret7731";
        let mut guard = Guard::new(Config::default());
        for number in 0..12 {
            let command = format!("curl -u bob:{secret} https://x");
            let texts = format!("Logged in. DB_PASS={secret} {}", "password: none. ".repeat(400));
            let long = format!("{texts} {} token={secret}", "line ".repeat(5_000));
            for record in [
                json!({"action": {"name": "Bash", "args": {"command": command}}, "outcome": format!("<password>{secret}</password>"),
                    "place": {"name": format!("at password={secret}")}, "objectives": {"active": [format!("use --token {secret}")]},
                    "task": {"id": "T", "status": "blocked", "blockers": [format!("login with api_key={secret}")]}}),
                json!({"action": {"name": "Edit", "args": {"file_path": "a", "old_string": format!("DB_PASS={secret}"), "new_string": "DB_PASS=none"}}, "outcome": "ok"}),
                json!({"outcome": if number % 2 == 0 { &texts } else { &long }, "say": format!("I use Bearer {secret}")}),
                json!({"user": format!("my password is password={secret}")}),
            ] {
                guard.observe(&Step::from_json(&record.to_string()).unwrap());
            }
            let state = serde_json::to_string(guard.state()).unwrap();
            let at = state.find("Zq9X").map(|at| &state[at.saturating_sub(120)..at]);
            assert_eq!(at, None);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

        #[test]
        fn no_steps_make_a_snapshot_larger_than_its_upper_bound(
            steps in prop::collection::vec((any::<u8>(), any::<u32>(), ".{0,60}", any::<bool>()), 1..60),
        ) {
            let mut guard = Guard::new(Config::default());
            for (number, turn, text, tool) in steps {
                let call = json!({
                    "turn": turn, "refused": number.is_multiple_of(11),
                    "action": {"name": "search", "args": {"query": text, "offset": turn, "limit": number}},
                    "outcome": {"text": text, "error": number.is_multiple_of(3)},
                });
                let others = hostile(number.into(), turn.into(), &text);
                for line in if tool { vec![call] } else { others.to_vec() } {
                    guard.observe(&Step::from_json(&line.to_string()).unwrap());
                }
                let (size, bound) = size_and_bound(&guard);
                prop_assert!(size <= bound, "{size} bytes, at most {bound} expected");
            }
        }
    }
}
