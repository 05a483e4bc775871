//! Programs that the tests need beside a Rust toolchain, and how a machine gets them.

use std::process::Command;

use crate::failure::Failure;
use crate::process::{run, works};

/// A program of Debian.
pub(crate) struct Program {
    /// What it is needed for.
    pub(crate) why: &'static str,
    /// Where it may stand; the first is its name.
    pub(crate) places: &'static [&'static str],
    /// An argument with which it only says something about itself.
    pub(crate) version: &'static str,
    /// The package that holds it.
    pub(crate) package: &'static str,
}

/// Pages are looked at in a real browser.
pub(crate) const BROWSER: Program = Program {
    why: "pages are looked at in",
    places: &["chromium"],
    version: "--version",
    package: "chromium",
};

const ALL: [Program; 5] = [
    BROWSER,
    Program {
        why: "test results are held to their schema by",
        places: &["xmllint"],
        version: "--version",
        package: "libxml2-utils",
    },
    Program {
        why: "the story of the arena is compiled with",
        places: &["inform"],
        version: "-h",
        package: "inform6-compiler",
    },
    Program {
        why: "the Z-machine is compared with",
        places: &["dfrotz", "/usr/games/dfrotz"],
        version: "-v",
        package: "frotz",
    },
    Program {
        why: "the official client of MCP is installed by",
        places: &["python3"],
        // Debian has these two in a package of their own.
        version: "-cimport ensurepip, venv",
        package: "python3-venv",
    },
];

/// Makes sure that all of them are there.
pub(crate) fn install() -> Result<(), Failure> {
    ALL.iter().try_for_each(Program::install)
}

impl Program {
    fn is_there(&self) -> bool {
        self.places.iter().any(|program| works(Command::new(program).arg(self.version)))
    }

    /// Makes sure that it is there. A machine without it gets it where that is ours to do.
    pub(crate) fn install(&self) -> Result<(), Failure> {
        if self.is_there() {
            return Ok(());
        }
        let Program { why, places, package, .. } = self;
        let name = places.first().unwrap_or(package);
        eprintln!("xtask: {why} `{name}`; installing it with apt-get …");
        let get = || run(Command::new("apt-get").args(["install", "--yes", package]));
        // A machine that was just made may not know yet what there is.
        let got = get().or_else(|_| run(Command::new("apt-get").arg("update")).and_then(|()| get()));
        let reason = match got {
            Ok(()) if self.is_there() => return Ok(()),
            Err(Failure::Failed(reason) | Failure::Usage(reason)) => reason,
            Ok(()) => "it does not start".to_owned(),
        };
        Err(Failure::Failed(format!(
            "{why} `{name}`, which is not on the path and cannot be installed here: {reason}; \
             install it by hand, on Debian with `sudo apt-get install {package}`"
        )))
    }
}
