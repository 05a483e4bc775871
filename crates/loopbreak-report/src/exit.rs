//! Exit codes of every command. Scripts and harnesses rely on them.

/// Success, with or without findings.
pub const DONE: u8 = 0;
/// Failed: for example, a file cannot be read or the disk is full.
pub const FAILED: u8 = 1;
/// Wrong usage or configuration. Nothing was done.
pub const USAGE: u8 = 2;
/// A loop was found, and the caller asked for this code or the run was stopped for it.
pub const LOOP: u8 = 10;
/// A limit of iterations, time or cost was reached.
pub const LIMIT: u8 = 11;
/// Too many errors in a row.
pub const ERRORS: u8 = 12;
/// A human is needed.
pub const HUMAN: u8 = 13;
/// Interrupted by the user; the usual code of the system.
pub const INTERRUPTED: u8 = 130;

/// All codes with their meaning, for help texts and reference pages.
pub const ALL: &[(u8, &str)] = &[
    (DONE, "success"),
    (FAILED, "failure: for example, a file could not be read or written"),
    (USAGE, "wrong usage or configuration; nothing was done"),
    (LOOP, "a loop was found"),
    (LIMIT, "a limit of iterations, time or cost was reached"),
    (ERRORS, "too many errors in a row"),
    (HUMAN, "a human is needed"),
    (INTERRUPTED, "interrupted"),
];
