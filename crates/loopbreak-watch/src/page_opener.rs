//! Pages that are written to a private file and opened with the program of the system.

use std::fmt;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The program that opens a page, and its arguments before the path.
const OPENER: (&str, &[&str]) = if cfg!(target_os = "macos") {
    ("open", &[])
} else if cfg!(windows) {
    // The first argument of `start` in quotes is a title.
    ("cmd", &["/C", "start", ""])
} else {
    ("xdg-open", &[])
};

/// Variables of which a desktop sets at least one. Other systems always have one.
const DISPLAYS: [&str; 2] = ["DISPLAY", "WAYLAND_DISPLAY"];

/// The reason why a page was not opened.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenPageError {
    /// There is no desktop.
    NoDisplay,
    /// The program that opens pages is not installed.
    NoProgram(&'static str),
    /// The program could not be started.
    Failed(&'static str, io::Error),
}

impl fmt::Display for OpenPageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenPageError::NoDisplay => {
                write!(f, "there is no display: neither {} nor {} is set", DISPLAYS[0], DISPLAYS[1])
            }
            OpenPageError::NoProgram(program) => write!(f, "the program {program} was not found"),
            OpenPageError::Failed(program, error) => write!(f, "{program} could not be started: {error}"),
        }
    }
}

impl std::error::Error for OpenPageError {}

/// Opens a page with the program of the system, if there is a desktop. Does not wait for that program.
pub fn open_page(path: &Path) -> Result<(), OpenPageError> {
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if !cfg!(any(target_os = "macos", windows)) && !DISPLAYS.iter().any(is_set) {
        return Err(OpenPageError::NoDisplay);
    }
    let (program, arguments) = OPENER;
    let mut command = Command::new(program);
    command.args(arguments).arg(path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => OpenPageError::NoProgram(program),
        _ => OpenPageError::Failed(program, error),
    })?;
    // Nobody waits for it, but it must not stay behind as a zombie.
    std::thread::spawn(move || child.wait());
    Ok(())
}

/// Writes a page to a temporary file that only the user can read. The file is kept.
pub fn write_private_page(page: &str) -> io::Result<PathBuf> {
    let mut file = tempfile::Builder::new().prefix("loopbreak-").suffix(".html").tempfile()?;
    file.write_all(page.as_bytes())?;
    let (_, path) = file.keep().map_err(|error| error.error)?;
    Ok(path)
}
