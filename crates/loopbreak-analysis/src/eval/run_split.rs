//! A fixed division of runs into parts: rules are developed on one part and measured on the other.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::path::Path;

use serde::Deserialize;

/// A split file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SplitError {
    /// A line cannot be used.
    Line {
        /// The line, counted from 1.
        line: u64,
        /// The reason.
        reason: String,
    },
    /// The split does not have this part.
    UnknownPart {
        /// The part that was asked for.
        part: String,
        /// The parts that the split has, sorted.
        known: Vec<String>,
    },
}

impl fmt::Display for SplitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SplitError::Line { line, reason } => write!(f, "{line}: {reason}"),
            SplitError::UnknownPart { part, .. } => write!(f, "the split has no part {part:?}"),
        }
    }
}

impl std::error::Error for SplitError {}

/// Says for each run to which part it belongs.
///
/// The file has one JSON object per line: `{"set":"SET","run":"RUN","part":"PART"}` for the run `RUN` of the log
/// `SET.jsonl`, or `{"set":"SET","file":"NAME","part":"PART"}` for every run of the log `NAME`, preferably in a folder
/// `SET`.
#[derive(Clone, Debug, Default)]
pub struct RunSplit {
    by_run: HashMap<(String, String), String>,
    /// By the name of the file, then by set.
    by_file: HashMap<String, HashMap<String, String>>,
    parts: BTreeSet<String>,
}

#[derive(Deserialize)]
struct SplitLine {
    set: String,
    run: Option<String>,
    file: Option<String>,
    part: String,
}

/// Number of runs that are not in the wanted part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SplitRemainder {
    /// Runs of other parts.
    pub other_part: u64,
    /// Runs that the split does not name.
    pub unnamed: u64,
    /// Their ids, without those that a run of the wanted part has too.
    pub runs: Vec<String>,
}

impl RunSplit {
    /// Parses the content of a split file. The first broken line is an error.
    pub fn parse(text: &str) -> Result<Self, SplitError> {
        let mut split = RunSplit::default();
        for (index, line) in text.trim_start_matches('\u{FEFF}').lines().enumerate() {
            if !line.trim().is_empty() {
                let broken = |reason| SplitError::Line { line: index as u64 + 1, reason };
                split.line(line).map_err(broken)?;
            }
        }
        Ok(split)
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        let SplitLine { set, run, file, part } =
            serde_json::from_str(line).map_err(|error| without_position(&error))?;
        let named = match (run, file) {
            (Some(run), None) => {
                (self.by_run.insert((set, run.clone()), part.clone()).map(|_| format!("run {run:?}")), part)
            }
            (None, Some(file)) => {
                let sets = self.by_file.entry(file.clone()).or_default();
                (sets.insert(set, part.clone()).map(|_| format!("file {file:?}")), part)
            }
            _ => return Err("it needs either \"run\" or \"file\"".to_owned()),
        };
        let (before, part) = named;
        self.parts.insert(part);
        before.map_or(Ok(()), |what| Err(format!("the {what} is named twice")))
    }

    /// Returns the parts, sorted.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().map(String::as_str)
    }

    /// Returns the part of a run, which was read from `source`. `None` if the split does not name it.
    pub fn part_of(&self, source: &str, run: &str) -> Option<&str> {
        let path = Path::new(source);
        let file = path.file_name()?.to_string_lossy();
        let set = set_name(&file);
        if let Some(part) = self.by_run.get(&(set.to_owned(), run.to_owned())) {
            return Some(part);
        }
        let sets = self.by_file.get(&*file)?;
        let folder = path.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        let part = folder.and_then(|folder| sets.get(&folder));
        // A file that was moved elsewhere is still known by its name, if only one set has that name.
        part.or_else(|| sets.values().next().filter(|_| sets.len() == 1)).map(String::as_str)
    }

    /// Keeps the runs of one part. `place` returns the file and the id of a run.
    pub fn keep<T>(
        &self,
        part: &str,
        runs: &mut Vec<T>,
        place: impl Fn(&T) -> (&str, &str),
    ) -> Result<SplitRemainder, SplitError> {
        if !self.parts.contains(part) {
            let known = self.parts().map(str::to_owned).collect();
            return Err(SplitError::UnknownPart { part: part.to_owned(), known });
        }
        let mut remainder = SplitRemainder::default();
        runs.retain(|each| {
            let (source, run) = place(each);
            let found = self.part_of(source, run);
            if found == Some(part) {
                return true;
            }
            *(if found.is_some() { &mut remainder.other_part } else { &mut remainder.unnamed }) += 1;
            remainder.runs.push(run.to_owned());
            false
        });
        let kept: HashSet<&str> = runs.iter().map(|each| place(each).1).collect();
        remainder.runs.retain(|run| !kept.contains(run.as_str()));
        Ok(remainder)
    }
}

/// Returns the name of a set: that of the log without the endings `.jsonl`, `.jsonl.gz` and the like.
fn set_name(file: &str) -> &str {
    let packed = file.strip_suffix(".gz").or_else(|| file.strip_suffix(".zst"));
    let file = packed.unwrap_or(file);
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

/// Formats an error of the parser. It sees one line at a time, so its line number is left out.
fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPLIT: &str = r#"{"set":"web","run":"a","part":"look"}
{"set":"web","run":"b","part":"check"}

{"set":"raw","file":"one.jsonl.gz","part":"check"}
{"set":"raw","file":"two.jsonl","part":"look"}
{"set":"old","file":"two.jsonl","part":"check"}
"#;

    #[test]
    fn eval_split_finds_runs_by_set_and_id_or_by_file() {
        let split = RunSplit::parse(SPLIT).unwrap();
        for (source, run, part) in [
            ("runs/web.jsonl", "a", Some("look")),
            ("web.jsonl.gz", "b", Some("check")),
            ("web.jsonl", "c", None),
            ("other.jsonl", "a", None),
            ("logs/one.jsonl.gz", "any", Some("check")),
            ("raw/two.jsonl", "any", Some("look")),
            ("old/two.jsonl", "any", Some("check")),
            // Two sets have a file of this name, and the folder is neither of them.
            ("logs/two.jsonl", "any", None),
            ("stdin", "a", None),
        ] {
            assert_eq!(split.part_of(source, run), part, "{source} {run}");
        }
        assert_eq!(split.parts().collect::<Vec<_>>(), ["check", "look"]);
    }

    #[test]
    fn eval_split_keeps_one_part_and_counts_the_rest() {
        let split = RunSplit::parse(SPLIT).unwrap();
        let mut runs = vec!["a", "b", "c"];
        let left = split.keep("look", &mut runs, |run| ("web.jsonl", *run)).unwrap();
        assert_eq!(runs, ["a"]);
        let names = vec!["b".to_owned(), "c".to_owned()];
        assert_eq!(left, SplitRemainder { other_part: 1, unnamed: 1, runs: names });
        let unknown = split.keep("test", &mut runs, |run| ("web.jsonl", *run)).unwrap_err();
        assert_eq!(unknown.to_string(), "the split has no part \"test\"");
        assert_eq!(runs, ["a"], "nothing is removed");
    }

    #[test]
    fn eval_invalid_splits_name_the_line() {
        for (text, message) in [
            ("{\"set\":\"a\"", "1: EOF while parsing an object"),
            ("\n{\"set\":\"a\",\"run\":\"b\"}", "2: missing field `part`"),
            ("{\"set\":\"a\",\"part\":\"look\"}", "1: it needs either \"run\" or \"file\""),
            (
                "{\"set\":\"a\",\"run\":\"b\",\"part\":\"look\"}\n{\"set\":\"a\",\"run\":\"b\",\"part\":\"check\"}",
                "2: the run \"b\" is named twice",
            ),
        ] {
            assert_eq!(RunSplit::parse(text).unwrap_err().to_string(), message);
        }
    }
}
