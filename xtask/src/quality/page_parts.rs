//! The generated parts of `docs/quality.md`.
//!
//! A part stands between `<!-- quality: NAME -->` and `<!-- /quality -->`. The rest of the page is written by hand. Other
//! generated parts can be computed from the tree alone; these need the samples, so `cargo xtask generate` leaves them.

/// Ends a part.
const END: &str = "<!-- /quality -->";

/// A part of the page.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PagePart {
    /// The name in its marker.
    pub(super) name: &'static str,
    /// Markdown.
    pub(super) text: String,
}

/// Replaces the parts of a page. A part without a marker in the page is an error.
pub(super) fn replace(page: &str, parts: &[PagePart]) -> Result<String, String> {
    let mut page = page.replace("\r\n", "\n");
    for PagePart { name, text } in parts {
        let start = format!("<!-- quality: {name} -->\n");
        let (before, rest) = page.split_once(&start).ok_or_else(|| format!("it has no part {name:?}"))?;
        let (_, after) = rest.split_once(END).ok_or_else(|| format!("the part {name:?} has no end"))?;
        page = format!("{before}{start}{}\n{END}{after}", text.trim_end());
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_marked_part_of_a_page_is_replaced() {
        let parts = [PagePart { name: "a", text: "| x |\n".to_owned() }];
        let page = "# P\n\n<!-- quality: a -->\nold\n<!-- /quality -->\n\n<!-- quality: b -->\nkept\n<!-- /quality -->\n";
        let expected = page.replace("old", "| x |");
        assert_eq!(replace(page, &parts).unwrap(), expected);
        assert_eq!(replace(&expected, &parts).unwrap(), expected);
    }

    #[test]
    fn a_page_without_the_part_is_an_error() {
        let parts = [PagePart { name: "a", text: String::new() }];
        assert_eq!(replace("# P\n", &parts).unwrap_err(), "it has no part \"a\"");
        assert_eq!(replace("<!-- quality: a -->\n", &parts).unwrap_err(), "the part \"a\" has no end");
    }
}
