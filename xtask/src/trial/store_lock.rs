//! Another program that keeps a store locked.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};

use super::trial_home::TrialHome;
use crate::chore_failure::ChoreFailure;

/// A program that holds a lock of the store.
pub(crate) struct StoreLock(Child);

impl StoreLock {
    /// Takes the lock with a statement such as `BEGIN IMMEDIATE;`.
    pub(crate) fn take(home: &TrialHome, lock: &str) -> Result<Self, ChoreFailure> {
        let failed = |error: std::io::Error| ChoreFailure::io("lock a store with sqlite3", &error);
        let mut child = Command::new("sqlite3")
            .arg("-batch")
            .arg(home.store())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        if let Some(input) = &mut child.stdin {
            writeln!(input, "{lock}\n.print locked").map_err(failed)?;
        }
        let output = child.stdout.take().map(BufReader::new);
        let is_locked = |line: std::io::Result<String>| line.is_ok_and(|line| line == "locked");
        if output.is_some_and(|output| output.lines().any(is_locked)) {
            return Ok(StoreLock(child));
        }
        Err(ChoreFailure::Failed("sqlite3 did not lock the store".to_owned()))
    }

    /// Ends the program, which rolls its change back.
    pub(crate) fn release(mut self) -> Result<(), ChoreFailure> {
        drop(self.0.stdin.take());
        self.0.wait().map_err(|error| ChoreFailure::io("release the lock of a store", &error))?;
        Ok(())
    }
}

impl Drop for StoreLock {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
