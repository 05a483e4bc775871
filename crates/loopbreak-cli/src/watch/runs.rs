//! A guard for each run, and what is kept of those that nothing is heard of.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use loopbreak::{Config, Guard, Snapshot, Step, Verdict};
use loopbreak_analysis::VerdictName;

/// How many guards are kept ready; the others are put away as snapshots.
const AWAKE: usize = 256;
/// How many runs are known at all; the one heard of least recently is forgotten first.
const KNOWN: usize = 4096;
/// A run that was not heard of for so long is put away.
const QUIET: Duration = Duration::from_mins(1);

/// A run: the home of its log, for two logs may both call theirs `main`; the life of the log, 0 where the run names itself and
/// outlives it; and its name.
pub(super) type Key = (usize, u32, String);

/// All runs that are followed.
#[derive(Debug)]
pub(super) struct Runs {
    config: Config,
    forget: Duration,
    known: HashMap<Key, Run>,
}

/// What is known of a run.
#[derive(Debug)]
pub(super) struct Run {
    memory: Memory,
    pub(super) steps: u64,
    pub(super) verdict: VerdictName,
    /// The last thing that was found, for the list.
    pub(super) last: String,
    pub(super) heard: Instant,
}

#[derive(Debug)]
enum Memory {
    Awake(Box<Guard>),
    /// A snapshot as JSON, at most 64 kB.
    Asleep(Vec<u8>),
}

impl Runs {
    pub(super) fn new(config: Config, forget: Duration) -> Self {
        Runs { config, forget, known: HashMap::new() }
    }

    /// Shows a step to the guard of its run.
    pub(super) fn observe(&mut self, key: &Key, step: &Step<'_>) -> (Verdict, &mut Run) {
        let name = key.2.as_str();
        let config = &self.config;
        let fresh = || Box::new(Guard::new(config.clone()).for_run(name));
        let run = self.known.entry(key.clone()).or_insert_with(|| Run {
            memory: Memory::Awake(fresh()),
            steps: 0,
            verdict: VerdictName::Clear,
            last: String::new(),
            heard: Instant::now(),
        });
        if let Memory::Asleep(bytes) = &run.memory {
            let restored = serde_json::from_slice::<Snapshot>(bytes)
                .ok()
                .and_then(|snapshot| Guard::restore(config.clone(), snapshot).ok());
            run.memory = Memory::Awake(restored.map_or_else(fresh, Box::new));
        }
        run.heard = Instant::now();
        run.steps += u64::from(!step.refused);
        let verdict = match &mut run.memory {
            Memory::Awake(guard) => guard.observe(step),
            Memory::Asleep(_) => Verdict::default(),
        };
        run.verdict = run.verdict.max(VerdictName::from_findings(&verdict.findings));
        (verdict, run)
    }

    /// Forgets the runs of a home, which is read again.
    pub(super) fn drop_home(&mut self, home: usize) {
        self.known.retain(|key, _| key.0 != home);
    }

    /// Puts away runs that are quiet, and forgets those that are so for long.
    pub(super) fn tidy(&mut self, now: Instant) {
        let forget = self.forget;
        self.known.retain(|_, run| now.duration_since(run.heard) <= forget);
        if self.known.len() > KNOWN {
            let mut heard: Vec<(Instant, Key)> =
                self.known.iter().map(|(key, run)| (run.heard, key.clone())).collect();
            heard.sort();
            for (_, key) in heard.into_iter().take(self.known.len() - KNOWN) {
                self.known.remove(&key);
            }
        }
        let mut awake: Vec<&mut Run> =
            self.known.values_mut().filter(|run| matches!(run.memory, Memory::Awake(_))).collect();
        awake.sort_by_key(|run| std::cmp::Reverse(run.heard));
        for (place, run) in awake.into_iter().enumerate() {
            if place >= AWAKE || now.duration_since(run.heard) > QUIET {
                run.put_away();
            }
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Key, &Run)> {
        self.known.iter()
    }
}

impl Run {
    fn put_away(&mut self) {
        if let Memory::Awake(guard) = &self.memory
            && let Ok(bytes) = serde_json::to_vec(&guard.snapshot())
        {
            self.memory = Memory::Asleep(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scored(turn: u64) -> String {
        format!(r#"{{"turn":{turn},"score":3}}"#)
    }

    #[test]
    fn a_run_that_was_put_away_goes_on_where_it_was() {
        let mut runs = Runs::new(Config::default(), Duration::from_hours(1));
        for turn in 1..=40 {
            let line = scored(turn);
            let (verdict, run) = runs.observe(&(0, 0, "a".to_owned()), &Step::from_json(&line).unwrap());
            assert_eq!(verdict.stop.is_some(), turn == 40, "turn {turn}");
            assert_eq!(run.steps, turn);
            runs.tidy(Instant::now() + QUIET * 2);
            assert!(runs.iter().all(|(_, run)| matches!(run.memory, Memory::Asleep(_))));
        }
    }

    #[test]
    fn what_is_not_heard_of_is_forgotten_and_the_number_of_runs_is_bounded() {
        let mut runs = Runs::new(Config::default(), Duration::from_hours(1));
        let line = scored(1);
        for index in 0..KNOWN + 10 {
            runs.observe(&(0, 0, index.to_string()), &Step::from_json(&line).unwrap());
        }
        runs.tidy(Instant::now());
        assert_eq!(runs.iter().count(), KNOWN);
        let awake = runs.iter().filter(|(_, run)| matches!(run.memory, Memory::Awake(_))).count();
        assert_eq!(awake, AWAKE);
        runs.tidy(Instant::now() + Duration::from_secs(3601));
        assert_eq!(runs.iter().count(), 0);
    }
}
