//! A clock that is wrong: a library that is preloaded into programs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::chore_failure::ChoreFailure;
use crate::process::run;

const SHIM: &str = include_str!("clock_shim.c");
/// The environment variable with the seconds that the clock is ahead.
pub(crate) const CLOCK_OFFSET: &str = "LOOPBREAK_CLOCK_OFFSET";

/// Compiles the library in a folder, and returns its path for `LD_PRELOAD`.
pub(crate) fn compile_clock_shim(folder: &Path) -> Result<PathBuf, ChoreFailure> {
    let (source, library) = (folder.join("clock_shim.c"), folder.join("clock_shim.so"));
    fs::write(&source, SHIM).map_err(|error| ChoreFailure::io("write clock_shim.c", &error))?;
    run(Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).args([&library, &source]))?;
    Ok(library)
}
