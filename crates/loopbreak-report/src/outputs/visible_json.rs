//! JSON without characters that cannot be seen.
//!
//! JSON may contain them as they are, and a terminal acts on some of them.

use std::fmt::Write as _;
use std::io::{self, Write};

use loopbreak::text::is_invisible;

/// The form of a character that cannot be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InvisibleForm {
    /// An escape, so that the text stays the same for programs.
    Escape,
    /// A replacement, for texts that other programs show to people.
    Replacement,
}

/// Passes JSON on. Characters that cannot be seen occur in its strings only.
pub struct VisibleJson<'w> {
    out: &'w mut dyn Write,
    form: InvisibleForm,
    /// The beginning of a character whose end comes with the next bytes.
    rest: Vec<u8>,
}

impl<'w> VisibleJson<'w> {
    /// Escapes the characters: the JSON has the same meaning as before.
    pub fn escaped(out: &'w mut dyn Write) -> Self {
        VisibleJson { out, form: InvisibleForm::Escape, rest: Vec::new() }
    }

    /// Replaces the characters, for JSON whose texts are shown to people.
    pub fn replaced(out: &'w mut dyn Write) -> Self {
        VisibleJson { out, form: InvisibleForm::Replacement, rest: Vec::new() }
    }
}

impl VisibleJson<'_> {
    /// Passes whole characters on. White space between values is kept.
    fn pass(&mut self, bytes: &[u8]) -> io::Result<()> {
        let hidden = |letter: char| is_invisible(letter) && letter != '\n';
        match std::str::from_utf8(bytes) {
            Ok(text) if text.contains(hidden) => {
                let mut shown = String::with_capacity(text.len() + 16);
                for letter in text.chars() {
                    match self.form {
                        _ if !hidden(letter) => shown.push(letter),
                        InvisibleForm::Replacement => shown.push('\u{FFFD}'),
                        InvisibleForm::Escape => {
                            for unit in letter.encode_utf16(&mut [0; 2]) {
                                _ = write!(shown, "\\u{unit:04x}");
                            }
                        }
                    }
                }
                self.out.write_all(shown.as_bytes())
            }
            _ => self.out.write_all(bytes),
        }
    }
}

impl Write for VisibleJson<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.rest.is_empty() && std::str::from_utf8(bytes).is_ok() {
            self.pass(bytes)?;
            return Ok(bytes.len());
        }
        // A buffer before this writer may have cut a character.
        let mut all = std::mem::take(&mut self.rest);
        all.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&all) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => all.len(),
        };
        self.rest = all.split_off(whole);
        self.pass(&all)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let rest = std::mem::take(&mut self.rest);
        self.out.write_all(&rest)?;
        self.out.flush()
    }
}

impl std::fmt::Debug for VisibleJson<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VisibleJson").field("form", &self.form).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_character_that_is_written_in_two_parts_is_escaped() {
        let text = "{\"a\":\"x\u{9b}31m\u{1d173}é\"}".as_bytes();
        for size in 1..text.len() {
            let mut out = Vec::new();
            let mut json = VisibleJson::escaped(&mut out);
            text.chunks(size).for_each(|part| json.write_all(part).unwrap());
            json.flush().unwrap();
            let shown = String::from_utf8(out).unwrap();
            assert_eq!(shown, "{\"a\":\"x\\u009b31m\\ud834\\udd73é\"}", "{size}");
        }
    }

    /// A terminal takes U+009B for the beginning of a control sequence, and U+202E turns the rest of the line around.
    #[test]
    fn json_has_no_invisible_characters_and_the_same_meaning() {
        let value = json!({"a\u{202e}": ["\u{9b}2J\u{200b}\u{7f}é😀\n\u{1b}", "\u{e0041}"]});
        let mut out = Vec::new();
        serde_json::to_writer_pretty(VisibleJson::escaped(&mut out), &value).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(!text.chars().any(|letter| is_invisible(letter) && letter != '\n'), "{text}");
        assert!(text.contains("é😀") && text.contains("\\u202e"), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
        let mut out = Vec::new();
        serde_json::to_writer(VisibleJson::replaced(&mut out), &value).unwrap();
        assert!(String::from_utf8(out).unwrap().contains("\u{FFFD}2J\u{FFFD}\u{FFFD}é"));
    }
}
