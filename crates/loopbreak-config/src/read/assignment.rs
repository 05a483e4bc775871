//! Assignments outside of files, which work without quotes: `max_runtime=15m`.

use toml::Spanned;
use toml::de::DeValue;

use super::{LayerReading, TableReader};

/// Sets an option to a TOML value if the option accepts it, otherwise to the text itself. Returns `false` if there is
/// no such option.
pub(super) fn assign(reader: &mut TableReader<'_>, path: &str, text: &str) -> bool {
    let plain = Spanned::new(0..text.len(), DeValue::String(text.into()));
    let Ok(value) = DeValue::parse(text.trim()) else { return reader.read_value(path, &plain) };
    let mut as_text = LayerReading::default();
    let known = TableReader { locate: reader.locate, reading: &mut as_text }.read_value(path, &plain);
    // `42` is an integer, but a string for an option that only takes strings.
    if known && as_text.problems.is_empty() {
        let mut as_toml = LayerReading::default();
        TableReader { locate: reader.locate, reading: &mut as_toml }.read_value(path, &value);
        if !as_toml.problems.is_empty() {
            return reader.read_value(path, &plain);
        }
    }
    reader.read_value(path, &value)
}
