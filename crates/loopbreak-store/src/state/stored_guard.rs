//! The guard of a run, and the loops that it found.

use loopbreak::{Config, Guard, Mode, Snapshot, Verdict};

use super::{KnownLoop, StateError, WarnedLoop, push_bounded};

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
    /// True if the run was held out (`policy.holdout`). `None` if no runs were held out at the time.
    pub holdout: Option<bool>,
    /// The loop of the first warning, in runs that have a value in `holdout`.
    pub warned: Option<WarnedLoop>,
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
        // A run keeps its group if the settings change.
        if self.holdout.is_none() {
            let config = guard.config();
            let divides = config.policy.holdout > 0.0 && config.mode == Mode::Enforce;
            self.holdout = divides.then(|| guard.is_held_out());
            self.warned = self.warned.take().filter(|_| divides);
        }
    }

    /// Remembers the loops of a verdict. The detector that found a loop first describes it. The engine reports a loop
    /// once per rung; in between, its repetitions are only counted.
    pub fn note_findings(&mut self, verdict: &Verdict, now: i64) {
        match &mut self.warned {
            Some(warned) => warned.follow(verdict),
            None => self.warned = WarnedLoop::find(verdict),
        }
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

#[cfg(test)]
mod tests {
    use loopbreak::{Settings, Step};

    use super::*;
    use crate::{HoldoutRecord, RunState};

    fn config(share: f64, mode: Mode) -> Config {
        let mut settings = Settings { mode, ..Settings::default() };
        settings.policy.holdout = share;
        Config::new(settings).unwrap()
    }

    /// Observes one step per letter, each with the state of the step before. Three identical ones cause a warning.
    fn observe(mut json: Option<String>, config: &Config, letters: &str) -> Option<String> {
        for letter in letters.chars() {
            let mut state = RunState::parse(json.as_deref(), |warning| panic!("{warning}"));
            let mut guard = state.guard.restore(config.clone(), "run").unwrap();
            let line = format!(r#"{{"action":"do {letter}","outcome":"{letter}{letter} came of it"}}"#);
            let verdict = guard.observe(&Step::from_json(&line).unwrap());
            state.guard.note_findings(&verdict, 0);
            state.guard.save(&guard);
            json = Some(state.into_json().unwrap());
        }
        json
    }

    fn record(json: Option<&str>) -> Option<(bool, Option<u64>)> {
        let HoldoutRecord { held_out, warned } = HoldoutRecord::from_state_json(json?)?;
        Some((held_out, warned.map(|warned| warned.last)))
    }

    #[test]
    fn the_loop_of_the_first_warning_is_followed_to_its_last_step() {
        for (share, held_out) in [(1.0, true), (1e-12, false)] {
            let config = config(share, Mode::Enforce);
            for (letters, last) in
                [("abc", None), ("aaa", Some(0)), ("aaabcdefgh", Some(0)), ("aaaaaabcdefgh", Some(3))]
            {
                let json = observe(None, &config, letters);
                assert_eq!(record(json.as_deref()), Some((held_out, last)), "{letters}");
            }
        }
    }

    #[test]
    fn nothing_is_recorded_if_no_runs_are_held_out() {
        for config in [config(0.0, Mode::Enforce), config(1.0, Mode::Observe)] {
            let json = observe(None, &config, "aaaaaa").unwrap();
            assert!(!json.contains("\"holdout\"") && !json.contains("\"warned\""), "{json}");
            assert_eq!(record(Some(&json)), None);
        }
    }

    #[test]
    fn a_run_keeps_its_group() {
        let json = observe(None, &config(1.0, Mode::Enforce), "aaaa");
        let json = observe(json, &config(0.0, Mode::Enforce), "aa");
        assert_eq!(record(json.as_deref()), Some((true, Some(3))));
    }
}
