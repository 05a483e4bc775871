//! The runs of a report, in memory or in a file.

use std::fmt::Debug;
use std::io;

use serde::ser::{SerializeSeq as _, Serializer};

use super::run_report::RunReport;
use crate::recording::RunRecording;

/// Runs in the order of reading, which can be visited any number of times. There may be more than fit into memory;
/// only one is loaded at a time.
pub trait RunList: Debug {
    /// Returns the number of runs.
    fn len(&self) -> usize;

    /// Returns whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `see` with each run. Stops at the first error.
    fn each(&self, see: &mut dyn FnMut(&RunReport) -> io::Result<()>) -> io::Result<()>;

    /// Takes the recording of a run for a page; empty if nothing was recorded.
    fn take_recording(&self, _index: usize) -> io::Result<RunRecording> {
        Ok(RunRecording::default())
    }
}

impl RunList for Vec<RunReport> {
    fn len(&self) -> usize {
        Vec::len(self)
    }

    fn each(&self, see: &mut dyn FnMut(&RunReport) -> io::Result<()>) -> io::Result<()> {
        self.iter().try_for_each(see)
    }
}

/// Serializes the runs as a list, one by one.
#[expect(clippy::borrowed_box, reason = "serde asks for it")]
pub(crate) fn serialize<S: Serializer>(runs: &Box<dyn RunList>, serializer: S) -> Result<S::Ok, S::Error> {
    let mut list = serializer.serialize_seq(Some(runs.len()))?;
    for_each_run(&**runs, |run| list.serialize_element(run))?;
    list.end()
}

/// Calls `write` with each run. Returns its error unchanged, so that a closed pipe is still recognized.
pub fn for_each_run<E: serde::ser::Error>(
    runs: &dyn RunList,
    mut write: impl FnMut(&RunReport) -> Result<(), E>,
) -> Result<(), E> {
    let mut unwritten = Ok(());
    let gone = runs.each(&mut |run| {
        unwritten = write(run);
        if unwritten.is_ok() { Ok(()) } else { Err(io::ErrorKind::Other.into()) }
    });
    unwritten.and(gone.map_err(E::custom))
}
