//! The example of the readme in a new project, as its first reader tries it: `cargo new`, one dependency, the example, `cargo run`.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::chore_failure::ChoreFailure;
use crate::process::{cargo, root, run, stdout_of};

/// The advice that the example prints.
const EXPECTED: &str = "make";

/// Creates the project in a temporary folder, outside this workspace, and runs it. Nothing is downloaded, and dependencies have
/// the versions of the workspace.
pub(crate) fn check() -> Result<(), ChoreFailure> {
    let folder = env::temp_dir().join(format!("loopbreak-project-{}", std::process::id()));
    let checked = create_and_run(&folder);
    // Nothing depends on it.
    let _ = fs::remove_dir_all(&folder);
    checked
}

fn create_and_run(folder: &Path) -> Result<(), ChoreFailure> {
    let failed =
        |what: &'static str| move |error| ChoreFailure::io(format_args!("{what} the project"), &error);
    let readme = fs::read_to_string(root().join("README.md")).map_err(failed("read the readme for"))?;
    let example = rust_example(&readme)
        .ok_or_else(|| ChoreFailure::Failed("README.md has no example in Rust with a `main`".to_owned()))?;
    run(cargo(["new", "--quiet", "--vcs", "none", "--name", "my-agent"]).arg(folder))?;
    let manifest = folder.join("Cargo.toml");
    let mut text = fs::read_to_string(&manifest).map_err(failed("read"))?;
    let library = root().join("crates/loopbreak");
    // Writing to a string does not fail.
    let _ = writeln!(text, "loopbreak = {{ path = {:?} }}", library.display().to_string());
    fs::write(&manifest, text).map_err(failed("write"))?;
    fs::write(folder.join("src/main.rs"), example).map_err(failed("write"))?;
    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")).map_err(failed("write"))?;
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let mut command = cargo(["run", "--quiet", "--offline"]);
    // As in the workspace, so that dependencies are compiled once.
    command
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target)
        .env("CARGO_PROFILE_DEV_DEBUG", "line-tables-only");
    let printed = stdout_of(&mut command)?;
    let printed = String::from_utf8_lossy(&printed);
    if printed.contains(EXPECTED) {
        return Ok(());
    }
    Err(ChoreFailure::Failed(format!(
        "the example of the readme gives no advice about `{EXPECTED}`: {printed}"
    )))
}

/// Returns the first block of Rust that is a whole program.
fn rust_example(page: &str) -> Option<&str> {
    let blocks = page.split("```rust\n").skip(1).filter_map(|rest| rest.split("\n```").next());
    blocks.into_iter().find(|block| block.contains("fn main()"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_has_an_example_that_is_a_whole_program() {
        let readme = fs::read_to_string(root().join("README.md")).unwrap();
        let example = rust_example(&readme).unwrap();
        assert!(example.starts_with("use loopbreak::") && example.trim_end().ends_with('}'), "{example}");
        assert_eq!(rust_example("```rust\nlet a = 1;\n```\n"), None);
    }
}
