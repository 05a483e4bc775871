//! Assignments outside of files, where nobody wants to write quotes: `max_runtime=15m`.

use toml::Spanned;
use toml::de::DeValue;

use super::walk::{Reading, Walk};

/// Takes a value for an option: a TOML value where the option takes it, otherwise the plain text. False if there is no
/// such option.
pub(crate) fn assign(walk: &mut Walk<'_>, path: &str, text: &str) -> bool {
    let plain = Spanned::new(0..text.len(), DeValue::String(text.into()));
    let Ok(value) = DeValue::parse(text.trim()) else { return walk.value(path, &plain) };
    let mut trial = Reading::default();
    let known = Walk { locate: walk.locate, reading: &mut trial }.value(path, &plain);
    // `42` may be a text as well: it is, where the option takes texts only.
    if known && trial.problems.is_empty() {
        let mut other = Reading::default();
        Walk { locate: walk.locate, reading: &mut other }.value(path, &value);
        if !other.problems.is_empty() {
            return walk.value(path, &plain);
        }
    }
    walk.value(path, &value)
}
