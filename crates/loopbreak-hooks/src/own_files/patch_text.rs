//! The files that a patch changes.

use super::file_edit::{EditedContent, FileEdit};

/// Lists the changes of a patch, in the form of `apply_patch` or of `diff -u`. Other texts have none.
pub(super) fn edits_in(text: &str) -> Vec<FileEdit> {
    let mut edits: Vec<FileEdit> = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let after = |start: &str| line.strip_prefix(start).map(|path| path.trim().to_owned());
        let is_unified =
            line.starts_with("--- ") && lines.peek().is_some_and(|next| next.starts_with("+++ "));
        if let Some(path) = after("*** Update File: ").or_else(|| after("*** Add File: ")) {
            edits.push(FileEdit { path, change: EditedContent::Lines(Vec::new()) });
        } else if let Some(path) = after("*** Delete File: ") {
            edits.push(FileEdit { path, change: EditedContent::Removal });
        } else if let Some(path) = after("*** Move to: ") {
            edits.push(FileEdit { path, change: EditedContent::Lines(Vec::new()) });
        } else if is_unified {
            let (old, new) = (diff_path(&line[4..]), lines.next().map_or("", |next| diff_path(&next[4..])));
            let (path, change) = match new {
                "/dev/null" => (old, EditedContent::Removal),
                _ => (new, EditedContent::Lines(Vec::new())),
            };
            edits.push(FileEdit { path: path.to_owned(), change });
        } else if let Some(FileEdit { change: EditedContent::Lines(changed), .. }) = edits.last_mut() {
            changed.push(line.to_owned());
        }
    }
    edits
}

/// Returns the path in the head of a diff, without the prefixes of Git and without the time.
fn diff_path(head: &str) -> &str {
    let path = head.split('\t').next().unwrap_or(head).trim();
    path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_patch_are_found() {
        let patch =
            "*** Begin Patch\n*** Update File: a.toml\n@@\n-x\n+y\n*** Delete File: b.toml\n*** End Patch\n";
        let edits = edits_in(patch);
        assert_eq!(edits.len(), 2);
        assert_eq!((edits[0].path.as_str(), edits[1].path.as_str()), ("a.toml", "b.toml"));
        assert_eq!(edits[1].change, EditedContent::Removal);
        let edits = edits_in("--- a/x/pyproject.toml\t2026\n+++ b/x/pyproject.toml\n@@ -1 +1 @@\n-a\n+b\n");
        assert_eq!((edits.len(), edits[0].path.as_str()), (1, "x/pyproject.toml"));
        assert!(edits_in("--- a heading\nno patch\n").is_empty());
    }
}
