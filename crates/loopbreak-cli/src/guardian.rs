//! The guardian of the processes that a command starts: this program, started with an argument that is not a command for
//! people.

use std::ffi::OsString;

use loopbreak_report::exit;
use loopbreak_runner::guard_process_group;

use crate::error::UserError;

/// The argument with which this program is started as the guardian of a process group.
pub(crate) const ARGUMENT: &str = "run-guardian";

/// Returns the words that start a guardian.
pub(crate) fn words() -> Option<Vec<OsString>> {
    std::env::current_exe().ok().map(|program| vec![program.into(), ARGUMENT.into()])
}

/// Guards the process group that this process leads, and returns the exit code.
pub(crate) fn guard() -> u8 {
    match guard_process_group(std::io::stdin()) {
        Ok(()) => exit::DONE,
        Err(error) => {
            let error = UserError::from(error);
            error.print();
            error.code
        }
    }
}
