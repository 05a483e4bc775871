//! The folder of the samples.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::eval_figures::EvalFigures;
use super::replay;
use super::replayed_run::ReplayedRun;
use super::split_list::SplitList;
use crate::chore_failure::ChoreFailure;

/// The samples, and the program that replays them.
#[derive(Debug)]
pub(super) struct SampleFolder {
    folder: PathBuf,
    program: PathBuf,
    scratch: PathBuf,
    split: SplitList,
}

impl SampleFolder {
    /// Opens the folder. `scratch` is for converted samples. The program on the search path replays them.
    pub(super) fn open(folder: &Path, scratch: PathBuf) -> Result<Self, ChoreFailure> {
        check(folder)?;
        let file = folder.join("split.jsonl");
        let split = SplitList::parse(&read(&file)?)
            .map_err(|fault| ChoreFailure::Failed(fault).about(file.display()))?;
        Ok(SampleFolder { folder: folder.to_owned(), program: "loopbreak".into(), scratch, split })
    }

    /// Sets the program that replays the samples.
    pub(super) fn set_program(&mut self, program: PathBuf) {
        self.program = program;
    }

    /// Returns the split.
    pub(super) fn split(&self) -> &SplitList {
        &self.split
    }

    /// Returns a path in the folder.
    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }

    /// Returns the steps of a set.
    pub(super) fn steps(&self, set: &str) -> PathBuf {
        self.path(&format!("steps/{set}.jsonl"))
    }

    /// Returns the labels of the runs of a set.
    pub(super) fn labels(&self, set: &str) -> Result<HashMap<String, Value>, ChoreFailure> {
        let lines = json_lines(&self.path(&format!("steps/{set}.labels.jsonl")))?;
        let named = lines.into_iter().filter_map(|line| Some((line.get("run")?.as_str()?.to_owned(), line)));
        Ok(named.collect())
    }

    /// Replays logs.
    pub(super) fn analyze(&self, paths: &[PathBuf]) -> Result<Vec<ReplayedRun>, ChoreFailure> {
        replay::analyze(&self.program, paths)
    }

    /// Replays a set and returns the runs of one part.
    pub(super) fn analyze_part(&self, set: &str, part: &str) -> Result<Vec<ReplayedRun>, ChoreFailure> {
        let mut runs = self.analyze(&[self.steps(set)])?;
        runs.retain(|run| self.split.is_in(part, set, &run.run));
        Ok(runs)
    }

    /// Evaluates logs with all baselines.
    pub(super) fn eval(&self, paths: &[PathBuf], arguments: &[String]) -> Result<EvalFigures, ChoreFailure> {
        replay::eval(&self.program, paths, arguments)
    }

    /// Returns the arguments of `eval` for one part.
    pub(super) fn part_arguments(&self, part: &str) -> Vec<String> {
        let split = self.path("split.jsonl").to_string_lossy().into_owned();
        ["--split".to_owned(), split, "--part".to_owned(), part.to_owned()].into()
    }

    /// Returns the arguments of `eval` for one part of a labelled set.
    pub(super) fn labelled_arguments(&self, set: &str, part: &str, positive: &str) -> Vec<String> {
        let labels = self.path(&format!("steps/{set}.labels.jsonl")).to_string_lossy().into_owned();
        let mut arguments = self.part_arguments(part);
        arguments.extend(["--labels".to_owned(), labels, "--positive".to_owned(), positive.to_owned()]);
        arguments
    }

    /// Writes a changed copy of steps, with the same file name in a scratch folder of this name, and returns its path.
    pub(super) fn convert(
        &self,
        steps: &Path,
        name: &str,
        change: impl Fn(&mut Value),
    ) -> Result<PathBuf, ChoreFailure> {
        let mut text = String::new();
        for mut step in json_lines(steps)? {
            change(&mut step);
            text += &step.to_string();
            text.push('\n');
        }
        let folder = self.scratch.join(name);
        let target = folder.join(steps.file_name().unwrap_or_default());
        fs::create_dir_all(&folder)
            .and_then(|()| fs::write(&target, text))
            .map_err(|error| ChoreFailure::io(format_args!("write {}", target.display()), &error))?;
        Ok(target)
    }
}

/// Fails with advice if the folder does not have the samples.
fn check(folder: &Path) -> Result<(), ChoreFailure> {
    for needed in ["", "split.jsonl", "steps", "raw/claude-code", "raw/claude-code-sessions"] {
        let path = folder.join(needed);
        if !path.exists() {
            let message = format!(
                "{} does not exist; the samples are a folder with split.jsonl, steps/ and raw/, as docs/quality.md says",
                path.display()
            );
            return Err(ChoreFailure::Failed(message));
        }
    }
    Ok(())
}

/// Reads a file of JSON lines. A failure names the file and the line.
pub(super) fn json_lines(path: &Path) -> Result<Vec<Value>, ChoreFailure> {
    let text = read(path)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let parse = |(index, line): (usize, &str)| {
        serde_json::from_str(line)
            .map_err(|error| ChoreFailure::Failed(format!("{}:{}: {error}", path.display(), index + 1)))
    };
    lines.map(parse).collect()
}

fn read(path: &Path) -> Result<String, ChoreFailure> {
    fs::read_to_string(path)
        .map_err(|error| ChoreFailure::io(format_args!("read {}", path.display()), &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let error = SampleFolder::open(Path::new("no/such/folder"), PathBuf::new()).unwrap_err();
        let ChoreFailure::Failed(message) = error else { panic!("{error:?}") };
        assert!(message.starts_with("no/such/folder") && message.contains("split.jsonl"), "{message}");
    }
}
