//! The descriptions of the detectors, taken from their guide for reports that explain their rules.

use std::fmt::Write as _;
use std::fs;

use crate::process::root;

/// The guide with the descriptions.
const GUIDE: &str = "docs/guide/detectors.md";

/// Renders the paragraphs of each detector that describe what it detects and ignores.
pub(crate) fn markdown() -> Result<String, String> {
    let guide =
        fs::read_to_string(root().join(GUIDE)).map_err(|error| format!("cannot read {GUIDE}: {error}"))?;
    Ok(extract(&guide))
}

fn extract(guide: &str) -> String {
    let mut out = format!("<!-- Written by `cargo xtask generate` from {GUIDE}. -->\n");
    // Sections whose heading is code are about a detector.
    for section in guide.replace("\r\n", "\n").split("\n## ").filter(|section| section.starts_with('`')) {
        let mut paragraphs = section.split("\n\n");
        let heading = paragraphs.next().unwrap_or_default();
        _ = writeln!(out, "\n## {}", heading.trim());
        let wanted = |text: &&str| text.starts_with("**Sees**") || text.starts_with("**Must not catch**");
        for paragraph in paragraphs.filter(wanted) {
            _ = writeln!(out, "\n{}", paragraph.trim());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_seen_and_what_is_not_is_taken() {
        let guide = "# G\n\n## Words\n\n**Sees** no.\n\n## `a`\n\n**Sees** x.\n\n| t |\n\n**Must not catch** y\nand z.\n\n**Settings**: s.\n";
        assert_eq!(
            extract(guide).split_once("-->\n").unwrap().1,
            "\n## `a`\n\n**Sees** x.\n\n**Must not catch** y\nand z.\n"
        );
    }
}
