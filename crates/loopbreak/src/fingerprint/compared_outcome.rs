//! The text of an outcome as its key sees it, for people.

use std::fmt::Write as _;
use std::ops::Range;

use serde_json::Value;

use super::mask::volatile_words;
use super::outcome_key::{END, JSON_BYTES, TELLING, gist, moves};
use super::volatile_fields::is_volatile_field;
use crate::explain::OutcomeForm;
use crate::text::clip::clip;
use crate::text::scan::trimmed;

/// Stands for a part that is masked.
const MASKED: &str = "<*>";
/// Number of masked parts and of fields that are listed.
const LISTED: usize = 20;

/// An outcome as it is compared: two outcomes with the same text here have the same key.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ComparedOutcome {
    pub(crate) text: String,
    pub(crate) form: OutcomeForm,
    /// The parts that were masked, in their order: the first ones.
    pub(crate) masked: Vec<String>,
    /// The fields of a JSON reply that were left out: the first ones.
    pub(crate) left_out: Vec<String>,
}

impl ComparedOutcome {
    /// Returns the text that `outcome_key_without` compares.
    pub(crate) fn of_success(text: &str, volatile: &[String]) -> Self {
        let text = trimmed(text);
        if let Some(json) = ComparedOutcome::of_json(text, volatile) {
            return json;
        }
        if text.len() <= 2 * END {
            return ComparedOutcome::of_text(text, OutcomeForm::Whole);
        }
        let mut tail = text.len() - END;
        while !text.is_char_boundary(tail) {
            tail += 1;
        }
        let mut writer = MaskWriter::default();
        writer.masked(clip(text, END), TELLING);
        _ = write!(writer.text, " … {} bytes in all … ", text.len());
        writer.masked(&text[tail..], TELLING);
        writer.finish(OutcomeForm::Ends)
    }

    /// Returns the text that `gist_key` compares.
    pub(crate) fn of_failure(text: &str) -> Self {
        ComparedOutcome::of_text(&gist(text), OutcomeForm::Failure)
    }

    fn of_text(text: &str, form: OutcomeForm) -> Self {
        let mut writer = MaskWriter::default();
        writer.masked(text, TELLING);
        let form = if writer.too_short { OutcomeForm::Unmasked } else { form };
        writer.finish(form)
    }

    fn of_json(text: &str, volatile: &[String]) -> Option<Self> {
        let wrapped = matches!(text.as_bytes(), [b'{', .., b'}'] | [b'[', .., b']']);
        if !wrapped || text.len() > JSON_BYTES {
            return None;
        }
        let value: Value = serde_json::from_str(text).ok()?;
        let mut writer = MaskWriter::default();
        writer.value(&value, volatile);
        (writer.values > 0).then(|| writer.finish(OutcomeForm::Json))
    }
}

/// Writes a text with its volatile parts masked.
#[derive(Debug, Default)]
struct MaskWriter {
    text: String,
    masked: Vec<String>,
    left_out: Vec<String>,
    /// Number of values of a JSON reply that were not left out.
    values: u32,
    /// True if a text was not masked because little else would be left.
    too_short: bool,
}

impl MaskWriter {
    /// Writes a text. With fewer letters than `telling` besides the masks, it is not masked.
    fn masked(&mut self, text: &str, telling: usize) {
        let mut words: Vec<Range<usize>> = Vec::new();
        volatile_words(text, |word| words.push(word));
        let (mut kept, mut from) = (0, 0);
        let letters = |text: &str| text.bytes().filter(u8::is_ascii_alphabetic).count();
        for word in &words {
            kept += letters(&text[from..word.start]);
            from = word.end;
        }
        kept += letters(&text[from..]);
        if words.is_empty() || kept < telling {
            self.too_short |= !words.is_empty();
            self.text.push_str(text);
            return;
        }
        let mut from = 0;
        for word in words {
            self.text.push_str(&text[from..word.start]);
            self.text.push_str(MASKED);
            if self.masked.len() < LISTED {
                self.masked.push(text[word.clone()].to_owned());
            }
            from = word.end;
        }
        self.text.push_str(&text[from..]);
    }

    fn value(&mut self, value: &Value, volatile: &[String]) {
        match value {
            Value::Object(fields) => {
                // The key of an object does not depend on the order of its fields.
                let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
                fields.sort_by_key(|(name, _)| *name);
                let mut kept = Vec::new();
                for (name, value) in fields {
                    let declared = volatile.iter().any(|known| known == name);
                    if !(declared || moves(value) && is_volatile_field(name)) {
                        kept.push((name, value));
                    } else if self.left_out.len() < LISTED {
                        self.left_out.push(name.clone());
                    }
                }
                self.text.push('{');
                for (index, (name, value)) in kept.into_iter().enumerate() {
                    self.text.push_str(if index > 0 { "," } else { "" });
                    _ = write!(self.text, "{}:", Value::from(name.as_str()));
                    self.value(value, volatile);
                }
                self.text.push('}');
            }
            Value::Array(items) => {
                self.text.push('[');
                for (index, item) in items.iter().enumerate() {
                    self.text.push_str(if index > 0 { "," } else { "" });
                    self.value(item, volatile);
                }
                self.text.push(']');
            }
            Value::String(text) => {
                self.values += 1;
                self.text.push('"');
                self.masked(text, 0);
                self.text.push('"');
            }
            other => {
                self.values += 1;
                _ = write!(self.text, "{other}");
            }
        }
    }

    fn finish(self, form: OutcomeForm) -> ComparedOutcome {
        ComparedOutcome { text: self.text, form, masked: self.masked, left_out: self.left_out }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::outcome_key::{gist_key, outcome_key};
    use super::*;

    #[test]
    fn masked_parts_are_listed_and_progress_is_kept() {
        let shown = ComparedOutcome::of_success("12:03:41 3 of 9 done, pid 4711, request took 41 ms", &[]);
        assert_eq!(shown.text, "<*> 3 of 9 done, pid <*>, request took <*> ms");
        assert_eq!(shown.masked, ["12:03:41", "4711", "41"]);
        assert_eq!(shown.form, OutcomeForm::Whole);
    }

    #[test]
    fn a_text_that_is_nearly_all_mask_is_compared_as_it_is() {
        let shown = ComparedOutcome::of_success("12:03:41", &[]);
        assert_eq!((shown.text.as_str(), shown.form), ("12:03:41", OutcomeForm::Unmasked));
    }

    #[test]
    fn the_fields_of_a_reply_that_move_by_themselves_are_left_out() {
        let shown = ComparedOutcome::of_success(r#"{"state":"queued","id":"a1","elapsed_ms":41,"n":3}"#, &[]);
        assert_eq!(shown.text, r#"{"n":3,"state":"queued"}"#);
        assert_eq!(shown.left_out, ["elapsed_ms", "id"]);
        let declared = ComparedOutcome::of_success(r#"{"state":"queued","n":3}"#, &["n".to_owned()]);
        assert_eq!((declared.text.as_str(), declared.form), (r#"{"state":"queued"}"#, OutcomeForm::Json));
    }

    #[test]
    fn a_failure_is_told_by_its_beginning_without_quotations() {
        let shown = ComparedOutcome::of_failure("cannot open 'a.txt' at src/main.rs:42:7");
        assert_eq!(shown.text, "cannot open  at src/main.rs:#:#");
        assert_eq!(shown.form, OutcomeForm::Failure);
    }

    fn reply() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            "(ok|built in|state|it)",
            "(3|4) (s|ms|files)",
            "12:03:4[12]",
            "pid (17|18)",
            "(main\\.rs|a):[12]:[12]",
            "'[ab]'",
        ];
        let words = prop::collection::vec(piece, 1..4).prop_map(|pieces| pieces.join(" "));
        let json = ("(queued|done)", 0..3_u32, 0..3_u32)
            .prop_map(|(state, id, n)| format!(r#"{{"state":"{state}","id":{id},"n":{n}}}"#));
        prop_oneof![words, json]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// The text is what the key is made of, so that it explains why two outcomes are equal or not.
        #[test]
        fn equal_texts_have_equal_keys_and_different_texts_different_ones(left in reply(), right in reply()) {
            let success = |text: &str| ComparedOutcome::of_success(text, &[]).text;
            prop_assert_eq!(success(&left) == success(&right), outcome_key(&left) == outcome_key(&right));
            let failure = |text: &str| ComparedOutcome::of_failure(text).text;
            prop_assert_eq!(failure(&left) == failure(&right), gist_key(&left) == gist_key(&right));
        }

        #[test]
        fn no_text_makes_it_panic(text in ".{0,80}", times in 1..200_usize) {
            ComparedOutcome::of_success(&text.repeat(times), &[]);
            ComparedOutcome::of_failure(&text.repeat(times));
        }
    }
}
