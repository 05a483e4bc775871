//! Checks of the rules for alerts.

use super::*;

/// Returns what is wrong with rules, each given by its keys.
fn messages(rules: &[&str]) -> Vec<String> {
    let text = rules.iter().fold(String::new(), |text, rule| text + "[[alert]]\n" + rule + "\n");
    match own(&text) {
        Ok(loaded) => {
            assert_eq!(loaded.config.alert.len(), rules.len());
            Vec::new()
        }
        Err(error) => error.problems.iter().map(|problem| problem.message.clone()).collect(),
    }
}

#[test]
fn a_rule_needs_a_name_and_a_threshold_that_fits_its_kind() {
    let valid = [
        "name = 'a'\nkind = 'cost_per_day'\nthreshold = 5\nslack = 'https://x.example/y'",
        "name = 'b'",
        "name = 'c'\nkind = 'findings_per_hour'\nthreshold = 10.5\nquiet = '30m'\nproject = 'web'",
    ];
    assert_eq!(messages(&valid), Vec::<String>::new());
    for (rules, expected) in [
        (["name = 'a'", ""], "alert[1].name: an alert rule needs a name"),
        (["name = 'a'", "name = 'a'"], "alert[1].name: two alert rules have the name \"a\""),
        (["name = 'a'", "name = 'b'\nthreshold = 1"], "alert[1].threshold: a new loop has no threshold"),
        (
            ["name = 'a'", "name = 'b'\nkind = 'cost_per_day'"],
            "alert[1].threshold: cost_per_day needs a threshold above 0",
        ),
        (
            ["name = 'a'", "name = 'b'\nkind = 'findings_per_hour'\nthreshold = -1"],
            "alert[1].threshold: findings_per_hour needs a threshold above 0",
        ),
        (
            ["name = 'a'", "name = 'b'\nwebhook = 'ftp://secret'"],
            "alert[1].webhook: webhook is not an address",
        ),
        (["name = 'a'", "name = 'b'\nkind = 'noise'"], "alert[1].kind: "),
        (["name = 'a'", "name = 'b'\nquiet = 'soon'"], "alert[1].quiet: "),
        (["name = 'a'", "name = 'b'\nurl = 'https://x'"], "unknown key \"url\" in alert[1]"),
    ] {
        let found = messages(&rules);
        assert!(found.len() == 1 && found[0].starts_with(expected), "{rules:?}: {found:?}");
    }
}
