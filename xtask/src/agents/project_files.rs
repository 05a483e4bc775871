//! The files of the project that an agent works on.

use std::fs;
use std::path::{Path, PathBuf};

use loopbreak_hooks::scripted_model::ScriptedDeed;
use serde_json::Value;

use crate::chore_failure::ChoreFailure;

/// The files that parts use. Every script notes that it was run, in a file outside of the project.
#[derive(Clone, Debug)]
pub(super) struct ProjectFiles {
    project: PathBuf,
    runs: PathBuf,
}

/// The scripts: name, and what it does after it has noted its run. `{state}` is a file outside of the project.
const SCRIPTS: [(&str, &str); 8] = [
    ("build.sh", "echo \"error: cannot find module 'left-pad'\" >&2\nexit 2\n"),
    ("list.sh", "echo alpha\necho beta\n"),
    ("show.sh", "echo gamma\necho delta\n"),
    (
        "run_tests.sh",
        "if grep -q 'value = 3' settings.txt; then echo '4 passed, 0 failed'; exit 0; fi\n\
         echo 'FAILED test_value: expected value = 3, found:'\ncat settings.txt\necho '3 passed, 1 failed'\nexit 1\n",
    ),
    // Moves on with every call.
    (
        "progress.sh",
        "echo x >> '{state}.progress'\necho \"$(wc -l < '{state}.progress' | tr -d ' ') of 40 files copied\"\n",
    ),
    ("job.sh", "sleep 4\necho done > '{state}.job'\n"),
    (
        "job_status.sh",
        "if [ -f '{state}.job' ]; then echo 'the job has finished'; else echo 'the job is still running'; fi\n",
    ),
    ("count.sh", "wc -l settings.txt notes.txt\n"),
];

const TEXTS: [(&str, &str); 3] = [
    ("settings.txt", "name = demo\nvalue = 1\n"),
    ("notes.txt", "The demo has one setting.\nIts value decides whether the tests pass.\n"),
    ("README.md", "# Demo\n\nRun `sh run_tests.sh`.\n"),
];

impl ProjectFiles {
    /// Writes the files into the folder of the project. Runs are noted in another folder.
    pub(super) fn create(project: &Path, outside: &Path) -> Result<Self, ChoreFailure> {
        let files = ProjectFiles { project: project.to_owned(), runs: outside.join("runs") };
        let state = outside.join("state");
        for (name, text) in SCRIPTS {
            let text = text.replace("{state}", &state.display().to_string());
            write(&project.join(name), &format!("echo {name} >> '{}'\n{text}", files.runs.display()))?;
        }
        for (name, text) in TEXTS {
            write(&project.join(name), text)?;
        }
        Ok(files)
    }

    /// Returns the number of scripts that were run.
    pub(super) fn run_count(&self) -> usize {
        fs::read_to_string(&self.runs).map(|runs| runs.lines().count()).unwrap_or_default()
    }

    /// Returns the deed that reads a file.
    pub(super) fn read(&self, name: &str) -> ScriptedDeed {
        ScriptedDeed::ReadFile { path: self.path(name) }
    }

    /// Returns the deed that replaces a text in a file.
    pub(super) fn edit(&self, name: &str, old: &str, new: &str) -> ScriptedDeed {
        ScriptedDeed::EditFile { path: self.path(name), old: old.to_owned(), new: new.to_owned() }
    }

    fn path(&self, name: &str) -> String {
        self.project.join(name).display().to_string()
    }
}

/// Writes a file, with the folders above it.
pub(super) fn write(path: &Path, text: &str) -> Result<(), ChoreFailure> {
    let failed = |error: &std::io::Error| ChoreFailure::io(format_args!("write {}", path.display()), error);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| failed(&error))?;
    }
    fs::write(path, text).map_err(|error| failed(&error))
}

/// Writes JSON values, one per line.
pub(super) fn write_json_lines(path: &Path, values: &[Value]) -> Result<(), ChoreFailure> {
    let mut text = String::new();
    for value in values {
        text.extend([&value.to_string(), "\n"]);
    }
    write(path, &text)
}

/// Returns the deed that runs a script of the project.
pub(super) fn run_script(script: &str) -> ScriptedDeed {
    ScriptedDeed::shell(format!("sh {script}"))
}
