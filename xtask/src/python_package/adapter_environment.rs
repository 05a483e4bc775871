//! The environments in which the adapters are tested: one for each framework and each of its versions.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::PACKAGE;
use super::package_checks::install_wheel;
use crate::chore_failure::ChoreFailure;
use crate::process::{root, run, works};
use crate::python::PROGRAMS;

/// The folder of the lists of packages, in that of the package.
const LISTS: &str = "adapters";

/// The age of the environment of a benchmark.
const BENCHMARK: &str = "bench";

/// Starts the line that names the version of Python, such as `# python 3.12`.
const PYTHON_MARK: &str = "# python ";

/// A framework in one of its versions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct AdapterEnvironment {
    /// The framework, as the name of its test has it.
    pub(super) framework: String,
    /// `newest` or `oldest`, or `bench` for the environment of a benchmark.
    pub(super) age: String,
}

impl AdapterEnvironment {
    /// Lists all environments, sorted by their names.
    pub(super) fn list() -> Result<Vec<Self>, ChoreFailure> {
        let folder = root().join(PACKAGE).join(LISTS);
        let entries = fs::read_dir(&folder)
            .map_err(|error| ChoreFailure::io(format_args!("list {}", folder.display()), &error))?;
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut all: Vec<_> = names.filter_map(|name| Self::from_file(&name)).collect();
        all.sort();
        Ok(all)
    }

    /// Returns the environment of a list of packages, which is named `FRAMEWORK-AGE.txt`.
    fn from_file(name: &str) -> Option<Self> {
        let (framework, age) = name.strip_suffix(".txt")?.rsplit_once('-')?;
        (matches!(age, "newest" | "oldest") && !framework.is_empty())
            .then(|| AdapterEnvironment { framework: framework.to_owned(), age: age.to_owned() })
    }

    /// Returns the environment in which a framework is measured.
    pub(super) fn for_benchmark(framework: &str) -> Self {
        AdapterEnvironment { framework: framework.to_owned(), age: BENCHMARK.to_owned() }
    }

    /// Returns the name of the environment.
    pub(super) fn name(&self) -> String {
        format!("{}-{}", self.framework, self.age)
    }

    /// Returns the test of the framework, from the folder of the package.
    pub(super) fn test(&self) -> PathBuf {
        Path::new("tests/adapters").join(format!("test_{}.py", self.framework))
    }

    fn list_path(&self) -> PathBuf {
        let package = root().join(PACKAGE);
        if self.age == BENCHMARK {
            return package.join("benches").join(format!("{}.txt", self.framework));
        }
        package.join(LISTS).join(format!("{}.txt", self.name()))
    }

    fn folder(&self) -> PathBuf {
        let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
        root().join(target).join("adapters").join(self.name())
    }

    /// Installs the packages unless they are there, and the wheel in any case. Returns the interpreter.
    pub(super) fn install(&self, wheel: &Path) -> Result<PathBuf, ChoreFailure> {
        let (folder, list) = (self.folder(), self.list_path());
        let wanted = fs::read_to_string(&list)
            .map_err(|error| ChoreFailure::io(format_args!("read {}", list.display()), &error))?;
        let python = folder.join(PROGRAMS).join("python");
        let mark = folder.join("packages.txt");
        if !fs::read_to_string(&mark).is_ok_and(|installed| installed == wanted) {
            eprintln!("xtask: {}: installing its packages …", self.name());
            run(Command::new(interpreter(&wanted)?).args(["-m", "venv", "--clear"]).arg(&folder))?;
            let mut pip = Command::new(&python);
            // The lists are complete, and pip is slow at searching for dependencies.
            pip.args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--no-deps",
                "--require-hashes",
            ]);
            run(pip.arg("--requirement").arg(&list))?;
            fs::write(&mark, wanted)
                .map_err(|error| ChoreFailure::io(format_args!("write {}", mark.display()), &error))?;
        }
        install_wheel(&python, wheel)?;
        Ok(python)
    }
}

/// Returns the interpreter that a list of packages asks for.
fn interpreter(list: &str) -> Result<String, ChoreFailure> {
    let Some(version) = list.lines().find_map(|line| line.strip_prefix(PYTHON_MARK)).map(str::trim) else {
        return Ok("python3".to_owned());
    };
    let name = format!("python{version}");
    let starts =
        |program: &str| works(Command::new(program).args(["-c", "import venv"]).stderr(Stdio::null()));
    let others = ["/usr/local/bin", "/opt/homebrew/bin"].map(|folder| format!("{folder}/{name}"));
    let pyenv = pyenv_interpreters(version);
    let all = std::iter::once(name.clone()).chain(others).chain(pyenv);
    all.into_iter().find(|program| starts(program)).ok_or_else(|| {
        ChoreFailure::Failed(format!(
            "Python {version} is not installed; install it as `{name}`, or below ~/.pyenv"
        ))
    })
}

/// Lists the interpreters of a version that pyenv has installed, newest last.
fn pyenv_interpreters(version: &str) -> Vec<String> {
    let Some(home) = env::home_dir() else { return Vec::new() };
    let Ok(entries) = fs::read_dir(home.join(".pyenv/versions")) else { return Vec::new() };
    let start = format!("{version}.");
    let is_wanted =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&start));
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_wanted);
    let mut all: Vec<String> = paths.map(|path| path.join("bin/python").display().to_string()).collect();
    all.sort();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_named_after_its_framework_and_its_age() {
        let named = |name| AdapterEnvironment::from_file(name).map(|found| found.name());
        assert_eq!(named("openai_agents-oldest.txt").as_deref(), Some("openai_agents-oldest"));
        for other in ["openai_agents.txt", "x-new.txt", "-newest.txt", "x-newest.in", "README.md"] {
            assert_eq!(named(other), None, "{other}");
        }
    }

    #[test]
    fn a_version_that_is_not_installed_is_named() {
        let Err(ChoreFailure::Failed(message)) = interpreter("# python 2.1\nx==1\n") else { panic!() };
        assert!(message.contains("Python 2.1"), "{message}");
        assert_eq!(interpreter("x==1\n").unwrap(), "python3");
    }

    #[test]
    fn every_list_has_a_test_and_hashes() {
        let benchmarks = ["langchain", "openhands"].map(AdapterEnvironment::for_benchmark);
        for environment in AdapterEnvironment::list().unwrap().into_iter().chain(benchmarks) {
            let is_tested = root().join(PACKAGE).join(environment.test()).is_file();
            assert!(is_tested || environment.age == BENCHMARK, "{}", environment.name());
            let text = fs::read_to_string(environment.list_path()).unwrap();
            let entries = text.replace("\\\n", " ");
            for package in
                entries.lines().filter(|line| !line.trim_start().starts_with('#') && !line.is_empty())
            {
                assert!(package.contains("==") && package.contains("--hash=sha256:"), "{package}");
            }
        }
    }
}
