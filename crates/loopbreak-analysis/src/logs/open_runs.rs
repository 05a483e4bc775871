//! The runs of a log: a few of them with their guards, the others put away until one of their steps comes.
//!
//! Runs may be mixed in one file, so none is known to be over before the end. A guard takes up to 160 kB, and a log may
//! hold a million runs: only those that were used last are kept. All that stays of the others is the name, and the places
//! of guard and record in two files: the guards are of no use any more when the log ends, and the records are.

use std::io;

use crate::{RunAnalysis, RunRecord, Words};
use loopbreak::Config;
use rayon::prelude::*;

use super::finished_runs::{Away, Finished, FinishedRuns, LogInfo};
use super::run_names::Names;
use super::spill_file::{Place, Spill};

/// How many guards are kept.
pub(super) const MOST_GUARDS: usize = 512;
/// How many of them are left when there were too many.
const LEFT_GUARDS: usize = 384;
/// The least room for a guard and for a record in their files, in bytes.
const GUARD_BYTES: u64 = 1024;
const RECORD_BYTES: u64 = 64;

/// All runs of a log, in the order of their first steps.
#[derive(Debug)]
pub(super) struct OpenRuns<'c> {
    config: &'c Config,
    /// Whether their steps are to be shown on a page.
    recorded: bool,
    all: Vec<Run>,
    names: Names,
    /// Those that have their guards.
    awake: Vec<u32>,
    guards: Spill,
    records: Spill,
    /// What the records need to be read.
    words: Words,
    /// Counts uses, to know the run that was used longest ago.
    uses: u64,
}

#[derive(Debug)]
enum Run {
    Awake {
        analysis: Box<RunAnalysis>,
        used: u64,
    },
    Asleep {
        guard: Place,
        record: Place,
    },
    /// With a thread that has steps for it.
    Lent,
}

/// A run that is taken out to be shown steps.
#[derive(Debug)]
pub(super) enum Lent {
    Awake(Box<RunAnalysis>),
    /// With the snapshot of its guard.
    Asleep(Box<RunRecord>, Vec<u8>),
}

impl Lent {
    /// The run with its guard.
    pub(super) fn wake(self, config: &Config) -> io::Result<Box<RunAnalysis>> {
        match self {
            Lent::Awake(analysis) => Ok(analysis),
            Lent::Asleep(record, snapshot) => {
                let snapshot = serde_json::from_slice(&snapshot)?;
                record.resume(config, snapshot).map(Box::new).map_err(io::Error::other)
            }
        }
    }
}

impl<'c> OpenRuns<'c> {
    pub(super) fn new(config: &'c Config, recorded: bool) -> Self {
        OpenRuns {
            config,
            recorded,
            all: Vec::new(),
            names: Names::default(),
            awake: Vec::new(),
            guards: Spill::new(GUARD_BYTES),
            records: Spill::new(RECORD_BYTES),
            words: Words::default(),
            uses: 0,
        }
    }

    /// The run of this name, if there is one.
    pub(super) fn known(&self, name: &str) -> Option<usize> {
        self.names.known(name)
    }

    /// The run of this name, a new one if there is none yet.
    pub(super) fn index(&mut self, name: &str) -> usize {
        self.known(name).unwrap_or_else(|| {
            let index = self.place_for(name);
            let analysis = self.beginning()(name);
            self.all[index] = Run::Awake { analysis, used: self.uses };
            index
        })
    }

    /// How a run of this log begins.
    pub(super) fn beginning(&self) -> impl Fn(&str) -> Box<RunAnalysis> + Sync + use<'c> {
        let (config, recorded) = (self.config, self.recorded);
        move |name| {
            Box::new(if recorded {
                RunAnalysis::recorded(config, name)
            } else {
                RunAnalysis::new(config, name)
            })
        }
    }

    /// A place for a new run, which is still to be given.
    pub(super) fn place_for(&mut self, name: &str) -> usize {
        let index = self.names.add(name);
        self.all.push(Run::Lent);
        self.awake.push(index as u32);
        index
    }

    /// The run at this place, to be shown the next step.
    pub(super) fn at(&mut self, index: usize) -> io::Result<&mut RunAnalysis> {
        if !matches!(self.all[index], Run::Awake { .. }) {
            let analysis = self.lend(index)?.wake(self.config)?;
            self.give_back(index, analysis);
        }
        if self.awake.len() > MOST_GUARDS {
            self.touch(index);
            self.put_away()?;
        }
        self.uses += 1;
        match &mut self.all[index] {
            Run::Awake { analysis, used } => {
                *used = self.uses;
                Ok(analysis)
            }
            Run::Asleep { .. } | Run::Lent => Err(io::Error::other("a run is missing")),
        }
    }

    fn touch(&mut self, index: usize) {
        self.uses += 1;
        if let Run::Awake { used, .. } = &mut self.all[index] {
            *used = self.uses;
        }
    }

    /// Takes a run out.
    pub(super) fn lend(&mut self, index: usize) -> io::Result<Lent> {
        match std::mem::replace(&mut self.all[index], Run::Lent) {
            Run::Awake { analysis, .. } => Ok(Lent::Awake(analysis)),
            Run::Asleep { guard, record } => {
                self.awake.push(index as u32);
                let bytes = self.records.take(record)?;
                let record = RunRecord::unpack(self.config, &bytes, &self.words).map_err(io::Error::other)?;
                Ok(Lent::Asleep(Box::new(record), self.guards.take(guard)?))
            }
            Run::Lent => Err(io::Error::other("a run is missing")),
        }
    }

    /// Puts a run back that was lent.
    pub(super) fn give_back(&mut self, index: usize, analysis: Box<RunAnalysis>) {
        self.uses += 1;
        self.all[index] = Run::Awake { analysis, used: self.uses };
    }

    /// Puts the guards away that were used longest ago, if there are too many.
    pub(super) fn put_away(&mut self) -> io::Result<()> {
        if self.awake.len() <= MOST_GUARDS {
            return Ok(());
        }
        let runs = &self.all;
        let used = |index: &u32| match &runs[*index as usize] {
            Run::Awake { used, .. } => *used,
            Run::Asleep { .. } | Run::Lent => u64::MAX,
        };
        self.awake.sort_unstable_by_key(|index| std::cmp::Reverse((used(index), *index)));
        // Those that were used first lie first, as most reports will ask for them.
        let mut away = Vec::new();
        for index in self.awake.split_off(LEFT_GUARDS).into_iter().rev() {
            if let Run::Awake { analysis, .. } = std::mem::replace(&mut self.all[index as usize], Run::Lent) {
                away.push((index, analysis));
            }
        }
        // To write a guard down takes as long as some hundred steps.
        let write = |(index, analysis): (u32, Box<RunAnalysis>)| {
            let (snapshot, record) = analysis.put_away();
            serde_json::to_vec(&snapshot).map(|guard| (index, guard, record))
        };
        let written: Vec<_> = away.into_par_iter().map(write).collect();
        for run in written {
            let (index, guard, record) = run?;
            let guard = self.guards.put(&guard)?;
            let record = self.records.put(&record.pack(&mut self.words))?;
            self.all[index as usize] = Run::Asleep { guard, record };
        }
        Ok(())
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// What was seen of each.
    pub(super) fn finish(self, about: LogInfo) -> FinishedRuns {
        let OpenRuns { config, all, mut names, records, words, .. } = self;
        if all.iter().any(|run| matches!(run, Run::Lent)) {
            // The reading broke off, and they are lost.
            let left = (0_usize..).zip(&all).filter(|(_, run)| !matches!(run, Run::Lent));
            names = left.fold(Names::default(), |mut left, (number, _)| {
                left.add(names.name(number));
                left
            });
        }
        let mut any_away = false;
        let finish = |run| match run {
            Run::Awake { analysis, .. } => {
                Some(Finished::Here(Box::new(about.finish(analysis.into_record()))))
            }
            Run::Asleep { record, .. } => {
                any_away = true;
                Some(Finished::Away(record))
            }
            Run::Lent => None,
        };
        let all = all.into_iter().filter_map(finish).collect();
        let away = any_away.then(|| Away { records, words, config: config.clone() });
        FinishedRuns::new(all, names, away, about)
    }
}

#[cfg(test)]
mod tests {
    use loopbreak::Step;

    use super::*;

    #[test]
    fn a_run_that_is_lost_takes_its_name_along() {
        let config = Config::default();
        let mut runs = OpenRuns::new(&config, false);
        for name in ["a", "b", "c"] {
            runs.index(name);
        }
        runs.lend(1).unwrap();
        let runs = runs.finish(LogInfo::default());
        assert!(runs.names().eq(["a", "c"]));
        let reports = runs.into_reports().unwrap();
        assert!(reports.iter().map(|report| report.run.as_str()).eq(["a", "c"]));
    }

    #[test]
    fn runs_that_were_put_away_go_on_where_they_were() {
        let config = Config::default();
        let mut runs = OpenRuns::new(&config, true);
        let step = Step::from_json(r#"{"action":"look","outcome":"dark"}"#).unwrap();
        for turn in 1..=4 {
            for name in 0..MOST_GUARDS + 40 {
                let index = runs.index(&name.to_string());
                let analysis = runs.at(index).unwrap();
                assert_eq!(analysis.observe(&step).turn, turn);
                assert!(runs.awake.len() <= MOST_GUARDS + 1);
            }
        }
        let runs = runs.finish(LogInfo { source: "log.jsonl".to_owned(), format: "steps", skipped: None });
        assert!(runs.names().eq((0..MOST_GUARDS + 40).map(|name| name.to_string())));
        let mut shown = Vec::new();
        for _ in 0..2 {
            runs.each(|_, report| {
                shown.push(serde_json::to_string(report).unwrap());
                Ok(())
            })
            .unwrap();
        }
        let reports = runs.into_reports().unwrap();
        assert_eq!(reports.len(), MOST_GUARDS + 40);
        let written = || reports.iter().map(|report| serde_json::to_string(report).unwrap());
        assert!(shown.into_iter().eq(written().chain(written())), "they can be gone through again and again");
        for (name, report) in reports.iter().enumerate() {
            assert_eq!((report.run.as_str(), report.steps), (name.to_string().as_str(), 4));
            assert_eq!(report.findings.len(), reports[0].findings.len());
        }
        assert!(!reports[0].findings.is_empty());
    }
}
