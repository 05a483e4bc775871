//! The installation of agents from npm.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::project_files::write;
use crate::chore_failure::ChoreFailure;
use crate::process::{run, works};

/// A package on npm, in the version that the parts were written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AgentPackage {
    /// The name of the package.
    pub(super) package: &'static str,
    /// The version. Without one, npm may choose an older version that suits the version of Node.
    pub(super) version: &'static str,
    /// The name of the program.
    pub(super) program: &'static str,
}

impl AgentPackage {
    /// Installs the package below a folder unless it is there, and returns the path of its program.
    pub(super) fn install(&self, folder: &Path) -> Result<PathBuf, ChoreFailure> {
        let AgentPackage { package, version, program } = self;
        let folder = folder.join(format!("{program}-{version}"));
        let path = folder.join("node_modules/.bin").join(program);
        if path.exists() {
            return Ok(path);
        }
        if !works(Command::new("npm").arg("--version")) {
            return Err(ChoreFailure::Failed(format!(
                "{package} is installed with `npm`, which is not on the path; install Node 20 or later"
            )));
        }
        eprintln!("xtask: agents: installing {package} {version} …");
        write(&folder.join("package.json"), "{\"private\": true}\n")?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--loglevel=error"]);
        run(npm.arg(format!("{package}@{version}")).current_dir(&folder).stdout(std::io::stderr()))?;
        Ok(path)
    }
}
