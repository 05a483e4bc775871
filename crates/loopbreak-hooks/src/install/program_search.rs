//! Finds programs on the PATH.

use std::path::{Path, PathBuf};

/// Returns the program that a shell would run for a name. Relative folders of the PATH are left out: what they contain
/// depends on the current folder, which may be a cloned repository.
pub fn find_program(name: &str) -> Option<PathBuf> {
    search(name, Path::is_absolute)
}

/// Returns the program that a shell would run for a name, to compare it and not to run it.
pub(crate) fn program_on_path(name: &str) -> Option<PathBuf> {
    search(name, |_| true)
}

fn search(name: &str, is_searched: fn(&Path) -> bool) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").filter(|folders| !folders.is_empty())?;
    let endings: &[&str] = if cfg!(windows) { &[".exe", ".cmd", ".bat"] } else { &[""] };
    std::env::split_paths(&folders)
        .filter(|folder| is_searched(folder))
        .flat_map(|folder| endings.iter().map(move |ending| folder.join(format!("{name}{ending}"))))
        .find(|path| is_executable(path))
}

/// Returns whether a file can be run.
#[cfg(unix)]
pub(crate) fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;

    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// Returns whether a file can be run.
#[cfg(not(unix))]
pub(crate) fn is_executable(path: &Path) -> bool {
    path.is_file()
}
