//! The roadmap file during a run. It may be edited while the run continues, like a prompt file.

use std::path::{Path, PathBuf};

use loopbreak_config::{ConfigSource, read_limited_file};

use super::roadmap_reader::TaskRoadmap;
use crate::error::RunError;
use crate::observer::RunObserver;

/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// The file, with its contents when it was last read.
#[derive(Clone, Debug)]
pub struct RoadmapFile {
    path: PathBuf,
    content: Result<String, String>,
}

impl RoadmapFile {
    /// Reads a roadmap for the first time. Its problems are shown to the observer, each with its line.
    pub fn open(path: &Path, observer: &dyn RunObserver) -> Result<(Self, TaskRoadmap), RunError> {
        let file = RoadmapFile { path: path.to_owned(), content: read_file(path) };
        let roadmap =
            file.parse(observer).map_err(|why| RunError::usage(format!("{why}; nothing was done")))?;
        Ok((file, roadmap))
    }

    /// Returns the roadmap if its file changed since it was last read, or an error if it is no longer valid.
    pub(crate) fn reload_if_changed(
        &mut self,
        observer: &dyn RunObserver,
    ) -> Option<Result<TaskRoadmap, String>> {
        let now = read_file(&self.path);
        if now == self.content {
            return None;
        }
        self.content = now;
        Some(self.parse(observer))
    }

    fn parse(&self, observer: &dyn RunObserver) -> Result<TaskRoadmap, String> {
        let name = self.path.display().to_string();
        let text = self.content.clone().map_err(|why| format!("--roadmap {name}: {why}"))?;
        TaskRoadmap::parse_and_report(&ConfigSource::new(name, text), observer)
    }
}

fn read_file(path: &Path) -> Result<String, String> {
    let bytes = read_limited_file(path, MAX_BYTES).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|_| "not UTF-8".to_owned())
}
