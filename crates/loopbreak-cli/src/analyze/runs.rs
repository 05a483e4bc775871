//! The runs of a log: a few of them with their guards, the others put away until one of their steps comes.
//!
//! Runs may be mixed in one file, so none is known to be over before the end. A guard takes up to 160 kB, and a log may
//! hold a million runs: only the guards that were used last are kept.

use std::collections::HashMap;
use std::io;

use foldhash::fast::RandomState;
use loopbreak::Config;
use loopbreak_report::{RunAnalysis, RunRecord};

use super::spill::{Place, Spill};

/// How many guards are kept.
pub(super) const MOST_GUARDS: usize = 512;
/// How many of them are left when there were too many.
const LEFT_GUARDS: usize = 384;

/// All runs of a log, in the order of their first steps.
#[derive(Debug)]
pub(super) struct Runs<'c> {
    config: &'c Config,
    all: Vec<Run>,
    by_name: HashMap<String, u32, RandomState>,
    /// Those that have their guards.
    awake: Vec<u32>,
    spill: Spill,
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
        record: Box<RunRecord>,
        place: Place,
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

impl<'c> Runs<'c> {
    pub(super) fn new(config: &'c Config) -> Self {
        Runs {
            config,
            all: Vec::new(),
            by_name: HashMap::default(),
            awake: Vec::new(),
            spill: Spill::default(),
            uses: 0,
        }
    }

    /// The run of this name, if there is one.
    pub(super) fn known(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).map(|known| *known as usize)
    }

    /// The run of this name, a new one if there is none yet.
    pub(super) fn index(&mut self, name: &str) -> usize {
        self.known(name).unwrap_or_else(|| {
            let index = self.place_for(name);
            let analysis = Box::new(RunAnalysis::new(self.config, name));
            self.all[index] = Run::Awake { analysis, used: self.uses };
            index
        })
    }

    /// A place for a new run, which is still to be given.
    pub(super) fn place_for(&mut self, name: &str) -> usize {
        let index = self.all.len();
        self.by_name.insert(name.to_owned(), index as u32);
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
            Run::Asleep { record, place } => {
                self.awake.push(index as u32);
                Ok(Lent::Asleep(record, self.spill.take(&place)?))
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
        for index in self.awake.split_off(LEFT_GUARDS) {
            let run = &mut self.all[index as usize];
            if let Run::Awake { analysis, .. } = std::mem::replace(run, Run::Lent) {
                let (snapshot, record) = analysis.put_away();
                let place = self.spill.put(&serde_json::to_vec(&snapshot)?)?;
                *run = Run::Asleep { record: Box::new(record), place };
            }
        }
        Ok(())
    }

    /// How many there are, and what was seen of each.
    pub(super) fn finish(self) -> impl ExactSizeIterator<Item = Option<RunRecord>> {
        self.all.into_iter().map(|run| match run {
            Run::Awake { analysis, .. } => Some(analysis.put_away().1),
            Run::Asleep { record, .. } => Some(*record),
            Run::Lent => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use loopbreak::Step;

    use super::*;

    #[test]
    fn runs_that_were_put_away_go_on_where_they_were() {
        let config = Config::default();
        let mut runs = Runs::new(&config);
        let step = Step::from_json(r#"{"action":"look","outcome":"dark"}"#).unwrap();
        for turn in 1..=4 {
            for name in 0..MOST_GUARDS + 40 {
                let index = runs.index(&name.to_string());
                let analysis = runs.at(index).unwrap();
                assert_eq!(analysis.observe(&step).turn, turn);
                assert!(runs.awake.len() <= MOST_GUARDS + 1);
            }
        }
        let reports: Vec<_> =
            runs.finish().map(|record| record.unwrap().finish("log.jsonl", "steps")).collect();
        assert_eq!(reports.len(), MOST_GUARDS + 40);
        for (name, report) in reports.iter().enumerate() {
            assert_eq!((report.run.as_str(), report.steps), (name.to_string().as_str(), 4));
            assert_eq!(report.findings.len(), reports[0].findings.len());
        }
        assert!(!reports[0].findings.is_empty());
    }
}
