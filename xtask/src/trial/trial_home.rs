//! The folder of a trial: a project, and the state folder of its user with the store.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder of a trial. It is removed at the end.
#[derive(Debug)]
pub(crate) struct TrialHome {
    folder: PathBuf,
    /// The state folder, if it is not in the folder.
    state: Option<PathBuf>,
}

impl TrialHome {
    /// Creates an empty home.
    pub(crate) fn create(folder: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(folder.join("state"))?;
        Ok(TrialHome { folder, state: None })
    }

    /// Creates a home with a copy of the state of another.
    pub(crate) fn copy_of(other: &TrialHome, folder: PathBuf) -> io::Result<Self> {
        let home = TrialHome::create(folder)?;
        copy_folder(&other.state(), &home.state())?;
        Ok(home)
    }

    /// Keeps the state in another folder, such as one on another file system.
    pub(crate) fn with_state(mut self, state: PathBuf) -> Self {
        self.state = Some(state);
        self
    }

    pub(crate) fn path(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.state.clone().unwrap_or_else(|| self.folder.join("state"))
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.state().join("loopbreak/loopbreak.db")
    }

    /// Returns the files beside the store whose names contain a text.
    pub(crate) fn files_with(&self, part: &str) -> Vec<PathBuf> {
        let entries = self.store().parent().and_then(|folder| fs::read_dir(folder).ok());
        let paths = entries.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
        paths
            .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().contains(part)))
            .collect()
    }

    /// Returns the number of stores that were put aside.
    pub(crate) fn stores_put_aside(&self) -> usize {
        let is_store = |path: &PathBuf| {
            !["-wal", "-shm", "-journal"].iter().any(|end| path.to_string_lossy().ends_with(end))
        };
        self.files_with("-damaged-").iter().filter(|path| is_store(path)).count()
    }

    /// Returns whether steps wait to be recorded.
    pub(crate) fn has_queue(&self) -> bool {
        let folder = self.store().with_file_name("loopbreak.db-queue");
        fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
    }

    /// Reads the log of a session with the program, as JSON lines. A session without steps has an empty log.
    pub(crate) fn log(&self, program: &Path, session: &str) -> Result<String, String> {
        let output = self
            .command(program)
            .args(["log", session, "--json"])
            .output()
            .map_err(|error| format!("cannot start {}: {error}", program.display()))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match output.status.code() {
            Some(0) => Ok(text(&output.stdout)),
            // Wrong usage: the session does not exist.
            Some(2) => Ok(String::new()),
            _ => Err(format!("`loopbreak log` failed: {} {}", output.status, text(&output.stderr).trim())),
        }
    }

    /// Returns a command that runs in this home.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(&self.folder)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &self.folder)
            .env("XDG_STATE_HOME", self.state());
        command
    }

    /// Runs SQL with the program `sqlite3` and returns what it printed.
    pub(crate) fn sql(&self, statements: &str) -> Result<String, String> {
        let output = Command::new("sqlite3")
            .arg("-batch")
            .arg(self.store())
            .arg(statements)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("cannot start sqlite3: {error}"))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
    }

    /// Lets SQLite check the store.
    pub(crate) fn check_integrity(&self) -> Result<(), String> {
        match self.sql("PRAGMA integrity_check")? {
            answer if answer == "ok" => Ok(()),
            answer => Err(answer.lines().take(3).collect::<Vec<_>>().join("; ")),
        }
    }
}

impl Drop for TrialHome {
    fn drop(&mut self) {
        // What is left is removed with the folder of all trials.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Copies a folder with the permissions of what is in it.
fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    fs::set_permissions(to, fs::metadata(from)?.permissions())
}
