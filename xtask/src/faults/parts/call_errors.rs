//! An error at each system call for files, locks and memory.

use crate::chore_failure::ChoreFailure;
use crate::faults::fault_lab::FaultLab;
use crate::faults::fault_trial::{ExpectedEnd, FaultTrial};
use crate::faults::part_figures::PartFigures;
use crate::faults::system_calls::{CallPoint, inject, list_calls};
use crate::trial::TrialHome;

const SESSION: &str = "session";
/// Number of steps in the store before the fault.
const STEPS: usize = 3;
/// Number of times in a row that a call is interrupted.
const INTERRUPTIONS: u32 = 5;

/// The calls for memory.
const MEMORY: &[&str] = &["mmap", "mremap", "brk", "mprotect", "madvise", "munmap"];

/// The errors that a call can have in practice.
const ERRORS: &[(&[&str], &[&str])] = &[
    (&["open", "openat", "openat2"], &["EIO", "EACCES", "EMFILE", "ENOSPC", "EINTR"]),
    (&["read", "pread64"], &["EIO", "EINTR"]),
    (&["write", "pwrite64", "writev", "pwritev"], &["EIO", "ENOSPC", "EDQUOT", "EINTR"]),
    (&["fcntl", "flock"], &["ENOLCK", "EIO", "EACCES", "EINTR"]),
    (&["fsync", "fdatasync"], &["EIO", "ENOSPC", "EDQUOT"]),
    (&["ftruncate", "fallocate"], &["EIO", "ENOSPC", "EDQUOT"]),
    (
        &["mkdir", "mkdirat", "link", "linkat", "rename", "renameat", "renameat2"],
        &["EIO", "ENOSPC", "EACCES", "EDQUOT"],
    ),
    (&["unlink", "unlinkat", "rmdir"], &["EIO", "EACCES"]),
    (
        &["stat", "lstat", "fstat", "newfstatat", "statx", "access", "faccessat2"],
        &["EIO", "EACCES", "ENOMEM"],
    ),
    (&["lseek", "getdents64", "readlink", "readlinkat", "getcwd"], &["EIO"]),
    (&["close"], &["EIO", "EINTR"]),
    (&["chmod", "fchmod", "fchmodat", "fchown"], &["EPERM", "EIO"]),
    (MEMORY, &["ENOMEM"]),
    (&["clone", "clone3"], &["EAGAIN", "ENOMEM"]),
    (&["getrandom"], &["EIO", "EINTR"]),
    (&["poll", "ppoll", "epoll_wait", "clock_nanosleep"], &["EINTR", "ENOMEM"]),
];

pub(super) fn in_existing_store(lab: &FaultLab) -> Result<PartFigures, ChoreFailure> {
    fail_everywhere(lab, &lab.used_home(&[SESSION], STEPS)?, STEPS, 12)
}

pub(super) fn in_new_store(lab: &FaultLab) -> Result<PartFigures, ChoreFailure> {
    fail_everywhere(lab, &lab.new_home()?, 0, 12)
}

fn fail_everywhere(
    lab: &FaultLab,
    home: &TrialHome,
    steps: usize,
    short: usize,
) -> Result<PartFigures, ChoreFailure> {
    let calls = list_calls(lab, home, SESSION)?;
    let errors = |call: &CallPoint| ERRORS.iter().find(|(names, _)| names.contains(&call.name.as_str()));
    let faults = calls.iter().filter(|call| !call.is_question).flat_map(|call| {
        let errors = errors(call).map_or(&[][..], |(_, errors)| *errors);
        errors.iter().map(move |error| (call, *error))
    });
    let faults = lab.sample(faults.collect(), short);
    lab.run_all(&faults, |(call, error)| fail_at(lab, home, steps, call, error))
}

fn fail_at(
    lab: &FaultLab,
    home: &TrialHome,
    steps: usize,
    call: &CallPoint,
    error: &str,
) -> Result<PartFigures, ChoreFailure> {
    let CallPoint { name, number, is_before_event, .. } = call;
    let label = format!("{error} at {name} {number}");
    let mut trial = FaultTrial::new(lab, label, lab.copy_home(home)?).knows(&[SESSION], steps);
    // Programs try again after an interruption, so one would say little. Without an end it would say nothing.
    let last = if error == "EINTR" { number + INTERRUPTIONS - 1 } else { *number };
    // This call returns an address and no error: it has failed if the address is below the one that was asked for. With an error
    // in place of the address, the runtime of C would use memory that it did not get.
    let effect = if name == "brk" { "retval=0".to_owned() } else { format!("error={error}") };
    let fault = inject(&format!("{name}:{effect}:when={number}..{last}"));
    // Before that, the loader and the runtime of C end a process whose calls fail.
    let expected = if *is_before_event { ExpectedEnd::SuccessOrLoader } else { ExpectedEnd::Success };
    trial.hook(SESSION, &fault, expected)?;
    trial.next_hook_works(SESSION)?;
    trial.finish()
}
