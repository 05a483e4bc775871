//! The action that a run repeats most often.

use std::collections::HashMap;

use serde_json::Value;

/// Maximum number of characters shown of an action.
const SHOWN: usize = 60;

/// The action that was made most often, and how often.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RepeatedAction {
    /// The action on one line, shortened.
    pub(super) action: String,
    /// Number of times.
    pub(super) times: usize,
    /// Number of actions looked at.
    pub(super) of: usize,
}

/// Returns the most repeated action among the steps of a run. The earliest wins a tie.
pub(super) fn most_repeated<'s>(steps: impl Iterator<Item = &'s Value>) -> Option<RepeatedAction> {
    let mut counts: HashMap<String, (usize, usize)> = HashMap::new();
    let mut of = 0;
    for action in steps.filter_map(|step| step.get("action")) {
        let text = action.as_str().map_or_else(|| action.to_string(), str::to_owned);
        counts.entry(text).or_insert((0, of)).0 += 1;
        of += 1;
    }
    let (action, (times, _)) =
        counts.into_iter().max_by_key(|(_, (times, since))| (*times, usize::MAX - since))?;
    Some(RepeatedAction { action: shortened(&action), times, of })
}

/// Puts a text on one line that can stand in a code span of a table.
fn shortened(text: &str) -> String {
    let line: String =
        text.split_whitespace().collect::<Vec<_>>().join(" ").replace('`', "'").replace('|', "/");
    if line.chars().count() <= SHOWN {
        return line;
    }
    line.chars().take(SHOWN).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_action_made_most_often_is_found() {
        let steps = ["a", "b", "b", "a", "c"].map(|action| json!({"action": action}));
        let found = most_repeated(steps.iter()).unwrap();
        assert_eq!(found, RepeatedAction { action: "a".to_owned(), times: 2, of: 5 });
        assert_eq!(most_repeated([json!({"say": "hm"})].iter()), None);
        let long = json!({"action": "fill('1',\n '|`".to_owned() + &"x".repeat(80)});
        let found = most_repeated([long].iter()).unwrap();
        assert!(found.action.starts_with("fill('1', '/'xxx") && found.action.ends_with('…'));
    }
}
