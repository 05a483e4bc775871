//! The values that a template can show.

use crate::evidence::{Evidence, EvidenceKey, EvidenceValue};
use crate::text::{inert, quoted, quoted_list};

/// Named values. There are only a few, so a list is the fastest map.
///
/// There are three ways in: numbers and words of Loopbreak, texts of somebody else, which are quoted here, and sentences that
/// were composed of such values. A template inserts what it finds, so no template can forget to quote.
#[derive(Clone, Debug, Default)]
pub(crate) struct TemplateValues(Vec<(String, String)>);

impl From<&Evidence> for TemplateValues {
    /// Creates values from all facts of a finding, under their own names.
    fn from(evidence: &Evidence) -> Self {
        let mut values = TemplateValues::default();
        for (name, value) in evidence.iter() {
            // Loopbreak wrote these: a sentence whose parts were quoted, a list of numbers, and times with their units.
            let own = [
                EvidenceKey::REASON,
                EvidenceKey::TURNS,
                EvidenceKey::RUNTIME,
                EvidenceKey::MAX_RUNTIME,
                EvidenceKey::SPENT_IN,
            ]
            .contains(name);
            let text = match value {
                EvidenceValue::Text(text) if own => inert(text),
                _ => shown(value),
            };
            values.0.push((name.as_str().to_owned(), text));
        }
        values
    }
}

/// Returns a fact as a template shows it: texts are quoted.
fn shown(value: &EvidenceValue) -> String {
    match value {
        EvidenceValue::Text(text) if text.trim().is_empty() => String::new(),
        EvidenceValue::Text(text) => quoted(text),
        EvidenceValue::List(items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
        EvidenceValue::Fields(_) => quoted(&value.to_string()),
        _ => value.to_string(),
    }
}

impl TemplateValues {
    /// Sets a number.
    pub(crate) fn number(&mut self, name: &str, number: impl Into<u64>) -> &mut Self {
        self.put(name, number.into().to_string())
    }

    /// Sets a word of Loopbreak.
    pub(crate) fn word(&mut self, name: &str, word: &'static str) -> &mut Self {
        self.put(name, word.to_owned())
    }

    /// Sets a text of somebody else, quoted. An empty text counts as missing.
    pub(crate) fn quote(&mut self, name: &str, text: &str) -> &mut Self {
        self.quote_list(name, [text], "")
    }

    /// Sets texts of somebody else, each quoted, with a separator between them.
    pub(crate) fn quote_list<'v>(
        &mut self,
        name: &str,
        texts: impl IntoIterator<Item = &'v str>,
        separator: &str,
    ) -> &mut Self {
        self.put(name, quoted_list(texts, separator))
    }

    /// Sets texts of somebody else as a list with one item per line, each quoted. An empty list counts as missing.
    pub(crate) fn quote_lines<'v>(
        &mut self,
        name: &str,
        texts: impl IntoIterator<Item = &'v str>,
    ) -> &mut Self {
        self.lines(name, texts.into_iter().map(quoted))
    }

    /// Sets a sentence that was composed of quoted parts.
    pub(crate) fn sentence(&mut self, name: &str, sentence: &str) -> &mut Self {
        self.put(name, inert(sentence))
    }

    /// Sets sentences that were composed of quoted parts, as a list with one item per line. A quotation that was cut off with
    /// its sentence is closed.
    pub(crate) fn sentences<'v>(
        &mut self,
        name: &str,
        sentences: impl IntoIterator<Item = &'v str>,
    ) -> &mut Self {
        self.lines(
            name,
            sentences.into_iter().map(|sentence| {
                let open = sentence.matches('"').count() % 2 == 1;
                inert(sentence) + if open { "…\"" } else { "" }
            }),
        )
    }

    fn lines(&mut self, name: &str, lines: impl Iterator<Item = String>) -> &mut Self {
        let lines: Vec<String> = lines.map(|line| format!("- {line}")).collect();
        self.put(name, lines.join("\n"))
    }

    fn put(&mut self, name: &str, value: String) -> &mut Self {
        self.unset(name);
        self.0.push((name.to_owned(), value));
        self
    }

    pub(crate) fn unset(&mut self, name: &str) {
        self.0.retain(|(known, _)| known != name);
    }

    /// Returns a value that is present and not empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(known, value)| known == name && !value.is_empty())
            .map(|(_, value)| value.as_str())
    }
}
