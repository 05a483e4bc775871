//! The agents and the models named by the steps of a run.

use loopbreak::text::clip;
use serde::{Deserialize, Serialize};

/// A few names, each once, in the order of their first use.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct NameList {
    pub(super) all: Vec<String>,
}

impl NameList {
    /// Maximum number of names, and maximum length of each.
    pub(super) const MOST: usize = 16;
    const BYTES: usize = 100;

    pub(super) fn add(&mut self, name: Option<&str>) {
        let Some(name) = name.map(|name| clip(name.trim(), Self::BYTES)).filter(|name| !name.is_empty())
        else {
            return;
        };
        if self.all.len() < Self::MOST && !self.all.iter().any(|known| known == name) {
            self.all.push(name.to_owned());
        }
    }
}
