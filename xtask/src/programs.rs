//! The programs that the tests need beside a Rust toolchain. A machine without one gets it where that is ours to do.

use std::process::Command;

use crate::failure::Failure;
use crate::process::{run, works};

/// A program of Debian.
pub(crate) struct Program {
    name: &'static str,
    package: &'static str,
    /// Who needs it.
    who: &'static str,
}

/// Pages are looked at in a real browser.
pub(crate) const BROWSER: Program =
    Program { name: "chromium", package: "chromium", who: "the tests and pictures of pages" };
const ALL: [Program; 2] =
    [BROWSER, Program { name: "xmllint", package: "libxml2-utils", who: "the tests of test results" }];

/// Makes sure that all of them are there.
pub(crate) fn install() -> Result<(), Failure> {
    ALL.iter().try_for_each(Program::install)
}

impl Program {
    /// Makes sure that it is there.
    pub(crate) fn install(&self) -> Result<(), Failure> {
        let Program { name, package, who } = self;
        let there = || works(Command::new(name).arg("--version"));
        if there() {
            return Ok(());
        }
        eprintln!("xtask: {who} need `{name}`; installing {package} with apt-get …");
        let installed = run(Command::new("apt-get").args(["install", "--yes", package]));
        match installed {
            Ok(()) if there() => Ok(()),
            result => {
                let why = match result {
                    Err(Failure::Failed(why) | Failure::Usage(why)) => why,
                    Ok(()) => "it does not start".to_owned(),
                };
                Err(Failure::Failed(format!(
                    "{who} need `{name}` on the path, and it cannot be installed here: {why}; \
                     install it by hand, on Debian with `sudo apt-get install {package}`"
                )))
            }
        }
    }
}
