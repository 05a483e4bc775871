//! The file that a command may write its report to.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use loopbreak_store::tasks::TaskReport;

use super::task_report::parse_reports;
use crate::error::RunError;

/// The largest file that is read, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// The file that a command may write its report to.
#[derive(Debug)]
pub(crate) struct ResultFile {
    // Removed with its contents at the end of the run.
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl ResultFile {
    pub(crate) fn new() -> Result<Self, RunError> {
        let folder = tempfile::Builder::new()
            .prefix("loopbreak-")
            .tempdir()
            .map_err(|error| RunError::failed(format!("cannot create a folder for reports: {error}")))?;
        let path = folder.path().join("result.json");
        Ok(ResultFile { _folder: folder, path })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the report of an earlier attempt.
    pub(crate) fn clear(&self) {
        let _ = fs::remove_file(&self.path).or_else(|_| fs::remove_dir_all(&self.path));
    }

    /// Returns the reports in the file, or none if the file does not exist. An error says why it cannot be
    /// read.
    pub(crate) fn read(&self, task: &str) -> Result<Vec<TaskReport>, String> {
        let Ok(metadata) = fs::symlink_metadata(&self.path) else { return Ok(Vec::new()) };
        // Opening a pipe would block forever.
        if !metadata.is_file() {
            return Err("the result file is not a regular file".to_owned());
        }
        if metadata.len() > MAX_BYTES {
            return Err(format!(
                "the result file has {} bytes; at most {MAX_BYTES} are read",
                metadata.len()
            ));
        }
        let mut text = String::new();
        File::open(&self.path)
            .and_then(|file| file.take(MAX_BYTES).read_to_string(&mut text))
            .map_err(|error| format!("the result file cannot be read: {error}"))?;
        if text.trim().is_empty() {
            return Ok(Vec::new());
        }
        parse_reports(&text, task).map_err(|why| format!("the result file cannot be read: {why}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unreadable_result_file_is_an_error_and_not_a_panic() {
        let file = ResultFile::new().unwrap();
        assert_eq!(file.read("a"), Ok(Vec::new()));
        fs::write(file.path(), " \n").unwrap();
        assert_eq!(file.read("a"), Ok(Vec::new()));
        fs::write(file.path(), "{\"status\":").unwrap();
        assert!(file.read("a").unwrap_err().contains("cannot be read"));
        fs::write(file.path(), [0xff, 0xfe]).unwrap();
        assert!(file.read("a").is_err());
        fs::write(file.path(), vec![b' '; 1024 * 1024 + 1]).unwrap();
        assert!(file.read("a").unwrap_err().contains("1048577 bytes"));
        file.clear();
        fs::create_dir(file.path()).unwrap();
        assert!(file.read("a").unwrap_err().contains("not a regular file"));
        file.clear();
        assert_eq!(file.read("a"), Ok(Vec::new()));
    }
}
