//! Reads the text of a configuration file: our table, the documents' table, or both.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::kind::no_table;
use super::located::{Located, quoted};
use super::origin::{Origin, Positions, Shape, Source};
use super::walk::{Reading, Walk, meant};

/// What a file says.
#[derive(Debug, Default)]
pub(crate) struct File {
    /// The documents' table.
    pub(crate) documents: Reading,
    /// Our own.
    pub(crate) own: Reading,
    /// Where the documents' table is, if there is one.
    pub(crate) documents_at: Option<Origin>,
    /// Part of the file could not be read at all.
    pub(crate) broken: bool,
}

/// What to do about a text that is no TOML.
const SYNTAX: &str = "TOML is written like this: key = value, texts in quotes, tables as [name]";

impl File {
    pub(crate) fn read(source: &Source) -> File {
        let positions = Positions::of(source);
        let mut file = File::default();
        let (_, errors) = DeTable::parse_recoverable(&source.text);
        let table = if errors.is_empty() {
            DeTable::parse(&source.text).ok()
        } else {
            file.broken = true;
            for error in &errors {
                let span = error.span().unwrap_or(0..0);
                let message = if span.is_empty() && error.message().starts_with("string values") {
                    "a value is missing"
                } else {
                    error.message()
                };
                let origin = Origin::File(positions.spot(span, None));
                file.own.problems.push(Located::new(message, SYNTAX, origin));
            }
            None
        };
        // What is on the other lines may be wrong as well, and is told at once.
        let rest = table.is_none().then(|| without_lines(source, &positions, &errors)).flatten();
        let table = table.or_else(|| rest.as_deref().and_then(|rest| DeTable::parse(rest).ok()));
        if let Some(table) = table {
            file.tables(source.shape, table.get_ref(), &positions);
        }
        file
    }

    fn tables(&mut self, shape: Shape, table: &DeTable<'_>, positions: &Positions<'_>) {
        let locate = |span: Range<usize>, key| Origin::File(positions.spot(span, key));
        let tool = table.get("tool");
        let zorkgpt = tool.and_then(|tool| tool.get_ref().get("zorkgpt"));
        if let Some(documents) = zorkgpt.and_then(|zorkgpt| zorkgpt.get_ref().get("loop_break")) {
            self.documents_at = Some(locate(documents.span(), None));
            let mut walk = Walk { locate: &locate, reading: &mut self.documents };
            match documents.get_ref() {
                DeValue::Table(table) => walk.documents(table),
                other => walk.problem(Located::new(
                    format!("tool.zorkgpt.loop_break: {}", no_table(other)),
                    "write its keys under [tool.zorkgpt.loop_break]",
                    locate(documents.span(), None),
                )),
            }
        }
        let mut walk = Walk { locate: &locate, reading: &mut self.own };
        match shape {
            Shape::Pyproject => {
                let own = tool.and_then(|tool| tool.get_ref().get("loopbreak"));
                match own.map(|own| (own, own.get_ref())) {
                    Some((_, DeValue::Table(table))) => walk.table("", table),
                    Some((own, other)) => walk.problem(Located::new(
                        format!("tool.loopbreak: {}", no_table(other)),
                        "write its options under [tool.loopbreak]",
                        locate(own.span(), None),
                    )),
                    None => {}
                }
            }
            Shape::Own => {
                walk.table_without("tool", table);
                strangers(&mut walk, table);
            }
        }
    }
}

/// Whether a `pyproject.toml` is any of our business: it has our table or the documents'.
pub fn has_tables(text: &str) -> bool {
    let (table, _) = DeTable::parse_recoverable(text);
    let tool = table.get_ref().get("tool").map(Spanned::get_ref);
    let ours = tool.and_then(|tool| tool.get("loopbreak")).is_some();
    ours || tool.and_then(|tool| tool.get("zorkgpt")?.get_ref().get("loop_break")).is_some()
}

/// In a file of our own nothing stands beside the documents' table.
fn strangers(walk: &mut Walk<'_>, table: &DeTable<'_>) {
    let mut here = table.get("tool");
    for (path, known) in [("tool", "zorkgpt"), ("tool.zorkgpt", "loop_break")] {
        let Some(value) = here else { return };
        let DeValue::Table(inner) = value.get_ref() else {
            let message = format!("{path}: {}", no_table(value.get_ref()));
            let hint = "the documents' keys stand under [tool.zorkgpt.loop_break]";
            walk.problem(Located::new(message, hint, (walk.locate)(value.span(), None)));
            return;
        };
        for (key, _) in inner.iter().filter(|(key, _)| key.get_ref() != known) {
            let name = key.get_ref().as_ref();
            let hint = if (path, name) == ("tool", "loopbreak") {
                "that is for a pyproject.toml; in this file the options stand at the top".to_owned()
            } else {
                meant(name, [known])
                    .unwrap_or_else(|| "the only table known there is [tool.zorkgpt.loop_break]".to_owned())
            };
            let message = format!("unknown key {} in [{path}]", quoted(name));
            walk.problem(Located::new(message, hint, (walk.locate)(key.span(), None)));
        }
        here = inner.get(known);
    }
}

/// The text without the lines that are no TOML, every other byte in its place; nothing where a line is the head of a
/// table, for then nobody knows where the following keys belong.
fn without_lines(source: &Source, positions: &Positions<'_>, errors: &[toml::de::Error]) -> Option<String> {
    let mut rest = source.text.clone();
    for error in errors {
        let line = positions.line_span(error.span()?.start.min(source.text.len()));
        let text = &source.text[line.clone()];
        if text.trim_start().starts_with('[') || !text.contains('=') {
            return None;
        }
        let blank: String = text.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect();
        rest.replace_range(line, &blank);
    }
    Some(rest)
}
