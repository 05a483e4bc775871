//! Finished trials in a file, so that a search can be resumed: a line about the search, then one line per trial.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, BufRead as _, BufReader, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use foldhash::fast::FixedState;
use loopbreak::Config;
use loopbreak_config::settings_json;
use serde::{Deserialize, Serialize};

use super::kept_run::KeptRun;
use super::outcome_totals::RunOutcome;
use super::space::space;

/// Name and version of this format.
const SCHEMA: &str = "loopbreak.tune-state/1";

/// The subject of a search. Trials of another subject cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TuneSubject {
    schema: String,
    /// The version of the program: another one may judge differently.
    version: String,
    /// The runs and their labels.
    data: String,
    /// The starting settings and the search space.
    space: String,
    seed: u64,
}

impl TuneSubject {
    /// Describes a search on these runs, starting from these settings.
    pub fn new(runs: &[KeptRun], config: &Config, seed: u64) -> Self {
        let mut data = FixedState::with_seed(0x7C0E).build_hasher();
        for run in runs {
            data.write(run.run.as_bytes());
            data.write_u8(run.positive.map_or(2, u8::from));
            for step in &run.steps {
                data.write(step.as_bytes());
                data.write_u8(b'\n');
            }
        }
        let mut searched = FixedState::with_seed(0x5BACE).build_hasher();
        searched.write(settings_json::to_text(config).as_bytes());
        // The text of an earlier version, so that its state files can still be used.
        let dimensions: Vec<String> = space()
            .iter()
            .map(|it| format!("Dimension {{ option: {:?}, values: {:?} }}", it.option, it.values))
            .collect();
        searched.write(format!("[{}]", dimensions.join(", ")).as_bytes());
        TuneSubject {
            schema: SCHEMA.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            data: format!("{:016x}", data.finish()),
            space: format!("{:016x}", searched.finish()),
            seed,
        }
    }

    /// Returns a fingerprint of the data, for the settings file.
    pub fn data(&self) -> &str {
        &self.data
    }

    /// Describes the difference to another subject.
    fn difference(&self, other: &TuneSubject) -> &'static str {
        if self.schema != other.schema || self.version != other.version {
            "another version of loopbreak"
        } else if self.data != other.data {
            "other runs or labels"
        } else if self.space != other.space {
            "other starting settings"
        } else {
            "another seed"
        }
    }
}

/// The reason why a state file cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum StateFileError {
    /// The file cannot be read or written.
    Io {
        /// The file.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
    /// The file is not a state file.
    NotAState {
        /// The file.
        path: PathBuf,
    },
    /// The file is the state of another search.
    OtherSearch {
        /// The file.
        path: PathBuf,
        /// The difference.
        difference: &'static str,
    },
}

impl StateFileError {
    /// Returns a hint on how to fix the problem.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            StateFileError::Io { .. } => None,
            StateFileError::NotAState { .. } => {
                Some("use a file that does not exist yet, or one that --state wrote")
            }
            StateFileError::OtherSearch { .. } => {
                Some("its trials do not apply to this search: use another file, or remove this one")
            }
        }
    }
}

impl fmt::Display for StateFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StateFileError::Io { path, error } => {
                write!(f, "cannot use the state file {}: {error}", path.display())
            }
            StateFileError::NotAState { path } => write!(f, "{} is not a state file", path.display()),
            StateFileError::OtherSearch { path, difference } => {
                write!(f, "the state file {} belongs to another search: {difference}", path.display())
            }
        }
    }
}

impl std::error::Error for StateFileError {}

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct StateLine {
    trial: usize,
    outcomes: Vec<RunOutcome>,
}

/// A state file, open for appending.
#[derive(Debug)]
pub struct StateFile {
    file: File,
}

impl StateFile {
    /// Opens the file. Returns the trials in it.
    pub fn open(
        path: &Path,
        subject: &TuneSubject,
        runs: usize,
    ) -> Result<(Self, BTreeMap<usize, Vec<RunOutcome>>), StateFileError> {
        let failed = |error: io::Error| StateFileError::Io { path: path.to_owned(), error };
        let mut done = BTreeMap::new();
        let mut whole = 0;
        match File::open(path) {
            Ok(file) => {
                for (index, line) in BufReader::new(file).split(b'\n').enumerate() {
                    let line = line.map_err(failed)?;
                    if index == 0 && !line.is_empty() {
                        check_subject(path, &line, subject)?;
                    } else if index > 0 {
                        // The last line may be truncated if the search was killed; that trial is repeated.
                        let Ok(read) = serde_json::from_slice::<StateLine>(&line) else { break };
                        if read.outcomes.len() != runs {
                            break;
                        }
                        done.insert(read.trial, read.outcomes);
                    }
                    whole += line.len() as u64 + 1;
                }
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(failed(error)),
        }
        let file = OpenOptions::new().create(true).append(true).open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let mut state = StateFile { file };
        if length == 0 {
            state.write(subject).map_err(failed)?;
        } else if length < whole {
            // The last complete line has no line end.
            state.file.write_all(b"\n").map_err(failed)?;
        } else if length > whole {
            state.file.set_len(whole).map_err(failed)?;
        }
        Ok((state, done))
    }

    /// Adds a finished trial.
    pub fn add(&mut self, trial: usize, outcomes: &[RunOutcome]) -> io::Result<()> {
        self.write(&StateLine { trial, outcomes: outcomes.to_vec() })
    }

    /// Writes a line at once, so that a killed program leaves complete lines.
    fn write(&mut self, line: &impl Serialize) -> io::Result<()> {
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        self.file.write_all(&bytes)
    }
}

fn check_subject(path: &Path, line: &[u8], subject: &TuneSubject) -> Result<(), StateFileError> {
    let Ok(kept) = serde_json::from_slice::<TuneSubject>(line) else {
        return Err(StateFileError::NotAState { path: path.to_owned() });
    };
    if kept == *subject {
        return Ok(());
    }
    let difference = kept.difference(subject);
    Err(StateFileError::OtherSearch { path: path.to_owned(), difference })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn subject(seed: u64) -> TuneSubject {
        let mut run = KeptRun::new("a", "a.jsonl");
        run.steps.push("{}".into());
        TuneSubject::new(&[run], &Config::default(), seed)
    }

    #[test]
    fn tune_state_is_read_back_and_a_truncated_trial_is_repeated() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        let outcomes = [RunOutcome { warned: true, saved: 7, ..RunOutcome::default() }];
        let (mut state, done) = StateFile::open(&path, &subject(1), 1).unwrap();
        assert!(done.is_empty());
        state.add(0, &outcomes).unwrap();
        state.add(3, &outcomes).unwrap();
        drop(state);
        let whole = fs::read(&path).unwrap();
        for cut in [1, 5] {
            fs::write(&path, &whole[..whole.len() - cut]).unwrap();
            let (mut state, done) = StateFile::open(&path, &subject(1), 1).unwrap();
            assert_eq!(done.len(), if cut == 1 { 2 } else { 1 }, "cut {cut}");
            state.add(3, &outcomes).unwrap();
            let (_, done) = StateFile::open(&path, &subject(1), 1).unwrap();
            assert_eq!((done.len(), &done[&3][..]), (2, &outcomes[..]), "cut {cut}");
        }
    }

    #[test]
    fn tune_state_of_another_search_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        drop(StateFile::open(&path, &subject(1), 1).unwrap());
        assert!(StateFile::open(&path, &subject(2), 1).unwrap_err().to_string().contains("another seed"));
        fs::write(&path, "not a state\n").unwrap();
        assert!(StateFile::open(&path, &subject(1), 1).unwrap_err().to_string().contains("not a state file"));
    }
}
