//! The names that occur in the answers of golden files.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up is to fail")]

use std::collections::BTreeSet;

use serde_json::Value;

/// The keys under which names stand, and the names that were found there.
#[derive(Default)]
pub(super) struct GoldenCoverage {
    found: BTreeSet<(String, String)>,
}

impl GoldenCoverage {
    /// Adds the names of an answer.
    pub(super) fn add(&mut self, answer: &str) {
        self.visit(&serde_json::from_str(answer).unwrap());
    }

    fn visit(&mut self, value: &Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.visit(item)),
            Value::Object(members) => {
                for (key, member) in members {
                    if let Some(name) = member.as_str() {
                        self.found.insert((key.clone(), name.to_owned()));
                    }
                    self.visit(member);
                }
            }
            _ => {}
        }
    }

    /// Returns those of the names that do not occur under any of the keys.
    pub(super) fn missing<'n>(
        &self,
        keys: &[&str],
        names: impl IntoIterator<Item = &'n str>,
    ) -> Vec<&'n str> {
        let occurs =
            |name: &str| keys.iter().any(|key| self.found.contains(&((*key).to_owned(), name.to_owned())));
        names.into_iter().filter(|name| !occurs(name)).collect()
    }
}
