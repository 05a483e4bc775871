//! Python packages that the tests need, each set in its own environment below `target/venvs`.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::chore_failure::ChoreFailure;
use crate::process::{root, run};
use crate::programs::DebianProgram;

/// Python with the modules that create environments.
const PYTHON: DebianProgram = DebianProgram {
    why: "bridges and clients in Python are tested with",
    places: &["python3"],
    version: "-cimport ensurepip, venv",
    package: "python3-venv",
};

/// Packages of `PyPI`, installed into an environment of their own.
pub(crate) struct PythonEnvironment {
    /// The folder below `target/venvs`.
    name: &'static str,
    /// The purpose, as the start of a sentence.
    why: &'static str,
    /// The packages, one call of pip each.
    packages: &'static [&'static [&'static str]],
}

const ALL: [PythonEnvironment; 2] = [
    PythonEnvironment {
        name: "jericho",
        why: "the bridge to Jericho is tested with",
        // Without its dependencies: spaCy is large, and only its lists of valid actions need it.
        packages: &[&["numpy>=2,<3"], &["--no-deps", "jericho==3.3.1"]],
    },
    WORKFLOW_SCHEMAS,
];

/// The schemas of workflows and actions of GitHub, and the program that checks files against them.
pub(crate) const WORKFLOW_SCHEMAS: PythonEnvironment = PythonEnvironment {
    name: "workflows",
    why: "workflows are checked with",
    packages: &[&["check-jsonschema==0.39.0"]],
};

/// Installs the packages that are missing.
pub(crate) fn install() -> Result<(), ChoreFailure> {
    PYTHON.install()?;
    ALL.iter().try_for_each(PythonEnvironment::install)
}

impl PythonEnvironment {
    fn folder(&self) -> PathBuf {
        let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
        root().join(target).join("venvs").join(self.name)
    }

    /// Returns the path of a program that the packages bring.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.folder().join("bin").join(name)
    }

    /// Installs the packages, unless they are there already.
    pub(crate) fn install(&self) -> Result<(), ChoreFailure> {
        let folder = self.folder();
        // Written when all is there, so that half an environment is never taken for a whole one.
        let (mark, wanted) = (folder.join("packages.txt"), format!("{:?}\n", self.packages));
        if fs::read_to_string(&mark).is_ok_and(|installed| installed == wanted) {
            return Ok(());
        }
        let PythonEnvironment { name, why, packages } = self;
        eprintln!("xtask: {why} packages of PyPI; installing them into target/venvs/{name} …");
        let python = folder.join("bin").join("python");
        let installed =
            run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder)).and_then(|()| {
                packages.iter().try_for_each(|packages| {
                    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
                    run(Command::new(&python).args(pip).args(*packages))
                })
            });
        installed.map_err(|failure| {
            failure.about(format_args!(
                "{why} {packages:?}, which cannot be installed from PyPI here; it needs the network, and Jericho a C \
                 compiler and make (on Debian `sudo apt-get install build-essential`)"
            ))
        })?;
        fs::write(&mark, wanted)
            .map_err(|error| ChoreFailure::io(format_args!("write {}", mark.display()), &error))
    }
}
