//! Trusted folders, as Gemini CLI and Qwen Code keep them.

use std::fs;
use std::path::Path;

use serde_json::Value;

/// Returns whether rules trust a folder. `None` if no rule is about it. The rule with the longest path counts.
pub(super) fn is_trusted(rules: &Value, folder: &Path) -> Option<bool> {
    let mut best: Option<(usize, bool)> = None;
    for (path, level) in rules.as_object().into_iter().flatten() {
        let rule = Path::new(path);
        let (covered, is_trusted) = match level.as_str() {
            Some("TRUST_FOLDER") => (rule, true),
            Some("TRUST_PARENT") => (rule.parent().unwrap_or(rule), true),
            Some("DO_NOT_TRUST") => (rule, false),
            _ => continue,
        };
        let covered = fs::canonicalize(covered).unwrap_or_else(|_| covered.to_owned());
        if folder.starts_with(covered) && best.is_none_or(|(length, _)| path.len() > length) {
            best = Some((path.len(), is_trusted));
        }
    }
    best.map(|(_, is_trusted)| is_trusted)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_rule_with_the_longest_path_counts() {
        let rules = json!({
            "/nowhere/work": "TRUST_FOLDER", "/nowhere/work/cloned": "DO_NOT_TRUST",
            "/nowhere/other/one": "TRUST_PARENT", "/nowhere/odd": 3,
        });
        for (folder, expected) in [
            ("/nowhere/work", Some(true)),
            ("/nowhere/work/mine/deep", Some(true)),
            ("/nowhere/work/cloned/x", Some(false)),
            ("/nowhere/workshop", None),
            ("/nowhere/other/two", Some(true)),
            ("/nowhere/odd", None),
        ] {
            assert_eq!(is_trusted(&rules, Path::new(folder)), expected, "{folder}");
        }
        assert_eq!(is_trusted(&json!([]), Path::new("/x")), None);
    }
}
