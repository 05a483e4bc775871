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

/// The folder of programs in an environment.
pub(crate) const PROGRAMS: &str = if cfg!(windows) { "Scripts" } else { "bin" };

/// Packages of `PyPI`, installed into an environment of their own.
pub(crate) struct PythonEnvironment {
    /// The folder below `target/venvs`.
    name: &'static str,
    /// The purpose, as the start of a sentence.
    why: &'static str,
    /// Files below `xtask/python` with packages, their versions and hashes. Each is installed by a call of pip, with these options.
    requirements: &'static [(&'static str, &'static [&'static str])],
}

const ALL: [PythonEnvironment; 6] = [
    PythonEnvironment {
        name: "jericho",
        why: "the bridge to Jericho is tested with",
        // Without its dependencies: spaCy is large, and only its lists of valid actions need it.
        requirements: &[("numpy.txt", &[]), ("jericho.txt", &["--no-deps"])],
    },
    PythonEnvironment {
        name: "api",
        why: "the API of the service is tried with",
        requirements: &[("api.txt", &[])],
    },
    PythonEnvironment {
        name: "telemetry",
        why: "telemetry is sent with the SDK of OpenTelemetry, installed by",
        requirements: &[("telemetry.txt", &[])],
    },
    WORKFLOW_SCHEMAS,
    WHEEL_BUILDER,
    PACKAGE_TESTS,
];

/// The program that builds wheels.
pub(crate) const WHEEL_BUILDER: PythonEnvironment = PythonEnvironment {
    name: "wheel",
    why: "the Python package is built with",
    requirements: &[("wheel.txt", &[])],
};

/// A linker for older versions of glibc.
pub(crate) const ZIG: PythonEnvironment = PythonEnvironment {
    name: "zig",
    why: "programs for an older glibc are linked with",
    requirements: &[("zig.txt", &[])],
};

/// The environment in which the Python package is tested, with what its guide uses.
pub(crate) const PACKAGE_TESTS: PythonEnvironment = PythonEnvironment {
    name: "python-tests",
    why: "the Python package is tested with",
    requirements: &[("python-tests.txt", &[])],
};

/// The schemas of workflows and actions of GitHub, and the program that checks files against them.
pub(crate) const WORKFLOW_SCHEMAS: PythonEnvironment = PythonEnvironment {
    name: "workflows",
    why: "workflows are checked with",
    requirements: &[("workflows.txt", &[])],
};

/// The list of the prices of models.
pub(crate) const PRICES: PythonEnvironment = PythonEnvironment {
    name: "prices",
    why: "the prices of models are read from",
    requirements: &[("prices.txt", &["--no-deps"])],
};

/// An older list, for the models that the other one no longer has.
pub(crate) const RETIRED_PRICES: PythonEnvironment = PythonEnvironment {
    name: "retired-prices",
    why: "the prices of retired models are read from",
    requirements: &[("retired-prices.txt", &["--no-deps"])],
};

/// Installs the packages that are missing.
pub(crate) fn install() -> Result<(), ChoreFailure> {
    PYTHON.install()?;
    ALL.iter().try_for_each(PythonEnvironment::install)
}

impl PythonEnvironment {
    /// Returns the packages that have to be there.
    pub(crate) fn wanted(&self) -> Result<String, ChoreFailure> {
        let read = |(file, _): &(&str, _)| {
            fs::read_to_string(requirement_file(file))
                .map_err(|error| ChoreFailure::io(format_args!("read xtask/python/{file}"), &error))
        };
        self.requirements.iter().map(read).collect()
    }

    fn folder(&self) -> PathBuf {
        let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
        root().join(target).join("venvs").join(self.name)
    }

    /// Returns the path of a program that the packages bring.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.folder().join(PROGRAMS).join(name)
    }

    /// Returns the folder that the packages are installed into.
    pub(crate) fn packages(&self) -> Result<PathBuf, ChoreFailure> {
        let lib = self.folder().join("lib");
        let entries = fs::read_dir(&lib)
            .map_err(|error| ChoreFailure::io(format_args!("read {}", lib.display()), &error))?;
        let python =
            entries.flatten().map(|entry| entry.path()).find(|path| path.join("site-packages").is_dir());
        python
            .map(|python| python.join("site-packages"))
            .ok_or_else(|| ChoreFailure::Failed(format!("no packages in {}", lib.display())))
    }

    /// Installs the packages, unless they are there already.
    pub(crate) fn install(&self) -> Result<(), ChoreFailure> {
        let folder = self.folder();
        // Written when all is there, so that half an environment is never taken for a whole one.
        let (mark, wanted) = (folder.join("packages.txt"), self.wanted()?);
        if fs::read_to_string(&mark).is_ok_and(|installed| installed == wanted) {
            return Ok(());
        }
        let PythonEnvironment { name, why, requirements } = self;
        eprintln!("xtask: {why} packages of PyPI; installing them into target/venvs/{name} …");
        let python = folder.join(PROGRAMS).join("python");
        let installed =
            run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder)).and_then(|()| {
                requirements.iter().try_for_each(|(file, options)| {
                    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
                    let mut command = Command::new(&python);
                    command.args(pip).args(*options).args(["--require-hashes", "--requirement"]);
                    run(command.arg(requirement_file(file)))
                })
            });
        installed.map_err(|failure| {
            failure.about(format_args!(
                "{why} the packages of xtask/python, which cannot be installed from PyPI here; it needs the network, and Jericho a C \
                 compiler and make (on Debian `sudo apt-get install build-essential`)"
            ))
        })?;
        fs::write(&mark, wanted)
            .map_err(|error| ChoreFailure::io(format_args!("write {}", mark.display()), &error))
    }
}

fn requirement_file(name: &str) -> PathBuf {
    root().join("xtask/python").join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without a hash, pip takes whatever an index has under the name.
    #[test]
    fn every_package_has_a_version_and_a_hash() {
        let files: Vec<PathBuf> = ALL
            .iter()
            .chain([&ZIG, &PRICES, &RETIRED_PRICES])
            .flat_map(|all| all.requirements)
            .map(|(file, _)| requirement_file(file))
            .collect();
        let client = root().join("crates/loopbreak-cli/tests/cli/mcp_client/requirements.txt");
        for file in files.iter().chain([&client]) {
            let text = fs::read_to_string(file).unwrap();
            let entries = text.replace("\\\n", " ");
            let packages: Vec<&str> =
                entries.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
            assert!(!packages.is_empty(), "{}", file.display());
            for package in packages {
                assert!(package.contains("==") && package.contains("--hash=sha256:"), "{package}");
            }
        }
    }
}
