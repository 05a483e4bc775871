//! The table of a chore in a page. It stands between two marks; the rest of the page is written by hand.

use std::fs;

use crate::chore_failure::ChoreFailure;
use crate::process::root;

/// The place of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageTable {
    /// The page, from the root of the workspace.
    pub(crate) page: &'static str,
    /// The chore, which names the marks.
    pub(crate) chore: &'static str,
}

impl PageTable {
    /// Replaces the table in the page.
    pub(crate) fn write(self, table: &str) -> Result<(), ChoreFailure> {
        let PageTable { page: name, .. } = self;
        let path = root().join(name);
        let page = fs::read_to_string(&path)
            .map_err(|error| ChoreFailure::io(format_args!("read {name}"), &error))?;
        let page = self
            .replace(&page, table)
            .ok_or_else(|| ChoreFailure::Failed(format!("{name} has no table of this chore")))?;
        fs::write(&path, page).map_err(|error| ChoreFailure::io(format_args!("write {name}"), &error))?;
        eprintln!("xtask: {name}: written");
        Ok(())
    }

    fn replace(self, page: &str, table: &str) -> Option<String> {
        let (start, end) = (format!("<!-- {}: table -->\n", self.chore), format!("<!-- /{} -->", self.chore));
        let (before, rest) = page.split_once(&start)?;
        let (_, after) = rest.split_once(&end)?;
        Some(format!("{before}{start}{table}{end}{after}"))
    }

    /// Returns whether the page has a place for the table.
    #[cfg(test)]
    pub(crate) fn is_in_page(self) -> bool {
        fs::read_to_string(root().join(self.page)).is_ok_and(|page| self.replace(&page, "").is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_table_of_the_page_is_replaced() {
        let table = PageTable { page: "P.md", chore: "work" };
        let page = "# P\n<!-- work: table -->\nold\n<!-- /work -->\nrest\n";
        let expected = "# P\n<!-- work: table -->\n| new |\n<!-- /work -->\nrest\n";
        assert_eq!(table.replace(page, "| new |\n").unwrap(), expected);
        assert_eq!(table.replace("# P\n", "x"), None);
    }
}
