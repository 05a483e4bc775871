//! Programs that the tests need in addition to a Rust toolchain, and their installation.

use std::process::Command;

use crate::chore_failure::ChoreFailure;
use crate::process::{run, works};

/// A program from a Debian package.
pub(crate) struct DebianProgram {
    /// The purpose, as the start of a sentence.
    pub(crate) why: &'static str,
    /// The paths to try; the first is the name of the program.
    pub(crate) places: &'static [&'static str],
    /// An argument that makes it print something about itself and exit.
    pub(crate) version: &'static str,
    /// The package that holds it.
    pub(crate) package: &'static str,
}

/// The browser in which pages are tested.
pub(crate) const BROWSER: DebianProgram = DebianProgram {
    why: "pages are looked at in",
    places: &["chromium"],
    version: "--version",
    package: "chromium",
};

/// The program that injects faults into system calls.
const TRACER: DebianProgram = DebianProgram {
    why: "faults are injected into system calls with",
    places: &["strace"],
    version: "--version",
    package: "strace",
};

/// The program that damages and checks stores.
pub(crate) const DATABASE_SHELL: DebianProgram = DebianProgram {
    why: "stores are damaged and checked with",
    places: &["sqlite3"],
    version: "--version",
    package: "sqlite3",
};

/// The machine that Spark runs on.
const JAVA: DebianProgram = DebianProgram {
    why: "Spark is tested with",
    places: &["java"],
    version: "-version",
    package: "default-jre-headless",
};

/// The program that packs hostile logs.
#[cfg(target_os = "linux")]
const PACKER: DebianProgram = DebianProgram {
    why: "hostile logs are packed with",
    places: &["zstd"],
    version: "--version",
    package: "zstd",
};

/// The program that clones hostile repositories.
const CLONER: DebianProgram = DebianProgram {
    why: "hostile repositories are cloned with",
    places: &["git"],
    version: "--version",
    package: "git",
};

/// The program that downloads.
const DOWNLOADER: DebianProgram = DebianProgram {
    why: "the install script is tested with",
    places: &["curl"],
    version: "--version",
    package: "curl",
};

/// The database of the service of a fleet.
const DATABASE_SERVER: DebianProgram = DebianProgram {
    why: "the service of a fleet is tested with",
    // Debian keeps each version in a folder of its own, outside of the path.
    places: &[
        "/usr/lib/postgresql/18/bin/postgres",
        "/usr/lib/postgresql/17/bin/postgres",
        "/usr/lib/postgresql/16/bin/postgres",
        "/usr/lib/postgresql/15/bin/postgres",
    ],
    version: "--version",
    package: "postgresql",
};

/// The pool of connections in front of that database.
const CONNECTION_POOL: DebianProgram = DebianProgram {
    why: "the service of a fleet is tested with",
    places: &["/usr/sbin/pgbouncer", "pgbouncer"],
    version: "--version",
    package: "pgbouncer",
};

/// The program that checks the alert rules of the service.
pub(crate) const RULE_CHECKER: DebianProgram = DebianProgram {
    why: "the alert rules of the service are checked with",
    places: &["promtool"],
    version: "--version",
    package: "prometheus",
};

const ALL: [DebianProgram; 13] = [
    RULE_CHECKER,
    DATABASE_SERVER,
    CONNECTION_POOL,
    BROWSER,
    TRACER,
    DATABASE_SHELL,
    DebianProgram {
        why: "test results are held to their schema by",
        places: &["xmllint"],
        version: "--version",
        package: "libxml2-utils",
    },
    DebianProgram {
        why: "the story of the arena is compiled with",
        places: &["inform"],
        version: "-h",
        package: "inform6-compiler",
    },
    DebianProgram {
        why: "the Z-machine is compared with",
        places: &["dfrotz", "/usr/games/dfrotz"],
        version: "-v",
        package: "frotz",
    },
    CLONER,
    DOWNLOADER,
    DebianProgram {
        why: "the install script is tested with",
        places: &["wget"],
        version: "--version",
        package: "wget",
    },
    DebianProgram {
        why: "the official client of MCP is installed by",
        places: &["python3"],
        // Debian has these two in a package of their own.
        version: "-cimport ensurepip, venv",
        package: "python3-venv",
    },
];

/// Installs the programs that are missing.
pub(crate) fn install() -> Result<(), ChoreFailure> {
    ALL.iter().try_for_each(DebianProgram::install)
}

/// Installs Java, which Spark runs on.
pub(crate) fn install_java() -> Result<(), ChoreFailure> {
    JAVA.install()
}

/// Installs the programs that `cargo xtask faults` needs.
#[cfg(target_os = "linux")]
pub(crate) fn install_for_faults() -> Result<(), ChoreFailure> {
    [TRACER, DATABASE_SHELL].iter().try_for_each(DebianProgram::install)
}

/// Installs the programs that `cargo xtask fleet` needs.
#[cfg(target_os = "linux")]
pub(crate) fn install_for_fleet() -> Result<(), ChoreFailure> {
    [TRACER, DATABASE_SHELL, DATABASE_SERVER].iter().try_for_each(DebianProgram::install)
}

/// Installs the programs that `cargo xtask attack` needs.
#[cfg(target_os = "linux")]
pub(crate) fn install_for_attacks() -> Result<(), ChoreFailure> {
    [DATABASE_SHELL, PACKER, CLONER, DOWNLOADER].iter().try_for_each(DebianProgram::install)
}

impl DebianProgram {
    fn is_there(&self) -> bool {
        self.places.iter().any(|program| works(Command::new(program).arg(self.version)))
    }

    /// Installs the program if it is missing.
    pub(crate) fn install(&self) -> Result<(), ChoreFailure> {
        if self.is_there() {
            return Ok(());
        }
        let DebianProgram { why, places, package, .. } = self;
        let name = places.first().unwrap_or(package);
        eprintln!("xtask: {why} `{name}`; installing it with apt-get …");
        let get = || run(Command::new("apt-get").args(["install", "--yes", package]));
        // A machine that was just made may not know yet what there is.
        let got = get().or_else(|_| run(Command::new("apt-get").arg("update")).and_then(|()| get()));
        let reason = match got {
            Ok(()) if self.is_there() => return Ok(()),
            Err(ChoreFailure::Failed(reason) | ChoreFailure::Usage(reason)) => reason,
            Ok(()) => "it does not start".to_owned(),
        };
        Err(ChoreFailure::Failed(format!(
            "{why} `{name}`, which is not on the path and cannot be installed here: {reason}; \
             install it by hand, on Debian with `sudo apt-get install {package}`"
        )))
    }
}
