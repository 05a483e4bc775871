//! The values that a template can show.

use std::fmt::Display;

use crate::evidence::Evidence;

/// Named values. There are only a few, so a list is the fastest map.
#[derive(Clone, Debug, Default)]
pub(crate) struct TemplateValues(Vec<(String, String)>);

impl From<&Evidence> for TemplateValues {
    /// Creates values from all facts of a finding, under their own names.
    fn from(evidence: &Evidence) -> Self {
        let mut values = TemplateValues::default();
        for (name, value) in evidence.iter() {
            values.0.push((name.as_str().to_owned(), value.to_string()));
        }
        values
    }
}

impl TemplateValues {
    pub(crate) fn set(&mut self, name: &str, value: impl Display) -> &mut Self {
        self.unset(name);
        self.0.push((name.to_owned(), value.to_string()));
        self
    }

    /// Sets a list with one item per line. An empty list counts as missing.
    pub(crate) fn list<'v>(&mut self, name: &str, items: impl Iterator<Item = &'v str>) -> &mut Self {
        let lines: Vec<String> = items.map(|item| format!("- {item}")).collect();
        self.set(name, lines.join("\n"))
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
