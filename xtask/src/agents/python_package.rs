//! The installation of agents from PyPI.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::agent_package::AgentPackage;
use super::project_files::write;
use crate::chore_failure::ChoreFailure;
use crate::process::{run, works};

/// Packages on PyPI that are installed into a virtual environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PythonPackage {
    /// The package that the parts were written for, and the name of its folder.
    pub(super) main: AgentPackage,
    /// The names of further packages, in the same version.
    pub(super) others: &'static [&'static str],
    /// The least version of Python 3.
    pub(super) minor: u32,
}

/// The names of interpreters, newest first.
const INTERPRETERS: [&str; 4] = ["python3.14", "python3.13", "python3.12", "python3"];

impl PythonPackage {
    /// Installs the packages below a folder unless they are there, and returns the path of the interpreter.
    pub(super) fn install(&self, folder: &Path) -> Result<PathBuf, ChoreFailure> {
        let AgentPackage { package, version, program } = self.main;
        let folder = folder.join(format!("{program}-{version}"));
        let interpreter = folder.join("bin/python");
        // The interpreter is there before the packages are.
        let done = folder.join("installed");
        if done.exists() {
            return Ok(interpreter);
        }
        let python = self.find_python()?;
        eprintln!("xtask: agents: installing {package} {version} …");
        run(Command::new(python).args(["-m", "venv", "--clear"]).arg(&folder))?;
        let mut pip = Command::new(&interpreter);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        for package in [package].iter().chain(self.others) {
            pip.arg(format!("{package}=={version}"));
        }
        run(pip.stdout(std::io::stderr()))?;
        write(&done, "")?;
        Ok(interpreter)
    }

    fn find_python(&self) -> Result<&'static str, ChoreFailure> {
        let check = format!("import sys, venv; sys.exit(sys.version_info < (3, {}))", self.minor);
        let is_new = |name: &&str| {
            works(Command::new(name).args(["-c", &check]).stdout(Stdio::null()).stderr(Stdio::null()))
        };
        INTERPRETERS.into_iter().find(is_new).ok_or_else(|| {
            ChoreFailure::Failed(format!(
                "{} needs Python 3.{} or later with `venv`, which is not on the path",
                self.main.package, self.minor
            ))
        })
    }
}
