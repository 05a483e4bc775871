//! The commands that no test runs, as `docs/untested-commands.md` lists them with the reasons.

use std::collections::BTreeSet;
use std::fs;

use super::command_rules::{CommandRule, rule_for};
use super::doc_page::{commands_of, pages};
use crate::support::root;

const PAGE: &str = "docs/untested-commands.md";

/// A command on the list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct UntestedCommand {
    pub(super) page: String,
    pub(super) text: String,
}

/// Reads the list: below each heading with a reason, lines such as "- [page](../page): `command`".
pub(super) fn untested_commands() -> Vec<UntestedCommand> {
    let text = fs::read_to_string(root().join(PAGE)).unwrap();
    let mut reason = "";
    let mut found = Vec::new();
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            reason = heading;
        }
        let Some(entry) = line.strip_prefix("- [") else { continue };
        let (page, rest) = entry.split_once("](").unwrap();
        let text = rest.split_once("): `").and_then(|(_, text)| text.strip_suffix('`'));
        let text = text.unwrap_or_else(|| panic!("{PAGE}: a line of another form: {line}"));
        assert!(!reason.is_empty(), "{PAGE}: no reason for {text}");
        found.push(UntestedCommand { page: page.to_owned(), text: text.to_owned() });
    }
    found
}

#[test]
fn the_list_has_no_command_that_is_not_documented_or_that_is_run() {
    let documented: BTreeSet<UntestedCommand> = pages()
        .iter()
        .flat_map(|page| commands_of(page))
        .map(|command| UntestedCommand { page: command.page, text: command.text })
        .collect();
    let listed = untested_commands();
    assert!(listed.len() > 20, "only {} commands were found in {PAGE}", listed.len());
    let gone: Vec<_> = listed.iter().filter(|entry| !documented.contains(entry)).collect();
    assert!(gone.is_empty(), "{PAGE} lists commands that are no longer documented: {gone:#?}");
    let distinct: BTreeSet<_> = listed.iter().collect();
    assert_eq!(distinct.len(), listed.len(), "{PAGE} lists a command twice");
    let run = listed.iter().filter(|entry| rule_for(&entry.page, &entry.text) != CommandRule::Succeeds);
    assert_eq!(run.count(), 0, "a command of {PAGE} has a rule for running it");
}
