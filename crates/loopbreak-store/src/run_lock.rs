//! Locks on runs.

use std::fs::File;
use std::{fmt, io};

/// A run that this process holds. The lock is released when this is dropped, and by the system when the process ends.
pub struct RunLock {
    _holder: Box<dyn fmt::Debug + Send>,
    file: Option<File>,
}

impl RunLock {
    /// Wraps the value of a backend that releases the lock when it is dropped.
    pub fn new(holder: impl fmt::Debug + Send + 'static) -> Self {
        RunLock { _holder: Box::new(holder), file: None }
    }

    /// Adds the open file that carries the lock.
    #[must_use]
    pub fn with_file(mut self, file: File) -> Self {
        self.file = Some(file);
        self
    }

    /// Returns the open file that carries the lock, for another process to inherit: the run stays locked until both have
    /// ended. `None` if the backend has no such file.
    pub fn share(&self) -> io::Result<Option<File>> {
        self.file.as_ref().map(File::try_clone).transpose()
    }
}

impl fmt::Debug for RunLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RunLock")
    }
}
