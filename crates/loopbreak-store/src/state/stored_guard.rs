//! The guard of a run, and the loops that it found.

use loopbreak::{Config, Guard, Snapshot, Verdict};

use super::{KnownLoop, StateError, push_bounded};

/// Number of loops that are remembered.
const MAX_LOOPS: usize = 8;
/// Number of turns for which a warning counts. A call that comes back later is not the one that was warned about.
const WARNING_TURNS: u64 = 30;

/// The guard of a run, and the loops that it found.
#[derive(Clone, Debug, Default)]
pub struct StoredGuard {
    /// Snapshot of the guard, `None` for a new run.
    pub snapshot: Option<Snapshot>,
    /// Turn of the guard.
    pub turn: u64,
    /// Loops found in the run.
    pub loops: Vec<KnownLoop>,
}

impl StoredGuard {
    /// Restores the guard and removes its snapshot from the state. A new run gets a new guard.
    pub fn restore(&mut self, config: Config, run: &str) -> Result<Guard, StateError> {
        match self.snapshot.take() {
            Some(snapshot) => Ok(Guard::restore(config, snapshot)?),
            None => Ok(Guard::new(config).for_run(run)),
        }
    }

    /// Puts the guard back into the state.
    pub fn save(&mut self, guard: &Guard) {
        self.turn = guard.turn();
        self.snapshot = Some(guard.snapshot());
    }

    /// Remembers the loops of a verdict. The detector that found a loop first describes it. The engine reports a loop
    /// once per rung; in between, its repetitions are only counted.
    pub fn note_findings(&mut self, verdict: &Verdict, now: i64) {
        let mut counted: Vec<String> = Vec::new();
        for finding in &verdict.findings {
            let new = KnownLoop::new(finding, verdict, now);
            match self.loops.iter_mut().find(|known| known.id == new.id) {
                Some(known) if known.detector == new.detector => {
                    counted.push(new.id.clone());
                    *known = new;
                }
                Some(_) => {}
                None => {
                    counted.push(new.id.clone());
                    push_bounded(&mut self.loops, new, MAX_LOOPS);
                }
            }
        }
        for id in &verdict.sighted {
            let id = id.to_string();
            if counted.contains(&id) {
                continue;
            }
            if let Some(known) = self.loops.iter_mut().find(|known| known.id == id) {
                known.attempt_count = known.attempt_count.saturating_add(1);
                known.last_attempt = now;
                known.turn = verdict.turn;
            }
        }
    }

    /// Returns whether the agent was recently warned that this action keeps coming back.
    pub fn has_warned(&self, action: &str) -> bool {
        let recent = |known: &&KnownLoop| known.turn.saturating_add(WARNING_TURNS) >= self.turn;
        self.loops.iter().filter(recent).any(|known| known.action == action && known.severity != "hint")
    }
}
