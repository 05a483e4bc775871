//! The roadmap file while the run goes on: whoever edits it is heard, as with a prompt file.

use std::fs;
use std::path::{Path, PathBuf};

use loopbreak_config::ConfigSource;

use super::roadmap_reader::TaskRoadmap;
use crate::error::RunError;
use crate::observer::RunObserver;

/// The largest file that is read, in bytes.
const BYTES: u64 = 4 * 1024 * 1024;

/// The file, and what was in it when it was looked at last.
#[derive(Clone, Debug)]
pub struct RoadmapFile {
    path: PathBuf,
    seen: Result<String, String>,
}

impl RoadmapFile {
    /// Reads a roadmap for the first time. What is wrong with it is told to the observer, each with its line.
    pub fn open(path: &Path, observer: &dyn RunObserver) -> Result<(Self, TaskRoadmap), RunError> {
        let file = RoadmapFile { path: path.to_owned(), seen: load(path) };
        let roadmap =
            file.roadmap(observer).map_err(|why| RunError::usage(format!("{why}; nothing was done")))?;
        Ok((file, roadmap))
    }

    /// The roadmap, if somebody changed its file since it was looked at last. An error says what is wrong with it now.
    pub(crate) fn look(&mut self, observer: &dyn RunObserver) -> Option<Result<TaskRoadmap, String>> {
        let now = load(&self.path);
        if now == self.seen {
            return None;
        }
        self.seen = now;
        Some(self.roadmap(observer))
    }

    fn roadmap(&self, observer: &dyn RunObserver) -> Result<TaskRoadmap, String> {
        let name = self.path.display().to_string();
        let text = self.seen.clone().map_err(|why| format!("--roadmap {name}: {why}"))?;
        TaskRoadmap::of(&ConfigSource::new(name, text), observer)
    }
}

fn load(path: &Path) -> Result<String, String> {
    let size = fs::metadata(path).map_err(|error| error.to_string())?.len();
    if size > BYTES {
        return Err(format!("{size} bytes are too much for a roadmap"));
    }
    fs::read_to_string(path).map_err(|error| error.to_string())
}
