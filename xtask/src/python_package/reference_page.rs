//! The reference page of the Python package, from its stubs and its sources.

use std::process::Command;

use crate::process::root;

/// The program that reads Python with Python's own parser.
const RENDERER: &str = "xtask/python/reference_page.py";

/// Renders the page.
pub(crate) fn render() -> Result<String, String> {
    let output = Command::new("python3")
        .arg(RENDERER)
        .current_dir(root())
        .output()
        .map_err(|error| format!("cannot start python3: {error}"))?;
    if !output.status.success() {
        return Err(format!("{RENDERER}: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    String::from_utf8(output.stdout).map_err(|error| format!("{RENDERER}: {error}"))
}
