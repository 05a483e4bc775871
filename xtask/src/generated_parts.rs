//! The generated parts of pages.
//!
//! A generated part stands between `<!-- generated: NAME -->` and `<!-- end -->`. The rest of the page is written by hand.

use std::fs;

use crate::chore_failure::ChoreFailure;
use crate::process::root;
use crate::{detector_pages, format_table};

/// Ends a generated part.
const END: &str = "<!-- end -->";

/// The content of a generated part.
pub(crate) struct GeneratedPart {
    /// Name of the part in pages.
    pub(crate) name: &'static str,
    /// Text between the marks.
    pub(crate) content: String,
}

/// Renders a page with its generated parts replaced.
pub(crate) fn render(path: &str) -> Result<String, ChoreFailure> {
    let page = fs::read_to_string(root().join(path))
        .map_err(|error| ChoreFailure::io(format_args!("read {path}"), &error))?;
    let mut parts = detector_pages::parts()?;
    parts.push(format_table::part()?);
    replace_parts(&page.replace("\r\n", "\n"), &parts).map_err(ChoreFailure::Failed)
}

fn replace_parts(page: &str, parts: &[GeneratedPart]) -> Result<String, String> {
    let mut page = page.to_owned();
    let mut found = false;
    for GeneratedPart { name, content } in parts {
        let start = format!("<!-- generated: {name} -->\n");
        let Some((before, rest)) = page.split_once(&start) else { continue };
        let (_, after) = rest.split_once(END).ok_or_else(|| format!("the part {name:?} has no end"))?;
        page = format!("{before}{start}{content}{END}{after}");
        found = true;
    }
    if found { Ok(page) } else { Err("it has no generated part".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts() -> [GeneratedPart; 2] {
        [("detectors", "| `a` |\n"), ("formats", "| `b` |\n")]
            .map(|(name, content)| GeneratedPart { name, content: content.to_owned() })
    }

    #[test]
    fn only_the_marked_parts_of_a_page_are_replaced() {
        let page = "# P\n\n<!-- generated: formats -->\nold\n<!-- end -->\n\nrest\n<!-- generated: detectors -->\n<!-- end -->\n";
        let expected = "# P\n\n<!-- generated: formats -->\n| `b` |\n<!-- end -->\n\nrest\n<!-- generated: detectors -->\n\
                        | `a` |\n<!-- end -->\n";
        assert_eq!(replace_parts(page, &parts()).unwrap(), expected);
        assert_eq!(replace_parts(expected, &parts()).unwrap(), expected);
    }

    #[test]
    fn a_page_without_a_complete_part_is_an_error() {
        assert!(replace_parts("# P\n", &parts()).is_err());
        assert!(replace_parts("<!-- generated: detectors -->\n| a |\n", &parts()).is_err());
    }
}
