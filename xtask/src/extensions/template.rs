//! Reads the templates of `CONTRIBUTING.md`: the files a contributor writes and the one line they add to a list.
//!
//! A block of code is part of a template if a comment stands before it: `<!-- TEMPLATE: new file PATH -->` or
//! `<!-- TEMPLATE: add to PATH after LINE -->`.

/// One edit of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TemplateEdit {
    /// A file that is written.
    NewFile { path: String, text: String },
    /// Lines that are added after the first line that starts with these words.
    AddedLines { path: String, after: String, text: String },
}

/// Lists the edits of one template, in their order.
pub(super) fn template_edits(page: &str, template: &str) -> Vec<TemplateEdit> {
    let mark = format!("<!-- {template}: ");
    let mut edits = Vec::new();
    for part in page.split(&mark).skip(1) {
        let Some((instruction, rest)) = part.split_once(" -->\n") else { continue };
        let Some(text) = first_code_block(rest) else { continue };
        if let Some(path) = instruction.strip_prefix("new file ") {
            edits.push(TemplateEdit::NewFile { path: path.to_owned(), text });
        } else if let Some((path, after)) =
            instruction.strip_prefix("add to ").and_then(|rest| rest.split_once(" after "))
        {
            let (path, after) = (path.to_owned(), after.to_owned());
            edits.push(TemplateEdit::AddedLines { path, after, text });
        }
    }
    edits
}

fn first_code_block(text: &str) -> Option<String> {
    let (_, after) = text.split_once("```")?;
    let (_, body) = after.split_once('\n')?;
    let (block, _) = body.split_once("```")?;
    Some(block.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_read_in_their_order_and_other_code_is_left_out() {
        let page = "x\n\n```rust\nno\n```\n\n<!-- t: new file a/b.rs -->\n```rust\none\n```\n<!-- t: add to a/mod.rs after pub mod -->\n\
                    ```rust\ntwo\n```\n<!-- other: new file c.rs -->\n```rust\nno\n```\n";
        let expected = [
            TemplateEdit::NewFile { path: "a/b.rs".to_owned(), text: "one\n".to_owned() },
            TemplateEdit::AddedLines {
                path: "a/mod.rs".to_owned(),
                after: "pub mod".to_owned(),
                text: "two\n".to_owned(),
            },
        ];
        assert_eq!(template_edits(page, "t"), expected);
    }
}
