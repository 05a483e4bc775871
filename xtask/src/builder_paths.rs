//! Keeps the folders of the machine that builds a release out of it.
//!
//! Messages of panics and assertions name the source file, and dependencies are compiled from a folder in the home of the user who
//! builds. Two builds of one commit on two machines would differ, and tell where they were made.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use crate::process::root;

/// Separates flags in `CARGO_ENCODED_RUSTFLAGS`.
const SEPARATOR: &str = "\u{1f}";

/// Makes the compilers that a command starts write fixed names for the folders of this machine.
pub(crate) fn hide_in(command: &mut Command) {
    let folders = folders();
    let encoded = env::var("CARGO_ENCODED_RUSTFLAGS").ok();
    let given = encoded.unwrap_or_else(|| {
        let flags = env::var("RUSTFLAGS").unwrap_or_default();
        flags.split_whitespace().collect::<Vec<_>>().join(SEPARATOR)
    });
    command.env("CARGO_ENCODED_RUSTFLAGS", rust_flags(&given, &folders));
    if cfg!(unix) {
        command.env("CFLAGS", c_flags(&env::var("CFLAGS").unwrap_or_default(), &folders));
    }
}

/// Returns the folders that occur in a build, and the names that replace them.
fn folders() -> Vec<(String, &'static str)> {
    let in_home = || Some(env::home_dir()?.join(".cargo"));
    let cargo = env::var_os("CARGO_HOME").map(PathBuf::from).or_else(in_home);
    // Sources that build scripts generate are here. Without the variable, it is below the root.
    let target = env::var_os("CARGO_TARGET_DIR").map(PathBuf::from).filter(|target| target.is_absolute());
    let all = [(target, "/loopbreak/target"), (Some(root()), "/loopbreak"), (cargo, "/cargo")];
    let known = all.into_iter().filter_map(|(folder, name)| Some((folder?, name)));
    known.map(|(folder, name)| (OsString::from(folder).to_string_lossy().into_owned(), name)).collect()
}

fn rust_flags(given: &str, folders: &[(String, &str)]) -> String {
    let mut flags: Vec<String> =
        given.split(SEPARATOR).filter(|flag| !flag.is_empty()).map(str::to_owned).collect();
    flags.extend(folders.iter().map(|(folder, name)| format!("--remap-path-prefix={folder}={name}")));
    flags.join(SEPARATOR)
}

/// Flags of the C compiler are separated by blanks, so a folder with one cannot be named.
fn c_flags(given: &str, folders: &[(String, &str)]) -> String {
    // Zig writes debug information unless it is told not to, with the folders of its headers. The program has none.
    let mut flags = format!("{given} -g0");
    for (folder, name) in folders.iter().filter(|(folder, _)| !folder.contains(char::is_whitespace)) {
        flags = format!("{flags} -ffile-prefix-map={folder}={name}");
    }
    flags.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_that_are_given_are_kept() {
        let folders = [("/home/a b/.cargo".to_owned(), "/cargo"), ("/src".to_owned(), "/loopbreak")];
        assert_eq!(
            rust_flags("-Cdebuginfo=0\u{1f}--cfg=x", &folders),
            "-Cdebuginfo=0\u{1f}--cfg=x\u{1f}--remap-path-prefix=/home/a b/.cargo=/cargo\u{1f}--remap-path-prefix=/src=/loopbreak"
        );
        assert_eq!(c_flags("-O2", &folders), "-O2 -g0 -ffile-prefix-map=/src=/loopbreak");
    }

    #[test]
    fn the_folder_of_the_sources_and_that_of_cargo_are_replaced() {
        let mut command = Command::new("cargo");
        hide_in(&mut command);
        let flags = command.get_envs().find(|(name, _)| *name == "CARGO_ENCODED_RUSTFLAGS");
        let flags = flags.unwrap().1.unwrap().to_string_lossy().into_owned();
        assert!(flags.contains(&format!("--remap-path-prefix={}=/loopbreak", root().display())), "{flags}");
        assert!(flags.contains("=/cargo"), "{flags}");
    }
}
