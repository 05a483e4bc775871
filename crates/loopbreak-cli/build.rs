//! Tells the program which commit it is built from, for `loopbreak --version`, and the linker where the program is loaded.
//!
//! `LOOPBREAK_COMMIT` decides if it is set, as `cargo xtask dist` does. Otherwise git is asked, in optimized builds only: those
//! are installed, while a development build would be linked again after every commit. Without git and without the variable, as
//! in a source archive, the version stands alone. The date is that of the commit, so two builds of one commit are the same.

use std::env;
use std::path::Path;
use std::process::Command;

/// The hash and the date of the commit.
const COMMIT: [&str; 4] = ["log", "-1", "--abbrev=9", "--format=%h %cs"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=LOOPBREAK_COMMIT");
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let given = env::var("LOOPBREAK_COMMIT").ok().filter(|commit| !commit.trim().is_empty());
    let long = match given.or_else(commit_of_checkout) {
        Some(commit) => format!("{version} ({})", commit.trim()),
        None => version,
    };
    println!("cargo::rustc-env=LOOPBREAK_LONG_VERSION={long}");
    link_at_a_fixed_address();
}

/// Links the program for a fixed address, on Linux with glibc. If it could be loaded anywhere, the loader would write addresses
/// into hundreds of pages at every start, whether they are used or not: more than a quarter of the time until a hook begins.
/// Libraries, stack and heap still have addresses that change.
fn link_at_a_fixed_address() {
    let is = |variable: &str, value: &str| env::var(variable).is_ok_and(|set| set == value);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bin=loopbreak=-no-pie");
    }
}

/// Returns the commit of the checkout that contains this package. `None` if the package is a part of something else, such as a
/// folder of vendored packages in another repository.
fn commit_of_checkout() -> Option<String> {
    let root = Path::new(&env::var_os("CARGO_MANIFEST_DIR")?).join("../..");
    let is_checkout = root.join(".git").exists() && root.join("xtask/Cargo.toml").exists();
    if env::var_os("PROFILE")? != "release" || !is_checkout {
        return None;
    }
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).current_dir(&root).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
        (output.status.success() && !text.is_empty()).then_some(text)
    };
    // The second file changes with each commit. A file that is missing would have this script run in every build.
    for file in ["HEAD", "logs/HEAD"] {
        let path = root.join(git(&["rev-parse", "--git-path", file])?);
        if path.exists() {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    git(&COMMIT)
}
