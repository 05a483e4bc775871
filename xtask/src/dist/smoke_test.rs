//! Tries an archive before it is published.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::VERSION;
use super::dist_target::DistTarget;
use super::source_date::commit;
use crate::chore_failure::ChoreFailure;
use crate::process::{root, run as run_process, stdout_of};

/// Unpacks the archive into a temporary folder, and has the program say its version and its commit, and analyze the example.
pub(super) fn try_archive(dist: &Path, name: &str, target: &DistTarget) -> Result<(), ChoreFailure> {
    let folder = env::temp_dir().join(format!("loopbreak-dist-{}", std::process::id()));
    fs::create_dir_all(&folder)
        .map_err(|error| ChoreFailure::io(format_args!("create {}", folder.display()), &error))?;
    let tried = unpack_and_run(dist, name, target, &folder);
    // Nothing depends on it.
    let _ = fs::remove_dir_all(&folder);
    tried.map_err(|failure| failure.about(format_args!("the archive {name} does not work")))
}

fn unpack_and_run(dist: &Path, name: &str, target: &DistTarget, folder: &Path) -> Result<(), ChoreFailure> {
    let archive = dist.join(format!("{name}.tar.gz"));
    // A relative name: GNU tar takes a colon, as in `C:\`, for the name of a machine.
    fs::copy(&archive, folder.join("archive.tar.gz"))
        .map_err(|error| ChoreFailure::io(format_args!("copy {}", archive.display()), &error))?;
    run_process(Command::new("tar").args(["-xzf", "archive.tar.gz"]).current_dir(folder))?;
    let program = folder.join(name).join(target.program());
    let version = stdout_of(Command::new(&program).arg("-V"))?;
    let version = String::from_utf8_lossy(&version);
    if version.trim_end() != format!("loopbreak {VERSION}") {
        return Err(ChoreFailure::Failed(format!("its version is {:?}", version.trim_end())));
    }
    let mut analyze = Command::new(&program);
    analyze.args(["analyze", "examples/dam.jsonl", "--quiet"]).current_dir(root());
    let report = stdout_of(&mut analyze)?;
    if !String::from_utf8_lossy(&report).contains("1 run") {
        return Err(ChoreFailure::Failed("it does not analyze examples/dam.jsonl".to_owned()));
    }
    let long = stdout_of(Command::new(&program).arg("--version"))?;
    let long = String::from_utf8_lossy(&long);
    let commit = env::var("LOOPBREAK_COMMIT").ok().or_else(commit);
    let expected = commit.filter(|commit| !commit.is_empty()).map_or_else(
        || format!("loopbreak {VERSION}"),
        |commit| format!("loopbreak {VERSION} ({})", commit.trim()),
    );
    if long.trim_end() != expected {
        return Err(ChoreFailure::Failed(format!("it says {:?}, not {expected:?}", long.trim_end())));
    }
    eprintln!("xtask: {name}: {expected} starts and analyzes the example");
    Ok(())
}
