//! Ids that fit into a table and can be typed back: the shortest beginning that no other run has.

use std::io;

use loopbreak_analysis::RunList;
use unicode_width::UnicodeWidthStr as _;

/// Minimum length of a shortened id, in characters.
const SHORTEST: usize = 8;
/// With more runs, ids are not shortened, so that not all of them are held in memory.
const COMPARED_RUNS: usize = 50_000;

/// The ids of all runs, in lower case and sorted: `--run` compares them without regard to case.
#[derive(Debug, Default)]
pub(super) struct TypableIds(Vec<String>);

impl TypableIds {
    pub(super) fn new(runs: &dyn RunList) -> io::Result<Self> {
        let mut ids = Vec::new();
        if runs.len() <= COMPARED_RUNS {
            runs.each(&mut |run| {
                ids.push(run.run.to_lowercase());
                Ok(())
            })?;
            ids.sort_unstable();
            ids.dedup();
        }
        Ok(TypableIds(ids))
    }

    /// Returns the id if it fits into a width, else its shortest beginning that means no other run. That is never cut.
    pub(super) fn shorten<'i>(&self, id: &'i str, width: usize) -> &'i str {
        if id.width() <= width || self.0.is_empty() {
            return id;
        }
        let lower = id.to_lowercase();
        let at = self.0.partition_point(|other| *other < lower);
        let neighbours = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
        let same =
            neighbours.filter_map(|index| self.0.get(index)).map(|other| common_chars(other, &lower)).max();
        let chars = (same.unwrap_or(0) + 1).max(SHORTEST);
        // A shortened id must not look as if it had parts that it has not.
        id.char_indices().nth(chars).map_or(id, |(end, _)| id[..end].trim_end())
    }
}

fn common_chars(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(ids: &[&str]) -> TypableIds {
        let mut ids: Vec<String> = ids.iter().map(|id| id.to_lowercase()).collect();
        ids.sort_unstable();
        TypableIds(ids)
    }

    #[test]
    fn an_id_is_as_long_as_it_must_be_to_mean_one_run() {
        let known =
            ids(&["3bd9cf18-3c9b", "3bd9cf18-4000", "77aa0011-2233", "run_2024-07-22_18-44-09", "short"]);
        assert_eq!(known.shorten("3bd9cf18-3c9b", 10), "3bd9cf18-3");
        assert_eq!(known.shorten("77aa0011-2233", 10), "77aa0011");
        assert_eq!(known.shorten("run_2024-07-22_18-44-09", 12), "run_2024");
        assert_eq!(known.shorten("short", 4), "short");
        assert_eq!(known.shorten("77aa0011-2233", 13), "77aa0011-2233", "there is room");
    }

    #[test]
    fn an_id_that_begins_another_stays_whole() {
        let known = ids(&["attempt-number-1", "attempt-number-12"]);
        assert_eq!(known.shorten("attempt-number-1", 8), "attempt-number-1");
        assert_eq!(known.shorten("attempt-number-12", 8), "attempt-number-12");
        assert_eq!(ids(&["Ümläute-Ümläute"]).shorten("Ümläute-Ümläute", 8), "Ümläute-");
    }
}
