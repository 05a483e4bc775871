//! The runs of a report, wherever they are kept.

use std::fmt::Debug;
use std::io;

use serde::ser::{SerializeSeq as _, Serializer};

use super::run_report::RunReport;
use crate::recording::RunRecording;

/// Runs in the order of reading, to be gone through as often as it takes. There may be more of them than memory has room for:
/// only the one that is shown needs to be there.
pub trait RunList: Debug {
    /// How many there are.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Shows each of them. The first error ends it.
    fn each(&self, see: &mut dyn FnMut(&RunReport) -> io::Result<()>) -> io::Result<()>;

    /// Takes out what was recorded of the run at this place for a page; empty where nothing was.
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

/// Writes them as a list, one by one.
#[expect(clippy::borrowed_box, reason = "serde asks for it")]
pub(crate) fn serialize<S: Serializer>(runs: &Box<dyn RunList>, serializer: S) -> Result<S::Ok, S::Error> {
    let mut list = serializer.serialize_seq(Some(runs.len()))?;
    for_each_run(&**runs, |run| list.serialize_element(run))?;
    list.end()
}

/// Shows each run to who writes it. An error of theirs comes back as it is: a closed pipe is to stay one on its way through
/// those who only show runs.
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
