//! The runs of a log: a few with their guards, the others in spill files until their next step.
//!
//! Runs may be mixed in one file, so none is known to be complete before the end. A guard takes up to 160 kB, and a
//! log may hold a million runs, so only the guards that were used last stay in memory. Of the others only the name and
//! the slots of guard and record in two files remain. A run of few steps is stored as its steps, which are shown to a new
//! guard when it continues. The guards are not needed after the end of the log, the records are.

use std::io;

use crate::run::StoredRun;
use crate::{RunAnalysis, RunRecord};
use loopbreak::{Config, Snapshot};
use rayon::prelude::*;

use super::encoded_runs::{EncodedRuns, MOST_RUNS};
use super::finished_runs::{FinishedRun, FinishedRuns, LogInfo, SpilledRecords};
use super::run_names::RunNames;
use super::spill_file::{SpillFile, SpillSlot};

/// Maximum number of guards in memory.
pub(super) const MAX_GUARDS: usize = 512;
/// Number of guards that stay when there are too many.
const GUARDS_LEFT: usize = 384;
/// Size in bytes of the smallest slot for a guard and for a record.
const GUARD_BYTES: u64 = 1024;
pub(super) const RECORD_BYTES: u64 = 64;

/// All runs of a log, in the order of their first steps.
#[derive(Debug)]
pub(super) struct OpenRuns<'c> {
    config: &'c Config,
    /// The steps are recorded for a page.
    recorded: bool,
    all: Vec<OpenRun>,
    names: RunNames,
    /// Runs with a guard in memory.
    active: Vec<u32>,
    guards: SpillFile,
    records: SpillFile,
    /// Counts uses, to find the run that was used longest ago.
    uses: u64,
}

#[derive(Debug)]
enum OpenRun {
    Active {
        analysis: Box<RunAnalysis>,
        used: u64,
    },
    Spilled {
        guard: SpillSlot,
        record: SpillSlot,
    },
    /// A run of few steps, spilled as its steps.
    SpilledSteps(SpillSlot),
    /// A thread has it.
    CheckedOut,
}

/// A run that a thread took to observe steps.
#[derive(Debug)]
pub(super) enum CheckedOutRun {
    Active(Box<RunAnalysis>),
    /// With the snapshot of its guard.
    Spilled(Box<RunRecord>, Vec<u8>),
    /// The name of the run, whether it is recorded, and its steps.
    SpilledSteps(String, bool, Vec<u8>),
}

impl CheckedOutRun {
    /// Restores the guard if it was spilled.
    pub(super) fn into_analysis(self, config: &Config) -> io::Result<Box<RunAnalysis>> {
        match self {
            CheckedOutRun::Active(analysis) => Ok(analysis),
            CheckedOutRun::Spilled(record, snapshot) => {
                let snapshot = Snapshot::from_json(&snapshot)?;
                record.resume(config, snapshot).map(Box::new).map_err(io::Error::other)
            }
            CheckedOutRun::SpilledSteps(name, recorded, steps) => {
                RunAnalysis::replay(config, &name, recorded, &steps).map(Box::new).map_err(io::Error::other)
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
            names: RunNames::default(),
            active: Vec::new(),
            guards: SpillFile::new(GUARD_BYTES),
            records: SpillFile::new(RECORD_BYTES),
            uses: 0,
        }
    }

    /// Returns the run with this name, if there is one.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.names.find(name)
    }

    /// Returns the name of the run at this place.
    pub(super) fn name(&self, index: usize) -> &str {
        self.names.name(index)
    }

    /// Returns the run with this name, and starts one if there is none.
    pub(super) fn find_or_start(&mut self, name: &str) -> usize {
        self.find(name).unwrap_or_else(|| {
            let index = self.reserve(name);
            let analysis = self.starter()(name);
            self.all[index] = OpenRun::Active { analysis, used: self.uses };
            index
        })
    }

    /// Returns a function that starts a run of this log.
    pub(super) fn starter(&self) -> impl Fn(&str) -> Box<RunAnalysis> + Sync + use<'c> {
        let (config, recorded) = (self.config, self.recorded);
        move |name| {
            Box::new(if recorded {
                RunAnalysis::recorded(config, name)
            } else {
                RunAnalysis::new(config, name)
            })
        }
    }

    /// Reserves a place for a new run, which is checked in later.
    pub(super) fn reserve(&mut self, name: &str) -> usize {
        let index = self.names.add(name);
        self.all.push(OpenRun::CheckedOut);
        self.active.push(index as u32);
        index
    }

    /// Returns the run at this place, for its next step.
    pub(super) fn active_run(&mut self, index: usize) -> io::Result<&mut RunAnalysis> {
        if !matches!(self.all[index], OpenRun::Active { .. }) {
            let analysis = self.check_out(index)?.into_analysis(self.config)?;
            self.check_in(index, analysis);
        }
        if self.active.len() > MAX_GUARDS {
            self.mark_used(index);
            self.spill_idle()?;
        }
        self.uses += 1;
        match &mut self.all[index] {
            OpenRun::Active { analysis, used } => {
                *used = self.uses;
                Ok(analysis)
            }
            _ => Err(io::Error::other("a run is missing")),
        }
    }

    fn mark_used(&mut self, index: usize) {
        self.uses += 1;
        if let OpenRun::Active { used, .. } = &mut self.all[index] {
            *used = self.uses;
        }
    }

    /// Takes a run out.
    pub(super) fn check_out(&mut self, index: usize) -> io::Result<CheckedOutRun> {
        match std::mem::replace(&mut self.all[index], OpenRun::CheckedOut) {
            OpenRun::Active { analysis, .. } => Ok(CheckedOutRun::Active(analysis)),
            OpenRun::Spilled { guard, record } => {
                self.active.push(index as u32);
                let bytes = self.records.take(record)?;
                let record = RunRecord::from_bytes(self.config, &bytes).map_err(io::Error::other)?;
                Ok(CheckedOutRun::Spilled(Box::new(record), self.guards.take(guard)?))
            }
            OpenRun::SpilledSteps(steps) => {
                self.active.push(index as u32);
                let steps = self.records.take(steps)?;
                Ok(CheckedOutRun::SpilledSteps(self.names.name(index).to_owned(), self.recorded, steps))
            }
            OpenRun::CheckedOut => Err(io::Error::other("a run is missing")),
        }
    }

    /// Puts a run back.
    pub(super) fn check_in(&mut self, index: usize, analysis: Box<RunAnalysis>) {
        self.uses += 1;
        self.all[index] = OpenRun::Active { analysis, used: self.uses };
    }

    /// Spills the guards that were used longest ago, if there are too many.
    pub(super) fn spill_idle(&mut self) -> io::Result<()> {
        if self.active.len() <= MAX_GUARDS {
            return Ok(());
        }
        let runs = &self.all;
        let used = |index: &u32| match &runs[*index as usize] {
            OpenRun::Active { used, .. } => *used,
            _ => u64::MAX,
        };
        self.active.sort_unstable_by_key(|index| std::cmp::Reverse((used(index), *index)));
        // The runs that were used first come first, because most reports need them first.
        let mut idle = Vec::new();
        for index in self.active.split_off(GUARDS_LEFT).into_iter().rev() {
            if let OpenRun::Active { analysis, .. } =
                std::mem::replace(&mut self.all[index as usize], OpenRun::CheckedOut)
            {
                idle.push((index, analysis));
            }
        }
        // Encoding a guard takes as long as some hundred steps.
        let write = |(index, analysis): (u32, Box<RunAnalysis>)| {
            let (guard, record) = match analysis.into_stored() {
                StoredRun::Steps(steps) => (None, steps),
                StoredRun::Guard(stored) => (Some(stored.0.to_json()?), stored.1.to_bytes()?),
            };
            io::Result::Ok((index, guard, record))
        };
        let written: Vec<_> = idle.into_par_iter().map(write).collect();
        for run in written {
            let (index, guard, record) = run?;
            let guard = guard.map(|guard| self.guards.put(guard.get().as_bytes())).transpose()?;
            let record = self.records.put(&record)?;
            self.all[index as usize] = match guard {
                Some(guard) => OpenRun::Spilled { guard, record },
                None => OpenRun::SpilledSteps(record),
            };
        }
        Ok(())
    }

    /// Returns the number of runs.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Finishes all runs, and encodes them for the cache if asked to.
    pub(super) fn finish_encoded(mut self, info: LogInfo, for_cache: bool) -> FinishedRuns {
        // Without them, the log is only read again the next time.
        let encoded = if for_cache && self.len() <= MOST_RUNS { self.encode().ok() } else { None };
        self.finish(info).with_encoded(encoded)
    }

    fn encode(&mut self) -> io::Result<EncodedRuns> {
        let mut encoded = EncodedRuns::default();
        for (index, run) in self.all.iter_mut().enumerate() {
            match run {
                OpenRun::Active { analysis, .. } => encoded.add(analysis.record_mut())?,
                OpenRun::Spilled { record, .. } => {
                    let bytes = self.records.read(*record)?;
                    let record = RunRecord::from_bytes(self.config, &bytes).map_err(io::Error::other)?;
                    encoded.add(&mut { record })?;
                }
                OpenRun::SpilledSteps(steps) => {
                    let (steps, name) = (self.records.read(*steps)?, self.names.name(index));
                    let run = RunAnalysis::replay(self.config, name, self.recorded, &steps);
                    encoded.add(&mut run.map_err(io::Error::other)?.into_record())?;
                }
                OpenRun::CheckedOut => return Err(io::Error::other("a run is missing")),
            }
        }
        Ok(encoded)
    }

    /// Finishes all runs.
    pub(super) fn finish(self, info: LogInfo) -> FinishedRuns {
        let OpenRuns { config, all, mut names, records, .. } = self;
        if all.iter().any(|run| matches!(run, OpenRun::CheckedOut)) {
            // The reading was interrupted, and these runs are lost.
            let left = (0_usize..).zip(&all).filter(|(_, run)| !matches!(run, OpenRun::CheckedOut));
            names = left.fold(RunNames::default(), |mut left, (number, _)| {
                left.add(names.name(number));
                left
            });
        }
        let mut any_spilled = false;
        let finish = |run| match run {
            OpenRun::Active { analysis, .. } => {
                Some(FinishedRun::InMemory(Box::new(info.finish(analysis.into_record()))))
            }
            OpenRun::Spilled { record, .. } => {
                any_spilled = true;
                Some(FinishedRun::Spilled(record))
            }
            OpenRun::SpilledSteps(steps) => {
                any_spilled = true;
                Some(FinishedRun::SpilledSteps(steps))
            }
            OpenRun::CheckedOut => None,
        };
        let all = all.into_iter().filter_map(finish).collect();
        let spilled = any_spilled.then(|| SpilledRecords { records, config: config.clone() });
        FinishedRuns::new(all, names, spilled, info)
    }
}

#[cfg(test)]
mod tests {
    use loopbreak::Step;

    use super::*;

    #[test]
    fn a_lost_run_also_loses_its_name() {
        let config = Config::default();
        let mut runs = OpenRuns::new(&config, false);
        for name in ["a", "b", "c"] {
            runs.find_or_start(name);
        }
        runs.check_out(1).unwrap();
        let runs = runs.finish(LogInfo::default());
        assert!(runs.names().eq(["a", "c"]));
        let reports = runs.into_reports().unwrap();
        assert!(reports.iter().map(|report| report.run.as_str()).eq(["a", "c"]));
    }

    /// A log of a million runs of one step must not fill the temporary folder: a guard takes 50 times as much as its step.
    #[test]
    fn runs_of_few_steps_take_little_temporary_space() {
        let config = Config::default();
        let mut runs = OpenRuns::new(&config, false);
        let step = Step::from_json(r#"{"score":1}"#).unwrap();
        for name in 0..4 * MAX_GUARDS {
            let index = runs.find_or_start(&name.to_string());
            runs.active_run(index).unwrap().observe_at(&step, Some(7));
        }
        let bytes = runs.guards.allocated_bytes() + runs.records.allocated_bytes();
        let spilled = runs.all.iter().filter(|run| matches!(run, OpenRun::SpilledSteps(_))).count() as u64;
        assert!(
            spilled > 3 * MAX_GUARDS as u64 && bytes <= 128 * spilled,
            "{bytes} bytes for {spilled} runs"
        );
    }

    #[test]
    fn a_run_of_few_steps_gives_the_same_report_after_it_was_spilled() {
        let config = Config::default();
        let lines = [
            r#"{"action":{"name":"bash","args":{"command":"ls"}},"outcome":"x","score":0.1,"odd":1}"#,
            r#"{"turn":9,"at":"2025-11-04T09:35:24Z","agent":"a","action":"look","place":{"id":7},"say":"a\nb"}"#,
            r#"{"action":"look","outcome":{"text":"dark","error":true},"usage":{"cost_usd":0.3}}"#,
            r#"{"action":"look","outcome":{"text":"dark","error":true}}"#,
        ];
        let report = |others: usize| {
            let mut runs = OpenRuns::new(&config, false);
            let name = |number: usize| if number == 0 { "it".to_owned() } else { format!("other {number}") };
            for line in lines {
                let step = Step::from_json(line).unwrap();
                for number in 0..=others {
                    let index = runs.find_or_start(&name(number));
                    runs.active_run(index).unwrap().observe_at(&step, Some(3));
                }
            }
            let reports = runs.finish(LogInfo::default()).into_reports().unwrap();
            serde_json::to_string(&reports[0]).unwrap()
        };
        assert_eq!(report(0), report(MAX_GUARDS + 40));
    }

    #[test]
    fn spilled_runs_continue_where_they_were() {
        let config = Config::default();
        let mut runs = OpenRuns::new(&config, true);
        // Too long for the run to be stored as its steps.
        let line = format!(r#"{{"action":"look","outcome":"dark{}"}}"#, " and cold".repeat(300));
        let step = Step::from_json(&line).unwrap();
        for turn in 1..=4 {
            for name in 0..MAX_GUARDS + 40 {
                let index = runs.find_or_start(&name.to_string());
                let analysis = runs.active_run(index).unwrap();
                assert_eq!(analysis.observe(&step).turn, turn);
                assert!(runs.active.len() <= MAX_GUARDS + 1);
            }
        }
        let runs = runs.finish(LogInfo {
            source: "log.jsonl".to_owned(),
            format: "steps",
            skipped_lines: None,
            unread_items: None,
        });
        assert!(runs.names().eq((0..MAX_GUARDS + 40).map(|name| name.to_string())));
        let mut shown = Vec::new();
        for _ in 0..2 {
            runs.for_each(|_, report| {
                shown.push(serde_json::to_string(report).unwrap());
                Ok(())
            })
            .unwrap();
        }
        let reports = runs.into_reports().unwrap();
        assert_eq!(reports.len(), MAX_GUARDS + 40);
        let written = || reports.iter().map(|report| serde_json::to_string(report).unwrap());
        assert!(shown.into_iter().eq(written().chain(written())), "they can be visited several times");
        for (name, report) in reports.iter().enumerate() {
            assert_eq!((report.run.as_str(), report.steps), (name.to_string().as_str(), 4));
            assert_eq!(report.findings.len(), reports[0].findings.len());
        }
        assert!(!reports[0].findings.is_empty());
    }
}
