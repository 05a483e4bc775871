//! Reads the text of a configuration file: the own table, the legacy table, or both.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::{LayerReading, TableReader};
use crate::nearest::did_you_mean;
use crate::options::not_a_table;
use crate::problem::{ConfigProblem, quote};
use crate::source::{ConfigFileLayout, ConfigSource, LinePositions, ValueOrigin};

/// The content of a configuration file.
#[derive(Debug, Default)]
pub(crate) struct ConfigFile {
    /// The table of legacy keys.
    pub(crate) legacy: LayerReading,
    /// The options.
    pub(crate) own: LayerReading,
    /// Location of the legacy table, if there is one.
    pub(crate) legacy_table: Option<ValueOrigin>,
    /// True if part of the file is not valid TOML.
    pub(crate) incomplete: bool,
}

const SYNTAX_HINT: &str = "TOML syntax: key = value, strings in quotes, tables as [name]";

impl ConfigFile {
    pub(crate) fn read(source: &ConfigSource) -> ConfigFile {
        let positions = LinePositions::new(source);
        let mut file = ConfigFile::default();
        let (_, errors) = DeTable::parse_recoverable(&source.text);
        let table = if errors.is_empty() {
            DeTable::parse(&source.text).ok()
        } else {
            file.incomplete = true;
            for error in &errors {
                let span = error.span().unwrap_or(0..0);
                let message = if span.is_empty() && error.message().starts_with("string values") {
                    "missing value"
                } else {
                    error.message()
                };
                let origin = ValueOrigin::File(positions.location(span, None));
                file.own.problems.push(ConfigProblem::new(message, SYNTAX_HINT, origin));
            }
            None
        };
        // The other lines are read as well, so that all problems are reported at once.
        let rest = table.is_none().then(|| blank_invalid_lines(source, &positions, &errors)).flatten();
        let table = table.or_else(|| rest.as_deref().and_then(|rest| DeTable::parse(rest).ok()));
        if let Some(table) = table {
            file.read_tables(source.layout, table.get_ref(), &positions);
        }
        file
    }

    fn read_tables(&mut self, layout: ConfigFileLayout, table: &DeTable<'_>, positions: &LinePositions<'_>) {
        let locate = |span: Range<usize>, key| ValueOrigin::File(positions.location(span, key));
        let tool = table.get("tool");
        let zorkgpt = tool.and_then(|tool| tool.get_ref().get("zorkgpt"));
        if let Some(legacy) = zorkgpt.and_then(|zorkgpt| zorkgpt.get_ref().get("loop_break")) {
            self.legacy_table = Some(locate(legacy.span(), None));
            let mut reader = TableReader { locate: &locate, reading: &mut self.legacy };
            match legacy.get_ref() {
                DeValue::Table(table) => reader.read_legacy_table(table),
                other => reader.report(ConfigProblem::new(
                    format!("tool.zorkgpt.loop_break: {}", not_a_table(other)),
                    "put its keys under [tool.zorkgpt.loop_break]",
                    locate(legacy.span(), None),
                )),
            }
        }
        let mut reader = TableReader { locate: &locate, reading: &mut self.own };
        match layout {
            ConfigFileLayout::Pyproject => {
                let own = tool.and_then(|tool| tool.get_ref().get("loopbreak"));
                match own.map(|own| (own, own.get_ref())) {
                    Some((_, DeValue::Table(table))) => reader.read_table("", table),
                    Some((own, other)) => reader.report(ConfigProblem::new(
                        format!("tool.loopbreak: {}", not_a_table(other)),
                        "put its options under [tool.loopbreak]",
                        locate(own.span(), None),
                    )),
                    None => {}
                }
            }
            ConfigFileLayout::TopLevel => {
                // `[[tool]]` declares tools, `[tool.zorkgpt.loop_break]` holds legacy keys.
                if tool.is_some_and(|tool| matches!(tool.get_ref(), DeValue::Array(_))) {
                    reader.read_table("", table);
                } else {
                    reader.read_top_level_except("tool", table);
                    report_unknown_tools(&mut reader, table);
                }
            }
        }
    }
}

/// Reports every key under `[tool]` of a `loopbreak.toml` except the legacy table.
fn report_unknown_tools(reader: &mut TableReader<'_>, table: &DeTable<'_>) {
    let mut here = table.get("tool");
    for (path, known) in [("tool", "zorkgpt"), ("tool.zorkgpt", "loop_break")] {
        let Some(value) = here else { return };
        let DeValue::Table(inner) = value.get_ref() else {
            let message = format!("{path}: {}", not_a_table(value.get_ref()));
            let hint = "legacy keys belong under [tool.zorkgpt.loop_break]";
            reader.report(ConfigProblem::new(message, hint, (reader.locate)(value.span(), None)));
            return;
        };
        for (key, _) in inner.iter().filter(|(key, _)| key.get_ref() != known) {
            let name = key.get_ref().as_ref();
            let hint = if (path, name) == ("tool", "loopbreak") {
                "[tool.loopbreak] is for pyproject.toml; in this file, put the options at the top level"
                    .to_owned()
            } else {
                did_you_mean(name, [known])
                    .unwrap_or_else(|| "the only valid table here is [tool.zorkgpt.loop_break]".to_owned())
            };
            let message = format!("unknown key {} in [{path}]", quote(name));
            reader.report(ConfigProblem::new(message, hint, (reader.locate)(key.span(), None)));
        }
        here = inner.get(known);
    }
}

/// Returns the text with invalid lines replaced by blanks, so that all other bytes keep their position. Returns `None`
/// if an invalid line is the head of a table, because then it is not known where the following keys belong.
fn blank_invalid_lines(
    source: &ConfigSource,
    positions: &LinePositions<'_>,
    errors: &[toml::de::Error],
) -> Option<String> {
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
