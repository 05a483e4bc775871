//! The part of each run, as `split.jsonl` says.

use std::collections::HashMap;

use serde::Deserialize;

/// The runs and files of the samples, each with its part.
#[derive(Debug, Default)]
pub(super) struct SplitList(HashMap<(String, String), String>);

#[derive(Deserialize)]
struct SplitEntry {
    set: String,
    #[serde(alias = "file")]
    run: String,
    part: String,
}

impl SplitList {
    /// Parses the content of the file. A failure names the line.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut list = SplitList::default();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let entry: SplitEntry =
                serde_json::from_str(line).map_err(|error| format!("line {}: {error}", index + 1))?;
            list.0.insert((entry.set, entry.run), entry.part);
        }
        Ok(list)
    }

    /// Returns whether a run or file of a set belongs to a part.
    pub(super) fn is_in(&self, part: &str, set: &str, name: &str) -> bool {
        self.0.get(&(set.to_owned(), name.to_owned())).is_some_and(|found| found == part)
    }

    /// Returns the names of a part of a set, sorted.
    pub(super) fn names(&self, part: &str, set: &str) -> Vec<&str> {
        let meant = self.0.iter().filter(|((of, _), is)| of == set && *is == part);
        let mut names: Vec<&str> = meant.map(|((_, name), _)| name.as_str()).collect();
        names.sort_unstable();
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_and_files_have_a_part() {
        let text = r#"{"set":"a","run":"2","part":"look"}
{"set":"a","run":"1","part":"look"}
{"set":"b","file":"1","part":"check"}
"#;
        let list = SplitList::parse(text).unwrap();
        assert_eq!(list.names("look", "a"), ["1", "2"]);
        assert!(
            list.is_in("check", "b", "1") && !list.is_in("check", "a", "1") && !list.is_in("look", "a", "3")
        );
        assert!(SplitList::parse("{\"set\":\"a\"}").unwrap_err().starts_with("line 1: "));
    }
}
